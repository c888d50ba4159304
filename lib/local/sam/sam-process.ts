import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CannotStart } from '../options.ts';

const RUNNING = /Running on http/;
/** SAM says the first of every resource of a CDK template, and means nothing by it; the second is said better elsewhere. */
const NOISE = /^Cannot detect function id from aws:cdk:path|Press CTRL\+C to quit/;
/** Lines that explain a failed start. */
const LAST_LINES = 5;
/** Milliseconds for SAM to remove its containers. */
const PATIENCE_MS = 30_000;

/** `sam local start-api`, started. */
export interface SamProcess {
  /** Resolves when it takes requests; rejects with CannotStart when it ends before. */
  readonly running: Promise<void>;
  /** Resolves when it has ended, by `stop` or by itself. */
  readonly ended: Promise<unknown>;
  readonly stop: () => Promise<void>;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Passes its lines on once it runs. @throws CannotStart with its last lines when it ends before */
const untilRunning = (child: Child, say: (line: string) => unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    const held: string[] = [];
    let running = false;
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (NOISE.test(line)) return;
      if (running) say(line);
      else held.push(line);
      running ||= RUNNING.test(line);
      if (running) resolve();
    });
    createInterface({ input: child.stdout }).on('line', say);
    child.once('error', reject);
    child.once('close', () => {
      reject(new CannotStart(`sam local did not start.\n${held.slice(-LAST_LINES).join('\n')}`));
    });
  });

/** Starts `sam local start-api`; its lines are said once it runs. */
export const startSam = (args: readonly string[], env: NodeJS.ProcessEnv, say: (line: string) => void): SamProcess => {
  // A group of its own: Ctrl-C must not end it before its containers are gone.
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
    const impatience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    await ended;
    clearTimeout(impatience);
  };
  // SAM takes its leave with advice on what to do next.
  return { running: untilRunning(child, (line) => stopping || say(line)), ended, stop };
};
