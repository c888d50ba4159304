import { startGateway } from '../../lib/local/gateway/gateway.ts';
import { NOON } from './clock.ts';
import { forkCall } from './fork.ts';

/** The local gateway in a process of its own. */
export interface ForkedGateway {
  readonly origin: string;
  /** Sets its clock, in Unix milliseconds; the clock stops there, and at `NOON` until the first call. */
  readonly setClock: (now: number) => Promise<void>;
  readonly stop: () => Promise<unknown>;
}

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

export const forkGateway = async (environment: Readonly<Record<string, string>>): Promise<ForkedGateway> => {
  const { result, call, stop } = await forkCall<{ readonly origin: string }>(
    new URL(import.meta.url),
    'startGatewayWithClock',
    [],
    { environment },
  );
  return {
    origin: result.origin,
    setClock: async (now) => {
      await call('setClock', now);
    },
    stop,
  };
};
