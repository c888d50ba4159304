import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CannotRun } from './failure.ts';

/** Of several runs that start at the same time, the one with the lowest pid waits for the others to give up. */
const ATTEMPTS = 10;
const PAUSE_MS = 100;

/** Whether a process of this machine runs, perhaps as another user. */
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Deletes a lock, which is always empty: no other file is lost because it has such a name. */
const release = async (file: string): Promise<void> => {
  const found = await lstat(file).catch(() => undefined);
  if (found?.size === 0) await rm(file, { force: true });
};

/** The running processes, other than this one, that have a lock on a file. Deletes the locks of those that were killed. */
const otherHolders = async (path: string): Promise<number[]> => {
  const holders: number[] = [];
  // Windows and macOS ignore the case of names.
  const start = `${basename(path)}.`.toLowerCase();
  for (const name of await readdir(dirname(path))) {
    const [, digits] = /\.(\d+)\.lock$/.exec(name) ?? [];
    const pid = Number(digits);
    if (name.toLowerCase() !== `${start}${digits}.lock` || pid === process.pid) continue;
    if (isRunning(pid)) holders.push(pid);
    else await release(`${path}.${pid}.lock`);
  }
  return holders;
};

/**
 * Keeps other runs on this machine from writing the same file until the returned function is called. Each run has a lock of
 * its own, `PATH.<pid>.lock`, made before it looks for others: none has to take over the lock of a killed run.
 */
export const lock = async (path: string): Promise<() => Promise<void>> => {
  const own = `${path}.${process.pid}.lock`;
  const unlock = () => release(own);
  // Of a killed process that had the same pid.
  await unlock();
  await writeFile(own, '', { flag: 'wx', mode: 0o600 });
  for (let attempt = 1; ; attempt += 1) {
    const holders = await otherHolders(path);
    const [lowest] = holders.toSorted((a, b) => a - b);
    if (lowest === undefined) return unlock;
    if (attempt === ATTEMPTS || process.pid > lowest) {
      await unlock();
      throw new CannotRun(
        `Process ${lowest} writes ${path}: wait for it, or choose another --out; if it is no check, delete ${path}.${lowest}.lock.`,
      );
    }
    await setTimeout(PAUSE_MS);
  }
};
