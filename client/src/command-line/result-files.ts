import { randomUUID } from 'node:crypto';
import { lstatSync, statSync } from 'node:fs';
import { access, constants, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { readColumnNames } from '../../../csv/header.ts';
import { delimiterLine } from '../../../csv/read-csv.ts';
import { CannotRun, reasonOf } from './failure.ts';
import type { FleetFile } from './fleet-file.ts';

/** Registrations are personal data: only the owner may read them. */
const OWNER_ONLY = 0o600;
/** The byte order mark, without which Excel takes a file for one of Windows-1252. */
const MARK = '\ufeff';

export const addedColumns = (columns: readonly string[], header: readonly string[]): string[] =>
  columns.map((name) => {
    let free = name;
    for (let nth = 2; header.includes(free); nth += 1) free = `${name}_${nth}`;
    return free;
  });

/** CSV in the format of the input. Formulas are escaped, because spreadsheet programs would run them. */
export const csvText = (
  rows: readonly (readonly string[])[],
  { delimiter, lineEnd }: Pick<FleetFile, 'delimiter' | 'lineEnd'>,
): string =>
  delimiterLine(delimiter, lineEnd) +
  stringify(rows as string[][], {
    delimiter,
    record_delimiter: lineEnd,
    // Without this, only cells with the file's own line end are quoted.
    quoted_match: /[\r\n]/,
    escape_formulas: true,
  });

const explainWriteErrors = async <Value>(path: string, write: () => Promise<Value>): Promise<Value> => {
  try {
    return await write();
  } catch (error) {
    throw new CannotRun(`${path} cannot be written (${reasonOf(error)}).`);
  }
};

interface Replaceable {
  readonly path: string;
  /** The input, which is never overwritten. */
  readonly source: string;
  /** Whether a file with this header is an earlier one of its kind. */
  readonly isOwn: (header: readonly string[]) => boolean;
  readonly force: boolean;
}

/**
 * @throws CannotRun unless there is nothing, an empty file or an earlier one of its kind; with `force`, any file but
 * the input may be there
 */
export const assertReplaceable = async ({ path, source, isOwn, force }: Replaceable): Promise<void> => {
  await explainWriteErrors(path, () => access(dirname(path), constants.W_OK));
  const found = await explainWriteErrors(path, async () => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  if (found === undefined) return;
  if (found.isDirectory()) throw new CannotRun(`${path} is a folder: name a file.`);
  if (!found.isFile()) throw new CannotRun(`${path} is a link or a device, not a file: name another one.`);
  const input = statSync(source, { bigint: true, throwIfNoEntry: false });
  // Compares inodes, because a file can have several hard links.
  if (found.dev === input?.dev && found.ino === input.ino) {
    throw new CannotRun(`${path} is the input, which would be overwritten: name another file.`);
  }
  if (force || found.size === 0n) return;
  if (isOwn(await explainWriteErrors(path, () => readColumnNames({ path, encoding: 'utf-8' })))) return;
  throw new CannotRun(`${path} exists and is not an earlier result: name another file, or overwrite it with --force.`);
};

interface ResultFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Writes files whole: each under a temporary name beside its own, and then, after `announce`, renames them in this
 * order. When something fails before that, every earlier file stays. @throws CannotRun
 */
export const replaceFiles = async (files: readonly ResultFile[], announce: () => Promise<void>): Promise<void> => {
  // The temporary name is short, however long the name of the file is.
  const written = files.map((file) => ({ ...file, temporary: join(dirname(file.path), `check-${randomUUID()}.tmp`) }));
  try {
    for (const { path, text, temporary } of written) {
      const marked = /[^\0-\x7f]/.test(text) ? MARK + text : text;
      await explainWriteErrors(path, () => writeFile(temporary, marked, { flag: 'wx', mode: OWNER_ONLY, flush: true }));
    }
    await announce();
    for (const { path, temporary } of written) await explainWriteErrors(path, () => rename(temporary, path));
  } finally {
    for (const { temporary } of written) await rm(temporary, { force: true });
  }
};
