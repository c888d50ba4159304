import { type FourGateways, GATEWAYS } from './four-gateways.ts';

/** Milliseconds of true time from one burst to the next. */
const STEP_MS = 5_000;
/** Through each gateway at each step: in a minute each gateway alone gets more than the free plan allows. */
const REQUESTS_PER_GATEWAY = 6;

/** One lookup with its response. */
export interface Sent {
  /** Unix milliseconds by the true clock and by that of the gateway that served it. */
  readonly trueTime: number;
  readonly ownTime: number;
  readonly status: number;
  readonly reset: number;
  readonly retryAfter: number | undefined;
}

export interface SkewedTraffic {
  readonly sent: readonly Sent[];
  /** Whether each request had one counter update: the SDK repeats it when this machine answers too slowly. */
  readonly isUndisturbed: boolean;
}

const headerNumber = ({ headers }: Response, name: string): number | undefined => {
  const value = headers.get(name);
  return value === null ? undefined : Number(value);
};

/** Traffic of one key of the free plan through gateways whose clocks are skewed, while true time passes. */
export const sendTraffic = async (
  api: FourGateways,
  { start, minutes, skews }: { readonly start: number; readonly minutes: number; readonly skews: readonly number[] },
): Promise<SkewedTraffic> => {
  const { key } = await api.newKey({ plan: 'free' });
  const sent: Sent[] = [];
  api.faults.reset();
  for (let trueTime = start; trueTime < start + minutes * 60_000; trueTime += STEP_MS) {
    const ownTimes = skews.map((skew) => trueTime + skew);
    await api.setClocks(ownTimes);
    const burst = Array.from({ length: GATEWAYS * REQUESTS_PER_GATEWAY }, async (_, nth): Promise<Sent> => {
      const gateway = nth % GATEWAYS;
      const answer = await api.lookup(gateway, key);
      return {
        trueTime,
        ownTime: ownTimes[gateway] ?? 0,
        status: answer.status,
        reset: headerNumber(answer, 'x-ratelimit-reset') ?? 0,
        retryAfter: headerNumber(answer, 'retry-after'),
      };
    });
    sent.push(...(await Promise.all(burst)));
  }
  const asked = api.faults.calls.filter(({ tables }) => tables.includes(api.names.usage));
  return { sent, isUndisturbed: asked.length === sent.length };
};
