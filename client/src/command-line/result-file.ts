import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants, lstatSync } from 'node:fs';
import { access, type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readColumnNames } from '../../../csv/read-csv.ts';
import { CannotRun, reasonOf } from './failure.ts';

/** Registrations are personal data: only the owner may read them. */
const OWNER_ONLY = 0o600;
/** Characters of text, or bytes of a file. */
const BUFFER_LENGTH = 65_536;
/** The byte order mark, without which Excel takes a file for one of Windows-1252. */
const MARK = '\ufeff';

/** @throws CannotRun with the system's reason when a file cannot be written */
const writing = async <Value>(path: string, write: () => Promise<Value>): Promise<Value> => {
  try {
    return await write();
  } catch (error) {
    throw new CannotRun(`${path} cannot be written (${reasonOf(error)}).`);
  }
};

/** Of a link, not of its target; undefined when nothing has this name. */
const readStat = async (path: string) => lstatSync(path, { bigint: true, throwIfNoEntry: false });

/** A file that the command may overwrite. */
interface Replaceable {
  readonly path: string;
  /** The input, which is never overwritten. */
  readonly input: Pick<BigIntStats, 'dev' | 'ino'>;
  /** Whether a file with this header is an earlier result. */
  readonly isOwn: (header: readonly string[]) => boolean;
  readonly force: boolean;
}

/**
 * @throws CannotRun unless there is nothing, an empty file or an earlier result; with `force`, any file but the input
 * may be there
 */
export const assertReplaceable = async ({ path, input, isOwn, force }: Replaceable): Promise<void> => {
  await writing(path, () => access(dirname(path), constants.W_OK));
  const found = await writing(path, () => readStat(path));
  if (found === undefined) return;
  if (found.isDirectory()) throw new CannotRun(`${path} is a folder: name a file.`);
  if (!found.isFile()) throw new CannotRun(`${path} is a link or a device, not a file: name another one.`);
  // Compares inodes, because a file can have several hard links.
  if (found.dev === input.dev && found.ino === input.ino) {
    throw new CannotRun(`${path} is the input, which would be overwritten: name another file.`);
  }
  if (force || found.size === 0n) return;
  if (isOwn(await writing(path, () => readColumnNames({ path, encoding: 'utf-8' })))) return;
  throw new CannotRun(`${path} exists and is not an earlier result: name another file, or overwrite it with --force.`);
};

/** Writes a byte order mark before the content of a file. */
const insertMark = async (file: FileHandle): Promise<void> => {
  let rest: Buffer = Buffer.from(MARK);
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BUFFER_LENGTH), 0, BUFFER_LENGTH, at);
    const moved = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    if (bytesRead === 0) return file.appendFile(rest);
    // No write is short: these bytes are in the file already.
    await file.write(moved, 0, bytesRead, at);
    rest = moved.subarray(bytesRead);
    at += bytesRead;
  }
};

/** A file that is written whole: what was there stays until it is replaced. */
export interface OutputFile {
  readonly write: (text: string) => Promise<void>;
  /** Writes what is left and, unless the text is ASCII or begins with one, a byte order mark before it. */
  readonly complete: () => Promise<void>;
  /** @throws CannotRun when the complete file must not take its place */
  readonly assertReplaceable: () => Promise<void>;
  /** Renames the complete file to its path. */
  readonly rename: () => Promise<void>;
  /** Deletes the temporary file. Does nothing once it is renamed. */
  readonly discard: () => Promise<void>;
}

/** Opens a temporary file in the folder of a file that it is to replace. @throws CannotRun */
export const openOutputFile = async (replaceable: Replaceable): Promise<OutputFile> => {
  const { path } = replaceable;
  // Nobody else can guess the name, and it is short whatever the length of the other one.
  const temporary = join(dirname(path), `check-${randomBytes(16).toString('hex')}.tmp`);
  const file = await writing(path, () => open(temporary, 'wx+', OWNER_ONLY));
  const { dev, ino } = await file.stat({ bigint: true });
  const isUnchanged = async () => {
    const found = await readStat(temporary);
    return found?.dev === dev && found.ino === ino;
  };
  let pending = '';
  let needsMark = false;
  let hasMark: boolean | undefined;
  const flush = () =>
    writing(path, async () => {
      await file.appendFile(pending);
      pending = '';
    });

  return {
    write: async (text) => {
      hasMark ??= text.startsWith(MARK);
      needsMark ||= /[^\0-\x7f]/.test(text);
      pending += text;
      if (pending.length >= BUFFER_LENGTH) await flush();
    },
    complete: async () => {
      await flush();
      await writing(path, async () => {
        if (needsMark && !hasMark) await insertMark(file);
        await file.sync();
      });
    },
    assertReplaceable: async () => {
      await assertReplaceable(replaceable);
      if (await writing(path, isUnchanged)) return;
      throw new CannotRun(
        `Another run writes ${path}: the temporary file of this one, ${temporary}, is no longer its own.`,
      );
    },
    rename: () =>
      writing(path, async () => {
        // Windows cannot rename an open file.
        await file.close();
        await rename(temporary, path);
      }),
    discard: async () => {
      if (await isUnchanged()) await rm(temporary, { force: true });
      await file.close();
    },
  };
};

/** Replaces files in this order, or none of them when one must not be replaced. @throws CannotRun */
export const replaceFiles = async (files: readonly OutputFile[]): Promise<void> => {
  for (const file of files) await file.assertReplaceable();
  for (const file of files) await file.rename();
};
