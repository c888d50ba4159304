import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CannotStart } from '../options.ts';

const RUNNING = /Running on http/;
/** SAM prints the first line for every resource of a CDK template, without effect. The start banner replaces the second. */
const NOISE = /^Cannot detect function id from aws:cdk:path|Press CTRL\+C to quit/;
/** Number of last lines that explain a failed start. */
const LAST_LINES = 5;
/** Milliseconds that SAM has to remove its containers. */
const STOP_TIMEOUT_MS = 30_000;

/** A started `sam local start-api`. */
export interface SamProcess {
  /** Resolves when it accepts requests. Rejects with CannotStart when it ends before. */
  readonly running: Promise<void>;
  /** Resolves when it has ended, for whatever reason. */
  readonly ended: Promise<unknown>;
  readonly stop: () => Promise<void>;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Prints its lines once it runs. @throws CannotStart with its last lines when it ends before */
const untilRunning = (child: Child, print: (line: string) => unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    const earlier: string[] = [];
    let running = false;
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (NOISE.test(line)) return;
      if (running) print(line);
      else earlier.push(line);
      running ||= RUNNING.test(line);
      if (running) resolve();
    });
    createInterface({ input: child.stdout }).on('line', print);
    child.once('error', reject);
    child.once('close', () => {
      reject(new CannotStart(`sam local did not start.\n${earlier.slice(-LAST_LINES).join('\n')}`));
    });
  });

/** Starts `sam local start-api`. Its lines are printed once it runs. */
export const startSam = (
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  print: (line: string) => void,
): SamProcess => {
  // Its own process group: Ctrl-C must not end it before its containers are removed.
  const child = spawn('sam', ['local', 'start-api', ...args], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stopping = false;
  const ended = once(child, 'close').catch(() => undefined);
  const stop = async () => {
    stopping = true;
    child.kill('SIGINT');
    const timeout = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(timeout);
  };
  // When it ends, SAM prints advice that does not apply here.
  return { running: untilRunning(child, (line) => stopping || print(line)), ended, stop };
};
