/**
 * Runs an exported function of a module in a process of its own. This file is both ends: imported, it forks; forked, it
 * calls the function, sends what it returned, answers calls of the methods of that, and ends with its parent.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';

interface Options {
  /** Added to this process's environment. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly nodeOptions?: readonly string[];
}

export interface ForkedProcess<Result> {
  /** What the function returned, without its methods. */
  readonly result: Result;
  /** Calls a method of what the function returned. @throws Error when it throws or the process ends */
  readonly call: (method: string, ...args: readonly unknown[]) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

/** The function itself is the first call. */
type Call = readonly [id: number, method: string, args: readonly unknown[]];
type Reply = readonly [id: number, value: unknown, error?: string];

/**
 * @param args the function's arguments, which must survive JSON
 * @throws Error when the function throws
 */
export const forkCall = async <Result>(
  module: URL,
  name: string,
  args: readonly unknown[] = [],
  { environment, nodeOptions = [] }: Options = {},
): Promise<ForkedProcess<Result>> => {
  const child = fork(new URL(import.meta.url), [module.href], {
    env: { ...process.env, ...environment },
    execArgv: [...nodeOptions],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const pending: PromiseWithResolvers<unknown>[] = [];
  child.on('message', ([id, value, error]: Reply) => {
    if (error === undefined) pending[id]?.resolve(value);
    else pending[id]?.reject(new Error(error));
  });
  child.once('exit', (code, signal) => {
    // Without effect on those that were answered.
    for (const { reject } of pending) reject(new Error(`${name} of ${module.pathname} ended with ${code ?? signal}`));
  });
  const call = (method: string, ...given: readonly unknown[]): Promise<unknown> => {
    const reply = Promise.withResolvers<unknown>();
    child.send([pending.push(reply) - 1, method, given] satisfies Call);
    return reply.promise;
  };
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect();
    await ended;
  };
  try {
    return { result: (await call(name, ...args)) as Result, call, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

const serve = async (module: string): Promise<void> => {
  let service: Promise<Methods> = import(module);
  const answer = async ([id, method, args]: Call): Promise<Reply> => {
    try {
      const value = (await service)[method]?.(...args);
      if (id === 0) service = Promise.resolve(value) as Promise<Methods>;
      return [id, await value];
    } catch (error) {
      return [id, undefined, error instanceof Error ? (error.stack ?? error.message) : String(error)];
    }
  };
  process.on('disconnect', () => process.exit(0));
  process.on('message', async (call: Call) => process.send?.(await answer(call)));
};

// Not awaited: the forked module may import this one, which must have been evaluated by then.
if (import.meta.main) void serve(process.argv[2] ?? '');
