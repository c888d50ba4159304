import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CannotRun } from './failure.ts';

/** When several processes start at the same time, the one with the lowest pid waits for the others to give up. */
const ATTEMPTS = 10;
const PAUSE_MS = 100;

/** Whether a process is running on this machine, also as another user. */
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Deletes a lock. Locks are empty: a file with content is kept, whatever its name. */
const release = async (file: string): Promise<void> => {
  const found = await lstat(file).catch(() => undefined);
  if (found?.size === 0) await rm(file, { force: true });
};

/** The running processes, other than this one, that have a lock on a file. Deletes the locks of processes that were killed. */
const otherHolders = async (path: string): Promise<number[]> => {
  const holders: number[] = [];
  // File names are case-insensitive on Windows and macOS.
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
 * Prevents other processes on this machine from writing the same file, until the returned function is called. Each process
 * creates its own lock, `PATH.<pid>.lock`, before it looks for others, so that none takes over the lock of a killed process.
 * @throws CannotRun when another process has a lock
 */
export const lock = async (path: string): Promise<() => Promise<void>> => {
  const own = `${path}.${process.pid}.lock`;
  const unlock = () => release(own);
  // A killed process may have had the same pid.
  await unlock();
  await writeFile(own, '', { flag: 'wx', mode: 0o600 });
  for (let attempt = 1; ; attempt += 1) {
    const holders = await otherHolders(path);
    const [lowest] = holders.toSorted((a, b) => a - b);
    if (lowest === undefined) return unlock;
    if (attempt === ATTEMPTS || process.pid > lowest) {
      await unlock();
      throw new CannotRun(
        `Process ${lowest} is writing ${path}: wait for it, or choose another --out; if it is not a check, delete ${path}.${lowest}.lock.`,
      );
    }
    await setTimeout(PAUSE_MS);
  }
};
