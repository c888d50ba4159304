import { forkProcess } from './forked-process.ts';

/** The local gateway in a process of its own (`gateway-process.ts`). */
export interface ForkedGateway {
  readonly origin: string;
  /** Sets its clock, in Unix milliseconds; it stands still, at `NOON` as long as nobody sets it. */
  readonly setClock: (now: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** @param concurrency requests served at once; few unless said */
export const forkGateway = async (
  environment: Readonly<Record<string, string>>,
  concurrency?: number,
): Promise<ForkedGateway> => {
  const args = concurrency === undefined ? [] : [String(concurrency)];
  const { said, ask, stop } = await forkProcess(new URL('./gateway-process.ts', import.meta.url), {
    args,
    environment,
  });
  return {
    origin: String(said),
    setClock: async (now) => {
      await ask(now);
    },
    stop,
  };
};
