import { startGateway } from '../../lib/local/gateway/gateway.ts';
import { NOON } from './clock.ts';
import { forkCall } from './fork.ts';

/** Requests that it serves at once: few, since several gateways share one engine with each other and with the test. */
const CONCURRENCY = 8;

/** Runs in the forked process, on the engine that its environment names. */
export const startGatewayWithClock = async () => {
  let now = NOON;
  const { origin } = await startGateway({ port: 0, concurrency: CONCURRENCY, clock: () => now });
  return {
    origin,
    setClock: (moment: number): void => {
      now = moment;
    },
  };
};

export type ForkedGateway = Awaited<ReturnType<typeof forkGateway>>;

/** The local gateway in a process of its own. Its clock stands still, at `NOON` until it is set. */
export const forkGateway = async (environment: Readonly<Record<string, string>>) => {
  const module = new URL(import.meta.url);
  const gateway = await forkCall<{ readonly origin: string }>(module, 'startGatewayWithClock', [], { environment });
  return {
    origin: gateway.result.origin,
    /** In Unix milliseconds. */
    setClock: (now: number): Promise<unknown> => gateway.call('setClock', now),
    stop: gateway.stop,
  };
};
