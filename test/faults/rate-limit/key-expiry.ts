import type { FourGateways } from './four-gateways.ts';

/** A key's last day in summer, and the moment at which it ends in London. */
const LAST_DAY = '2026-06-15';
const END_OF_LAST_DAY = Date.parse('2026-06-15T23:00:00Z');
/** Seconds around that moment by the true clock. */
const MOMENTS = [-60, -30, 0, 30, 60] as const;

/** A gateway's response around the end of a key's last day. */
export interface ExpiryResult {
  readonly status: number;
  /** 401 from the first instant of the next day by the gateway's own clock, 200 before. */
  readonly expected: number;
}

/** Sends a request through every gateway with a key whose last day is ending. */
export const requestAroundExpiry = async (
  api: FourGateways,
  skews: readonly number[],
): Promise<readonly ExpiryResult[]> => {
  const { key } = await api.newKey({ expires: LAST_DAY });
  const answers: ExpiryResult[] = [];
  for (const seconds of MOMENTS) {
    const ownTimes = skews.map((skew) => END_OF_LAST_DAY + seconds * 1_000 + skew);
    await api.setClocks(ownTimes);
    const statuses = await Promise.all(ownTimes.map(async (_, gateway) => (await api.lookup(gateway, key)).status));
    answers.push(
      ...ownTimes.map((ownTime, gateway) => ({
        status: statuses[gateway] ?? 0,
        expected: ownTime < END_OF_LAST_DAY ? 200 : 401,
      })),
    );
  }
  return answers;
};
