/**
 * Runs an exported function of a module in a process of its own. This file is both ends: imported, it forks; forked, it
 * calls the function, sends what it returned, answers calls of the methods of that, and ends with its parent.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface ForkOptions {
  /** Added to this process's environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
  /** What becomes of its standard output; `capture` keeps standard error too. */
  readonly output?: 'inherit' | 'ignore' | 'capture';
}

export interface Forked<Result> {
  /** What the function returned, without its methods. */
  readonly result: Result;
  /** Calls a method of what the function returned. @throws Error when it throws or the process ends */
  readonly call: (method: string, ...args: readonly unknown[]) => Promise<unknown>;
  /** Ends the process; resolves to the captured output. */
  readonly stop: () => Promise<string>;
}

/** `id` is 0 for the function itself, then one number per call. */
interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}
interface Request {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

/**
 * @param args the function's arguments, which must survive JSON
 * @throws Error when the function throws
 */
export const forkCall = async <Result>(
  module: URL,
  name: string,
  args: readonly unknown[] = [],
  { environment = {}, nodeOptions = [], output = 'inherit' }: ForkOptions = {},
): Promise<Forked<Result>> => {
  const pipe = output === 'capture' ? 'pipe' : undefined;
  const child = fork(new URL(import.meta.url), [module.href, name, JSON.stringify(args)], {
    env: { ...process.env, ...environment },
    execArgv: [...nodeOptions],
    stdio: ['ignore', pipe ?? (output === 'ignore' ? 'ignore' : 'inherit'), pipe ?? 'inherit', 'ipc'],
  });
  const written = Promise.all([child.stdout, child.stderr].map((stream) => (stream ? text(stream) : '')));
  const ended = once(child, 'exit');
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  const expectReply = (): Promise<unknown> => {
    const reply = Promise.withResolvers<unknown>();
    pending.set(calls, reply);
    return reply.promise;
  };
  child.on('message', ({ id, value, error }: Reply) => {
    const reply = pending.get(id);
    pending.delete(id);
    if (error === undefined) reply?.resolve(value);
    else reply?.reject(new Error(error));
  });
  child.once('exit', async (code, signal) => {
    const failure = new Error(
      `${name} of ${module.pathname} ended with ${code ?? signal}\n${(await written).join('\n')}`,
    );
    for (const reply of pending.values()) reply.reject(failure);
  });
  let result: unknown;
  try {
    result = await expectReply();
  } catch (error) {
    child.kill();
    throw error;
  }
  return {
    result: result as Result,
    call: (method, ...methodArgs) => {
      calls += 1;
      child.send({ id: calls, method, args: methodArgs } satisfies Request);
      return expectReply();
    },
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
      return (await written).join('\n');
    },
  };
};

type Methods = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

const answer = async (id: number, work: () => unknown): Promise<unknown> => {
  try {
    const value = await work();
    process.send?.({ id, value } satisfies Reply);
    return value;
  } catch (error) {
    process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    return undefined;
  }
};

const serve = async ([module = '', name = '', args = '[]']: readonly string[]): Promise<void> => {
  process.on('disconnect', () => process.exit(0));
  const service = await answer(0, async () => (await import(module))[name](...JSON.parse(args)));
  process.on('message', ({ id, method, args: given }: Request) =>
    answer(id, () => (service as Methods)[method]?.(...given)),
  );
};

// Not awaited: the forked module may import this one, which must have been evaluated by then.
if (import.meta.main) void serve(process.argv.slice(2));
