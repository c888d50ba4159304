import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { TextDecoder } from 'node:util';
import { CommandFailure } from '../command/command-result.ts';
import { asFileFailure } from './file-failure.ts';

/** The format of a file, from the ending of its name; `txt` has a registration a line. */
export type FileFormat = 'csv' | 'ndjson' | 'txt';

/** How the characters of a file are written. */
type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** The file that a command reads. */
export interface SourceFile {
  readonly path: string;
  readonly format: FileFormat;
  readonly encoding: Encoding;
  readonly bytes: number;
  /** ISO 8601 UTC. */
  readonly changed: string;
}

const WORKBOOK = 'an Excel workbook, not CSV: open it and save the sheet as "CSV UTF-8"';
const UTF16 = 'UTF-16 without a byte order mark: save it as UTF-8, in Excel as "CSV UTF-8"';

/** Files that are often taken for CSV, by their first bytes: a ZIP file, as .xlsx is; then Excel before 2007. */
const WORKBOOKS = ['504b0304', 'd0cf11e0'];
/** Byte order marks. */
const MARKS = { 'utf-8': 'efbbbf', 'utf-16le': 'fffe', 'utf-16be': 'feff' } as const;
/** Bytes from the beginning that show what a file is. */
const START_BYTES = 64;

/** The format of a file, from its name. @throws CommandFailure when the name has another ending than these */
const formatOf = (path: string, formats: readonly FileFormat[]): FileFormat => {
  const extension = extname(path).toLowerCase();
  const format = formats.find((one) => `.${one}` === extension);
  if (format !== undefined) return format;
  const endings = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(formats.map((one) => `.${one}`));
  const what = /^\.xlsx?$/.test(extension) ? `the file is ${WORKBOOK}` : undefined;
  throw new CommandFailure(`${what ?? `the name of the file must end in ${endings}`}: ${path}`);
};

/** Whether the next bytes are valid; without bytes, whether the text may end here. */
const isValid = (decoder: TextDecoder, chunk?: Buffer): boolean => {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined });
    return true;
  } catch {
    return false;
  }
};

/**
 * A file without a mark is UTF-8 when all of it is valid, otherwise Windows-1252, in which Excel saves plain CSV. JSON is never
 * Windows-1252. @throws CommandFailure when the file begins as something other than text
 */
const encodingOf = async (path: string, format: FileFormat): Promise<Encoding> => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    if (isFirst) {
      const start = chunk.subarray(0, START_BYTES);
      const bytes = start.toString('hex');
      const [marked] = Object.entries(MARKS).find(([, mark]) => bytes.startsWith(mark)) ?? [];
      if (marked !== undefined) return marked as Encoding;
      // Every second byte of a plain letter is 0.
      const isWide = start.filter((byte) => byte === 0).length > start.length / 4;
      const what = WORKBOOKS.some((one) => bytes.startsWith(one)) ? WORKBOOK : isWide ? UTF16 : undefined;
      if (what !== undefined) throw new CommandFailure(`the file is ${what}: ${path}`);
      if (format === 'ndjson') return 'utf-8';
    }
    isFirst = false;
    if (!isValid(decoder, chunk)) return 'windows-1252';
  }
  return isValid(decoder) ? 'utf-8' : 'windows-1252';
};

const factsOf = async (path: string, formats: readonly FileFormat[]): Promise<Omit<SourceFile, 'encoding'>> => {
  const format = formatOf(path, formats);
  try {
    await access(path, constants.R_OK);
    const facts = await stat(path);
    if (facts.isDirectory()) throw new CommandFailure(`that is a folder, not a file: ${path}`);
    if (!facts.isFile()) {
      throw new CommandFailure(`it is read more than once, so it must be a file, not a pipe: ${path}`);
    }
    return { path, format, bytes: facts.size, changed: facts.mtime.toISOString() };
  } catch (error) {
    throw asFileFailure(error, path);
  }
};

/** @throws CommandFailure when the file does not exist, is not readable, or is not text in one of these formats */
export const openSource = async (path: string, formats: readonly FileFormat[]): Promise<SourceFile> => {
  const facts = await factsOf(path, formats);
  return { ...facts, encoding: await encodingOf(path, facts.format) };
};

/** @throws CommandFailure when the file has changed since it was opened */
export const requireUnchanged = async ({ path, format, bytes, changed }: SourceFile): Promise<void> => {
  const now = await factsOf(path, [format]);
  if (now.bytes !== bytes || now.changed !== changed) {
    throw new CommandFailure(`the file has changed while it was read; run this again: ${path}`);
  }
};
