import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { stringify } from 'csv-stringify/sync';
import { delimiterLine } from '../../csv/read-csv.ts';
import { CommandFailure } from '../command/command-result.ts';
import { inBatches } from '../records/run-concurrently.ts';
import { type CsvLayout, escapeFormula, REJECTION_COLUMNS } from './columns.ts';
import type { RejectedRow } from './rows.ts';
import { asFileFailure } from './source-file.ts';

/** Only the owner may read these files. An older file must be deleted first, because it keeps its mode. */
export const PRIVATE_FILE = { mode: 0o600 };

type Texts = Iterable<string> | AsyncIterable<string>;

/**
 * Writes a file that only its owner may read. The file gets its final name when it is complete.
 * @param findName returns the final name; called when the file is complete
 * @throws CommandFailure when it cannot be written; AbortError when the signal ends it
 */
const write = async (path: string, texts: Texts, findName: () => Promise<string>, signal?: AbortSignal) => {
  // A random name, so that two commands that write the same file do not share a temporary one.
  const temporary = join(dirname(path), `admin-${randomBytes(16).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', PRIVATE_FILE.mode);
    await pipeline(Readable.from(texts), file.createWriteStream(), { ...(signal && { signal }) });
    const name = await findName();
    await rename(temporary, name);
    return name;
  } catch (error) {
    await rm(temporary, { force: true });
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw asFileFailure(error, path);
    throw new CommandFailure(`there is no such folder: ${dirname(path)}`, { cause: error });
  }
};

export const writeOutput = (path: string, texts: Texts, { signal }: { readonly signal?: AbortSignal } = {}) =>
  write(path, texts, async () => path, signal);

/**
 * Opens a new file `PATH.WHAT.ENDING`, or `PATH.WHAT-2.ENDING` and so on when there is one.
 * @param isReplaced whether an existing file is deleted, so that the new one gets its name
 */
export const openBeside = async (
  path: string,
  what: string,
  ending: string,
  isReplaced: (name: string) => Promise<boolean> = async () => false,
): Promise<readonly [name: string, file: FileHandle]> => {
  let nth = 1;
  for (;;) {
    const name = `${path}.${what}${nth === 1 ? '' : `-${nth}`}.${ending}`;
    try {
      return [name, await open(name, 'wx', PRIVATE_FILE.mode)];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw asFileFailure(error, name);
    }
    if (await isReplaced(name)) await rm(name);
    else nth += 1;
  }
};

/** Writes a file that `openBeside` names. @returns its name */
const writeBeside = (path: string, what: string, ending: string, texts: Texts): Promise<string> =>
  write(`${path}.${what}.${ending}`, texts, async () => {
    // Reserves the name, until the complete file replaces this empty one.
    const [name, file] = await openBeside(path, what, ending);
    await file.close();
    return name;
  });

/** A list of registrations, which names the file that it is written to. */
export type WrittenList = 'missing' | 'damaged' | 'removed' | 'not-there' | 'changed-since' | 'not-loaded';

/** Writes registrations to a file beside `path`, which `remove` can read. @returns its name @throws CommandFailure */
export const writeRegistrations = (
  path: string,
  list: WrittenList,
  registrations: Iterable<string>,
): Promise<string> => {
  const lines = Iterator.from(registrations).map((registration) => `${registration}\n`);
  return writeBeside(path, list, 'txt', lines);
};

/** Rows that are written together. */
const PAGE_ROWS = 500;

async function* csvTexts({ delimiter, header }: CsvLayout, rejections: Iterable<RejectedRow>): AsyncGenerator<string> {
  const options = { delimiter, record_delimiter: '\r\n', quoted_match: /[\r\n]|\s$/ };
  // The byte order mark tells Excel that the file is UTF-8.
  yield `\uFEFF${delimiterLine(delimiter)}`;
  yield stringify([[...REJECTION_COLUMNS, ...header.map(escapeFormula)]], options);
  for await (const page of inBatches(rejections, PAGE_ROWS)) {
    const cellsOf = ({ row, reasons }: RejectedRow) => [`${row.line}`, reasons.join(' | '), ...row.given];
    yield stringify(
      page.map((one) => cellsOf(one).map(escapeFormula)),
      options,
    );
  }
}

const jsonText = ({ row: { line, given, fields }, reasons }: RejectedRow): string => {
  // A line that is not a JSON object is written as a string.
  const row = Object.keys(fields).length > 0 ? given : JSON.stringify(given);
  return `{"line":${line},"reasons":${JSON.stringify(reasons)},"row":${row}}\n`;
};

/**
 * Writes at least one rejected row. For a table the output is CSV with `line`, `reason` and the row, which can be
 * corrected and imported. For NDJSON it is NDJSON with `line`, `reasons` and `row`. @returns its name
 */
export const writeRejected = (path: string, rejections: Iterable<RejectedRow>, layout?: CsvLayout): Promise<string> =>
  layout
    ? writeBeside(path, 'rejected', 'csv', csvTexts(layout, rejections))
    : writeBeside(path, 'rejected', 'ndjson', Iterator.from(rejections).map(jsonText));
