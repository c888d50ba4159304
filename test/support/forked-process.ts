import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A module of ours in a process of its own: says one thing when it is ready, then answers each message with one. */
export interface ForkedProcess {
  /** What it said when it was ready. */
  readonly said: unknown;
  /** Sends a message, one at a time. @throws Error when the process ends instead of answering */
  readonly ask: (message: string | number) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

/** How it is started. */
export interface ForkOptions {
  readonly args?: readonly string[];
  /** Beside this process's own environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** For Node itself. */
  readonly nodeOptions?: readonly string[];
  /** Whether what it prints is thrown away. */
  readonly silent?: boolean;
}

const messageFrom = async (child: ChildProcess): Promise<unknown> => {
  const waiting = new AbortController();
  const { signal } = waiting;
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`a forked process ended with ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return message;
  } finally {
    waiting.abort();
  }
};

/** The module must end when its parent disconnects. @throws Error when it ends before it is ready */
export const forkProcess = async (
  module: URL,
  { args = [], environment = {}, nodeOptions = [], silent = false }: ForkOptions = {},
): Promise<ForkedProcess> => {
  const child = fork(module, args, {
    env: { ...process.env, ...environment },
    execArgv: [...nodeOptions],
    stdio: ['ignore', silent ? 'ignore' : 'inherit', 'inherit', 'ipc'],
  });
  return {
    said: await messageFrom(child),
    ask: (message) => {
      child.send(message);
      return messageFrom(child);
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
};
