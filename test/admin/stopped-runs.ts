import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { type CommandOptions, type CommandResult, commandLine, runCommand } from './command-line.ts';

/** The journal of an import beside its file. */
export const journalOf = (path: string): string => `${path}.import.json`;

export const readJournalOf = async (path: string): Promise<{ readonly startedAt: string; readonly point: object }> =>
  JSON.parse(await readFile(journalOf(path), 'utf8')) as { startedAt: string; point: object };

/** A command line whose database calls are counted, and whose runs are stopped at one of them. */
export const stoppableCommandLine = () => {
  const line = commandLine();
  const { engine } = line;
  let proxy: FaultProxy;
  beforeAll(async () => {
    proxy = await startFaultProxy(engine().endpoint);
  });
  afterEach(() => proxy.reset());
  afterAll(() => proxy.close());

  /** Calls `stop` when a call of this kind comes for the nth time. */
  const atCall = (nth: number, operation: string, stop: () => void): void => {
    let calls = 0;
    proxy.inject((call) => {
      if (call.operation === operation) calls += 1;
      if (calls === nth) stop();
      return undefined;
    });
  };

  /** Starts the CLI as a process of its own, on the proxy. */
  const startProcess = (args: readonly string[]) => {
    const tables = ['--tables', engine().names.keys.replace(/keys$/, '')];
    return spawn(process.execPath, ['bin/admin.ts', ...args, '--dynamodb', proxy.endpoint, ...tables]);
  };

  const countedRun = (args: readonly string[], options?: CommandOptions): Promise<CommandResult> =>
    runCommand([...args, '--dynamodb', proxy.endpoint], engine().names, options);

  return {
    ...line,
    proxy: () => proxy,
    atCall,
    countedRun,

    /** Stopped by Ctrl-C when a call of this kind comes for the nth time. */
    interruptedRun: (args: readonly string[], nth: number, operation: string): Promise<CommandResult> => {
      const interruption = new AbortController();
      atCall(nth, operation, () => interruption.abort());
      return countedRun(args, { signal: interruption.signal });
    },

    /** A process that is killed when a call of this kind comes for the nth time; the signal that ended it. */
    killedRun: async (args: readonly string[], nth: number, operation: string): Promise<NodeJS.Signals | null> => {
      const child = startProcess(args);
      atCall(nth, operation, () => child.kill('SIGKILL'));
      const [, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
      return signal;
    },

    /** A process that gets these signals at once when a call of this kind comes for the nth time, and what it came to. */
    signalledRun: async (
      args: readonly string[],
      nth: number,
      operation: string,
      signals: readonly NodeJS.Signals[],
    ): Promise<CommandResult> => {
      const child = startProcess(args);
      let signalled = false;
      atCall(nth, operation, () => {
        if (signalled) return;
        signalled = true;
        for (const signal of signals) child.kill(signal);
      });
      const [stdout, stderr, [exitCode]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close') as Promise<[number]>,
      ]);
      return { exitCode, stdout, stderr };
    },

    /** Items that came to the database in batches since the last reset. */
    writtenItems: (): number =>
      proxy.calls
        .filter(({ operation }) => operation === 'BatchWriteItem')
        .map(({ body }) => Object.values((JSON.parse(body) as { RequestItems: Record<string, []> }).RequestItems))
        .reduce((sum, requests) => sum + requests.flat().length, 0),
  };
};
