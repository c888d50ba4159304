/**
 * The database file beside a file of an operator, in which its rows are staged: `FILE.<hash of table and options>.sqlite`.
 * Only its owner may read it, and only one process has it open.
 */
import { createHash } from 'node:crypto';
import { type BigIntStats, closeSync, lstatSync, openSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { CommandFailure } from '../command/command-result.ts';
import { asFileFailure } from '../files/file-failure.ts';
import { PRIVATE_FILE } from '../files/output-file.ts';

const HASH_LENGTH = 16;
/** Kilobytes of the file that SQLite keeps in memory. */
const CACHE_KB = 16_384;
/** Milliseconds for another run to make way: of two that open the file in the same moment each has a part of the lock. */
const LOCK_TIMEOUT_MS = 250;
/** Endings of the names of the write-ahead log, its index and the file, which goes last: without it another run may begin. */
const ENDINGS = ['-wal', '-shm', ''];

/** Primary result codes of SQLite. */
const ERROR = 1;
const BUSY = 5;
const FULL = 13;
const DAMAGED = [11, 26];

/** What helps when the same command would fail again. */
export const RESTART = '--restart begins with a new one';
const ELSEWHERE = '--staging DIR puts it into another folder';

/** Rows of the staging file are not as they were staged. */
export class DamagedStaging extends Error {
  readonly errcode = DAMAGED[0];
}

const codeOf = (error: unknown): number | undefined => {
  const { errcode } = error as { readonly errcode?: unknown };
  // The low byte of an extended code is the primary one.
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
};

/** An error of SQLite as a message for operators; any other error is returned unchanged. */
export const asStagingFailure = (error: unknown, path: string, elsewhere = ELSEWHERE): unknown => {
  const code = codeOf(error);
  if (code === undefined) return error;
  const failure = (sentence: string) => new CommandFailure(sentence, { cause: error });
  if (code === BUSY) return failure(`another run works with this file and table: ${path} is in use`);
  if (code === FULL) return failure(`the disk is full: ${path}; ${elsewhere}`);
  if (code === ERROR || DAMAGED.includes(code)) {
    return failure(`the staging file is damaged: ${path}; ${RESTART}`);
  }
  return failure(`the staging file cannot be read or written: ${path}; ${elsewhere}`);
};

/** Where the rows of a file are staged. `use` is what must differ between two staging files: the table and the options. */
export const stagingPlace = (path: string, folder: string | undefined, use: readonly unknown[]) => {
  // Files of the same name can share a staging folder.
  const names = folder === undefined ? use : [...use, dirname(resolve(path))];
  const hash = createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, HASH_LENGTH);
  return { hash, path: join(folder ?? dirname(path), `${basename(path)}.${hash}.sqlite`) };
};

/** The staging files of other runs with this file. */
export const otherStagingFiles = (staging: string): string[] => {
  const own = basename(staging);
  const withoutHash = (name: string): string => name.replace(/[0-9a-f]{16}\.sqlite$/, '');
  return readdirSync(dirname(staging))
    .filter((name) => name !== own && name.endsWith('.sqlite') && withoutHash(name) === withoutHash(own))
    .map((name) => join(dirname(staging), name));
};

/** Removes the file by its name, while this run has it locked: without a lock it could be another run's. */
export const removeStaging = (path: string): void => {
  for (const ending of ENDINGS) rmSync(path + ending, { force: true });
};

/** Another run has created or replaced the file in the same moment. */
const inUse = (): Error => Object.assign(new Error('another run has replaced the file'), { errcode: BUSY });

/**
 * The facts of the file; undefined when there is none.
 * @throws CommandFailure when the name belongs to another user's file, or to no regular file
 */
const factsOf = (path: string): BigIntStats | undefined => {
  const facts = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (facts === undefined) return undefined;
  if (!facts.isFile()) throw new CommandFailure(`this is not the staging file of a run, but has its name: ${path}`);
  if (process.getuid && Number(facts.uid) !== process.getuid()) {
    throw new CommandFailure(`the staging file belongs to another user: ${path}; ${ELSEWHERE}`);
  }
  return facts;
};

/** Whether the file has not been replaced. Numbers of inodes are used again, so the time of birth counts too. */
const isSame = (before: BigIntStats | undefined, after: BigIntStats | undefined): boolean =>
  before !== undefined && before.ino === after?.ino && before.birthtimeNs === after.birthtimeNs;

const create = (path: string): void => {
  try {
    // O_EXCL does not follow a symbolic link.
    closeSync(openSync(path, 'wx', PRIVATE_FILE.mode));
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? inUse() : error;
  }
};

/** Opens and locks the file, and begins a transaction. The lock ends with the process, however it ends. */
const openLocked = (path: string, found: BigIntStats | undefined): DatabaseSync => {
  // SQLite sorts in temporary files: beside this one, because the system's folder may be small or in memory.
  process.env.SQLITE_TMPDIR = dirname(path);
  let db: DatabaseSync | undefined;
  try {
    // `rw` creates no file in the place of one that another run has just removed.
    db = new DatabaseSync(new URL('?mode=rw', pathToFileURL(path)), { timeout: LOCK_TIMEOUT_MS });
    // With an exclusive lock the log needs no shared memory, which network shares do not support.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    db.exec(`PRAGMA cache_size = -${CACHE_KB}; BEGIN IMMEDIATE`);
    // Another run may have replaced the file before it was locked. The inode is enough while it is open; some file systems
    // have no time of birth, and Node gives that of the last change.
    if (factsOf(path)?.ino !== found?.ino) throw inUse();
    return db;
  } catch (error) {
    db?.close();
    throw isSame(found, factsOf(path)) ? error : inUse();
  }
};

/**
 * Opens the file of a stopped run, or creates a new one. `unusable` gets what is in the file and says why it cannot be
 * continued, as a clause, which is returned as `replaced`.
 * @throws CommandFailure when another run has it open, when it belongs to another user or cannot be created
 */
export const openStagingFile = (path: string, unusable: (db: DatabaseSync) => string | undefined) => {
  let replaced: string | undefined;
  try {
    const found = factsOf(path);
    if (found !== undefined) {
      let db: DatabaseSync | undefined;
      replaced = 'its staging file is damaged';
      try {
        db = openLocked(path, found);
        replaced = unusable(db);
        if (replaced === undefined) return { db, replaced };
      } catch (error) {
        if (![ERROR, ...DAMAGED].includes(codeOf(error) ?? 0)) {
          db?.close();
          throw error;
        }
      }
      removeStaging(path);
      // SQLite removes the log at closing only when the file still has its name: the new log stays.
      db?.close();
    }
    create(path);
    try {
      return { db: openLocked(path, factsOf(path)), replaced };
    } catch (error) {
      if (codeOf(error) !== BUSY) removeStaging(path);
      throw error;
    }
  } catch (error) {
    const failure = asFileFailure(error, path);
    if (failure === error || !(failure instanceof CommandFailure)) throw asStagingFailure(error, path);
    throw new CommandFailure(`the staging file cannot be created: ${failure.message}; ${ELSEWHERE}`, { cause: error });
  }
};
