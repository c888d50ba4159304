import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Invocation } from './instance.ts';

/** A function in a process of its own, as Lambda has it. */
export interface FunctionInstance {
  /** One invocation after the other. @throws Error when the process ends instead of answering */
  readonly invoke: (events: readonly object[]) => Promise<readonly Invocation[]>;
  /** Ends it. Resolves to the bytes that it has logged. */
  readonly close: () => Promise<number>;
}

const answerOf = async (child: ChildProcess): Promise<readonly Invocation[]> => {
  const ended = new AbortController();
  const end = () => ended.abort(new Error(`a function's process ended with ${child.exitCode ?? child.signalCode}`));
  child.once('exit', end);
  try {
    const [invocations] = (await once(child, 'message', { signal: ended.signal })) as [readonly Invocation[]];
    return invocations;
  } finally {
    child.off('exit', end);
  }
};

/**
 * Starts a function from the file that exports its `handler`, a bundle or a TypeScript module, with logs and metrics on as
 * they are when deployed. It works on the database that this process's environment names.
 */
export const startFunction = (file: string): FunctionInstance => {
  const child = fork(fileURLToPath(new URL('./instance.ts', import.meta.url)), [file], {
    env: { ...process.env, POWERTOOLS_LOG_LEVEL: 'INFO', POWERTOOLS_METRICS_NAMESPACE: 'bench' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let logged = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    logged += chunk.length;
  });
  return {
    invoke: async (events) => {
      const answer = answerOf(child);
      child.send(events);
      return answer;
    },
    close: async () => {
      const ended = Promise.all([once(child, 'exit'), child.stdout && once(child.stdout, 'end')]);
      child.disconnect();
      await ended;
      return logged;
    },
  };
};
