import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { COMPRESSED, findEncoding, findMark, WORKBOOK } from '../../csv/encoding.ts';
import type { Encoding, TextFile } from '../../csv/text.ts';
import { CommandFailure, FileRefused } from '../command/command-result.ts';
import { asFileFailure } from './file-failure.ts';

/** The format of a file, from the ending of its name; `txt` has a registration a line. */
export type FileFormat = 'csv' | 'ndjson' | 'txt';

/** A file that a command reads. */
export interface SourceFile extends TextFile {
  readonly format: FileFormat;
  readonly bytes: number;
  /** ISO 8601 UTC. */
  readonly changed: string;
}

const findFormat = (path: string, formats: readonly FileFormat[]): FileFormat => {
  const extension = extname(path)
    .toLowerCase()
    .replace(/^\.jsonl$/, '.ndjson');
  const format = formats.find((one) => `.${one}` === extension);
  if (format !== undefined) return format;
  if (/^\.xlsx?$/.test(extension)) throw new FileRefused(`${WORKBOOK}: ${path}`);
  if (/^\.(gz|zip|bz2|xz|zst|7z)$/.test(extension)) throw new FileRefused(`${COMPRESSED}: ${path}`);
  const endings = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(formats.map((one) => `.${one}`));
  throw new FileRefused(`the name of the file must end in ${endings}: ${path}`);
};

const readFacts = async (path: string, formats: readonly FileFormat[]): Promise<Omit<SourceFile, 'encoding'>> => {
  const format = findFormat(path, formats);
  try {
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

/** @throws CommandFailure when it does not exist, is not readable, or is not text in one of these formats */
export const openSource = async (path: string, formats: readonly FileFormat[], given?: Encoding) => {
  const facts = await readFacts(path, formats);
  if (given !== undefined && facts.format === 'ndjson') {
    throw new CommandFailure('--encoding is for a CSV or text file: NDJSON is UTF-8');
  }
  try {
    const isJson = facts.format === 'ndjson';
    const encoding = await findEncoding(path, isJson ? ((await findMark(path)) ?? 'utf-8') : given);
    return { ...facts, encoding };
  } catch (error) {
    throw asFileFailure(error, path);
  }
};

/** @throws CommandFailure when the file has changed since it was opened */
export const requireUnchanged = async ({ path, format, bytes, changed }: SourceFile): Promise<void> => {
  const now = await readFacts(path, [format]);
  if (now.bytes !== bytes || now.changed !== changed) {
    throw new CommandFailure(`the file has changed while it was read; run this again: ${path}`);
  }
};
