import { accessSync, constants } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { CommandFailure } from '../command/command-result.ts';
import { asFileFailure } from '../files/file-failure.ts';

/** Kilobytes that SQLite keeps in memory. */
const CACHE_KB = 16_384;
/** The primary result code of SQLite for a full disk. */
const FULL = 13;

/** What helps when a folder for temporary files cannot be used. */
export const ELSEWHERE = '--staging DIR names another folder';

/** An error of SQLite as a message for operators; any other error is returned unchanged. */
export const asStagingFailure = (error: unknown, folder: string, remedy: string): unknown => {
  const { errcode } = error as { readonly errcode?: unknown };
  if (typeof errcode !== 'number') return error;
  // The low byte of an extended code is the primary one.
  const what = (errcode & 0xff) === FULL ? 'there is no room left' : 'temporary files cannot be written or read';
  return new CommandFailure(`${what} in ${folder}; ${remedy}`, { cause: error });
};

/**
 * A database in a file without a name, which is deleted as soon as it is open: so it is gone however the process ends. A process
 * uses one folder, that of its first database. @throws CommandFailure when the folder cannot be used
 */
export const openStagingDatabase = (folder: string): DatabaseSync => {
  try {
    // SQLite itself would go on in the system's folder, which may be small or in memory.
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const failure = asFileFailure(error, folder);
    if (!(failure instanceof CommandFailure)) throw failure;
    throw new CommandFailure(`the rows cannot be staged, and nothing was done: ${failure.message}; ${ELSEWHERE}`);
  }
  process.env.SQLITE_TMPDIR = folder;
  const db = new DatabaseSync('');
  // No log, no waiting for the disk: nothing is continued.
  db.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${CACHE_KB}; BEGIN`);
  return db;
};
