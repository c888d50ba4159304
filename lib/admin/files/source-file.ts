import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { asFileFailure, CommandFailure } from '../command/outcome.ts';

/** By the ending of the file's name; `txt` has a registration a line. */
export type FileFormat = 'csv' | 'ndjson' | 'txt';

/** The file that a command reads. */
export interface SourceFile {
  readonly path: string;
  readonly format: FileFormat;
  readonly bytes: number;
  /** ISO 8601 UTC. */
  readonly changed: string;
}

const WORKBOOK = 'an Excel workbook, not CSV: open it and save the sheet as "CSV UTF-8"';
const UTF16 = 'UTF-16: save it as UTF-8, in Excel as "CSV UTF-8"';

/** Files that are often taken for CSV, by their first bytes. */
const SIGNATURES: readonly (readonly [bytes: string, what: string])[] = [
  // A ZIP file, as .xlsx is; then Excel before 2007.
  ['504b0304', WORKBOOK],
  ['d0cf11e0', WORKBOOK],
  ['fffe', UTF16],
  ['feff', UTF16],
];

/** The format of a file, from its name. @throws CommandFailure when the name has another ending than these */
const formatOf = (path: string, formats: readonly FileFormat[]): FileFormat => {
  const extension = extname(path).toLowerCase();
  const format = formats.find((one) => `.${one}` === extension);
  if (format !== undefined) return format;
  const endings = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(formats.map((one) => `.${one}`));
  const what = /^\.xlsx?$/.test(extension) ? `the file is ${WORKBOOK}` : undefined;
  throw new CommandFailure(`${what ?? `the name of the file must end in ${endings}`}: ${path}`);
};

/** @throws CommandFailure when the file begins as something other than UTF-8 text */
const requireText = async (path: string): Promise<void> => {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    const start = buffer.subarray(0, bytesRead);
    const [, known] = SIGNATURES.find(([bytes]) => start.toString('hex').startsWith(bytes)) ?? [];
    // Without a byte order mark: every second byte of a plain letter is 0.
    const what = known ?? (start.filter((byte) => byte === 0).length > bytesRead / 4 ? UTF16 : undefined);
    if (what !== undefined) throw new CommandFailure(`the file is ${what}: ${path}`);
  } finally {
    await file.close();
  }
};

const factsOf = async (path: string, formats: readonly FileFormat[]): Promise<SourceFile> => {
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

/** @throws CommandFailure when the file does not exist, is not readable, or is not UTF-8 text in one of these formats */
export const openSource = async (path: string, formats: readonly FileFormat[]): Promise<SourceFile> => {
  const source = await factsOf(path, formats);
  await requireText(path);
  return source;
};

/** @throws CommandFailure when the file has changed since it was opened */
export const requireUnchanged = async ({ path, format, bytes, changed }: SourceFile): Promise<void> => {
  const now = await factsOf(path, [format]);
  if (now.bytes !== bytes || now.changed !== changed) {
    throw new CommandFailure(`the file has changed while it was read; run this again: ${path}`);
  }
};
