import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { normaliseRegistration, registrationIssue } from '../../core/vehicles/registration.ts';
import { findEncoding, findMark, parseEncoding } from '../../csv/encoding.ts';
import type { LineChunk } from '../../csv/lines.ts';
import { CHUNK_BYTES, type ReadBytes, type TextFile, UnreadableFile } from '../../csv/text.ts';
import { CommandFailure, FileRefused } from '../command/command-result.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import type { FileOptions } from './file-options.ts';

/** The format of a file, from the ending of its name before `.gz`; `txt` has a registration a line. */
export type FileFormat = 'csv' | 'ndjson' | 'txt';

/** A file that a command reads, or lines of NDJSON in its place. The path is then empty. */
export interface SourceFile extends TextFile {
  readonly format: FileFormat;
  /** Reads the lines, if they are not those of the file. */
  readonly readLines?: () => AsyncIterable<LineChunk>;
  readonly bytes: number;
  /** When the file was changed; empty for a source that is not compared with a later state. */
  readonly changed: string;
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'access to the file is denied',
  EPERM: 'access to the file is denied',
  EISDIR: 'that is a folder, not a file',
  // Node's code when `rm` is called on a folder.
  ERR_FS_EISDIR: 'that is a folder, not a file',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the name is too long, so give the file that is read a shorter one',
  EFBIG: 'the file would be too large for the disk or its limit',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk cannot be written to',
};

/** An error of the file system or a file's content as a message; any other error is returned unchanged. */
export const asFileFailure = (error: unknown, path: string): unknown => {
  if (error instanceof UnreadableFile) {
    return new FileRefused(`${error.message}; nothing was changed: ${path}`, { cause: error });
  }
  const reason = FILE_ERRORS[(error as NodeJS.ErrnoException | undefined)?.code ?? ''];
  return reason === undefined ? error : new CommandFailure(`${reason}: ${path}`, { cause: error });
};

const GZIP_NAME = /\.gz$/i;
export const BYTES_PER_GIGABYTE = 1e9;
const CUT_OFF = 'the compressed file is cut off: copy it again, or compress it again';
const DAMAGED = 'the compressed file is damaged, or it is no gzip file';

/** Reads what is in a file of gzip, which may have several members. @param maxGigabytes of what is in it */
const gunzipped = (maxGigabytes = Number.POSITIVE_INFINITY): ReadBytes =>
  async function* (path) {
    const file = createReadStream(path, { highWaterMark: CHUNK_BYTES });
    const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
    let unpacked = 0;
    try {
      // An error of either ends the loop, and its end closes both.
      for await (const bytes of pipeline(file, gunzip, () => undefined) as AsyncIterable<Buffer>) {
        unpacked += bytes.length;
        if (unpacked > maxGigabytes * BYTES_PER_GIGABYTE) {
          throw new UnreadableFile(`it has more than ${maxGigabytes} GB, unpacked, the maxGigabytes of its entry`);
        }
        yield { bytes, read: file.bytesRead };
      }
    } catch (error) {
      const code = String((error as NodeJS.ErrnoException).code);
      throw code.startsWith('Z_') ? new UnreadableFile(code === 'Z_BUF_ERROR' ? CUT_OFF : DAMAGED) : error;
    }
    // Node leaves out what follows zeros behind a member.
    if (gunzip.bytesWritten < file.bytesRead) throw new UnreadableFile(DAMAGED);
  };

/** How the bytes of a compressed file are read; undefined for any other name. */
export const gzipReader = (path: string, maxGigabytes?: number): ReadBytes | undefined =>
  GZIP_NAME.test(path) ? gunzipped(maxGigabytes) : undefined;

const findFormat = (path: string, formats: readonly FileFormat[]): FileFormat => {
  const extension = extname(path.replace(GZIP_NAME, '')).toLowerCase().replace('.jsonl', '.ndjson');
  const format = formats.find((one) => `.${one}` === extension);
  if (format !== undefined) return format;
  const endings = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(formats.map((one) => `.${one}`));
  throw new FileRefused(`the name of the file must end in ${endings}, which .gz may follow: ${path}`);
};

const readFacts = async (path: string): Promise<Pick<SourceFile, 'bytes' | 'changed'>> => {
  const facts = await stat(path);
  if (facts.isDirectory()) throw new CommandFailure(`that is a folder, not a file: ${path}`);
  if (!facts.isFile()) throw new CommandFailure(`it is read more than once, so it must be a file, not a pipe: ${path}`);
  return { bytes: facts.size, changed: facts.mtime.toISOString() };
};

/** @throws CommandFailure for an option that a file of this format does not have */
export const requireFormat = (format: FileFormat, { encoding, map }: Pick<FileOptions, 'encoding' | 'map'>): void => {
  if (encoding !== undefined && format === 'ndjson') {
    throw new CommandFailure('--encoding is for a CSV or text file: NDJSON is UTF-8');
  }
  if (map.length > 0 && format !== 'csv') throw new CommandFailure('--map names columns of a CSV file');
};

/** Lines of NDJSON in place of a file. */
export const sourceOf = (lines: readonly string[]): SourceFile => ({
  path: '',
  format: 'ndjson',
  encoding: 'utf-8',
  bytes: 0,
  changed: '',
  async *readLines() {
    yield { lines: lines.map((text, nth) => ({ line: nth + 1, text, end: '' })), read: 0 };
  },
});

/** The values of `--registration` in place of a file. @throws CommandFailure for an invalid one */
export const registrationSource = (registrations: readonly string[]): SourceFile =>
  sourceOf(
    registrations.map((registration, index) => {
      if (normaliseRegistration(registration) !== undefined) return JSON.stringify({ registration });
      throw new CommandFailure(`registration ${index + 1} ${registrationIssue(registration)}; nothing was changed`);
    }),
  );

export const openSource = async (
  path: string,
  formats: readonly FileFormat[],
  options: Pick<FileOptions, 'encoding' | 'map' | 'maxGigabytes' | 'format'>,
  { notice }: Pick<CommandContext, 'notice'>,
): Promise<SourceFile> => {
  const given = options.encoding && parseEncoding(options.encoding);
  try {
    const facts = await readFacts(path);
    const readBytes = gzipReader(path, options.maxGigabytes);
    // Files of a source may have any name.
    const formatOfName = () => (options.format === undefined ? findFormat(path, formats) : 'ndjson');
    // The message about the bytes of a .tar.gz would be that about UTF-16.
    if (readBytes !== undefined) formatOfName();
    // Checked before the name, because the message about a workbook or a compressed file is more helpful.
    const mark = await findMark(path, given, readBytes);
    const format = formatOfName();
    requireFormat(format, options);
    const encoding = await findEncoding(path, format === 'ndjson' ? (mark ?? 'utf-8') : given, readBytes);
    if (given === undefined && encoding === 'windows-1252') {
      notice('The file is not UTF-8: it is read as Windows-1252.');
    }
    return { path, format, encoding, readBytes, ...facts };
  } catch (error) {
    throw asFileFailure(error, path);
  }
};

export const requireUnchanged = async ({ path, bytes, changed }: SourceFile): Promise<void> => {
  if (changed === '') return;
  const now = await readFacts(path);
  if (now.bytes !== bytes || now.changed !== changed) {
    throw new CommandFailure(`the file has changed while it was read; run this again: ${path}`);
  }
};
