import { createHash } from 'node:crypto';
import { type BigIntStats, createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { TextDecoder } from 'node:util';
import { CsvError, parse } from 'csv-parse';
import { CannotRun, reasonOf } from './failure.ts';

/** A CSV file with a header line and a column of registrations. */
export interface FleetFile {
  readonly header: readonly string[];
  /** The index of the column of registrations. */
  readonly column: number;
  readonly rowCount: number;
  readonly delimiter: string;
  readonly lineEnd: string;
  /** Whether the result needs a byte order mark for Excel. */
  readonly hasMark: boolean;
  /** SHA-256 of the file. */
  readonly hash: string;
  /** Metadata of the file before it was first read. */
  readonly stats: BigIntStats;
  /** @throws CannotRun when the file has changed since it was first read */
  readonly assertUnchanged: () => Promise<void>;
  /** The rows below the header, from index `from`. Reads the file again. */
  readonly rows: (from?: number) => AsyncGenerator<string[]>;
}

/** Excel writes semicolons where the decimal sign is a comma; tabs come from copied cells. */
const DELIMITERS = [',', ';', '\t'];
/** A first line that sets the delimiter for Excel, such as `sep=;`. */
const DELIMITER_LINE = /^"?sep=([^"])"?/i;
/** Characters. After an unclosed quote the rest of the file would be one cell. */
const MAX_RECORD_LENGTH = 1_000_000;
/** First bytes of .xlsx and of .xls. */
const WORKBOOKS = ['504b0304', 'd0cf11e0'];
const MARKS = { 'utf-8': 'efbbbf', 'utf-16le': 'fffe', 'utf-16be': 'feff' };

/** Whether the next bytes are valid; without bytes, whether the text may end here. */
const isValid = (decoder: TextDecoder, chunk?: Buffer): boolean => {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined });
    return true;
  } catch {
    return false;
  }
};

/** The hash of a file and its encoding: Unicode, or Windows-1252, in which Excel saves plain CSV. */
const scan = async (path: string) => {
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let start = '';
  let isUtf8 = true;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    start ||= chunk.subarray(0, 4).toString('hex');
    isUtf8 &&= isValid(decoder, chunk);
  }
  // The file may end within a character.
  isUtf8 &&= isValid(decoder);
  if (WORKBOOKS.includes(start)) throw new CannotRun(`${path} is an Excel workbook: save the sheet as "CSV UTF-8".`);
  const [marked] = Object.entries(MARKS).find(([, mark]) => start.startsWith(mark)) ?? [];
  const encoding = marked ?? (isUtf8 ? 'utf-8' : 'windows-1252');
  return { encoding, hasMark: marked !== undefined || !isUtf8, hash: hash.digest('hex') };
};

async function* textOf(path: string, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>)
    yield decoder.decode(chunk, { stream: true });
}

const firstLines = async (path: string, encoding: string): Promise<string> => {
  for await (const text of textOf(path, encoding)) return text;
  return '';
};

const nameKey = (name: string): string => name.replace(/[\s_.-]/g, '').toLowerCase();

/** Names of a column of registrations, without spaces and in lower case: the operators' `import` has the same. */
const REGISTRATION_NAMES = [
  ...['registration', 'registrationno', 'registrationnumber', 'registrationmark', 'reg', 'regno', 'regnumber'],
  ...['vehicleregistration', 'vehicleregistrationnumber', 'vehicleregistrationmark', 'vehiclereg', 'vrm', 'vrn'],
  ...['plate', 'numberplate', 'licenceplate', 'licenseplate'],
];

const quoted = (names: readonly string[]): string =>
  names
    .filter((name) => name.trim() !== '')
    .map((name) => JSON.stringify(name))
    .join(', ');

/** @throws CannotRun that lists the columns of the file, or those of which each could be the one */
export const findColumn = (path: string, header: readonly string[], wanted: string | undefined): number => {
  const known = wanted === undefined ? REGISTRATION_NAMES : [nameKey(wanted)];
  const found = header.filter((name) => known.includes(nameKey(name)));
  if (wanted === undefined && found.length > 1) {
    throw new CannotRun(
      `${path} has several columns that could be the registration: choose one of ${quoted(found)} with --column.`,
    );
  }
  const [name] = found;
  if (name !== undefined) return header.indexOf(name);
  // A name with a digit may be the first vehicle of a file without a header.
  if (wanted === undefined && header.length === 1 && !/\d/.test(`${header}`)) return 0;
  throw new CannotRun(
    `${path} has no column "${wanted ?? 'registration'}" in its first line, which must name the columns: choose one of ${quoted(header)} with --column.`,
  );
};

/** Opens a CSV file, and reads it whole to validate it and to count its rows. @throws CannotRun when it is missing or not CSV, or what `find` throws */
export const openFleet = async (path: string, find: (header: readonly string[]) => number): Promise<FleetFile> => {
  try {
    const stats = await stat(path, { bigint: true });
    const assertUnchanged = async (): Promise<void> => {
      const present = await stat(path, { bigint: true }).catch(() => undefined);
      const isSame = (['dev', 'ino', 'size', 'mtimeNs'] as const).every((name) => present?.[name] === stats[name]);
      if (!isSame) throw new CannotRun(`${path} has changed during the check: run the same command to begin again.`);
    };
    const { encoding, hasMark, hash } = await scan(path);
    const start = await firstLines(path, encoding);
    const [, declared] = DELIMITER_LINE.exec(start) ?? [];
    const [first = ''] = start.replace(/"[^"]*"/g, '').split(/[\r\n]/);
    const count = (delimiter: string) => first.split(delimiter).length;
    const delimiter = declared ?? DELIMITERS.reduce((best, one) => (count(one) > count(best) ? one : best));
    const options = {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      // Excel writes such rows for cells that were cleared. They do not count for `from`.
      skip_records_with_empty_values: true,
      max_record_size: MAX_RECORD_LENGTH,
      from: declared === undefined ? 1 : 2,
    };
    const records = (from: number): AsyncIterable<string[]> => {
      const parser = parse({ ...options, from: options.from + from });
      // Errors reach the reader of the parser.
      return pipeline(Readable.from(textOf(path, encoding)), parser, () => undefined);
    };
    let header: string[] | undefined;
    let rowCount = -1;
    for await (const record of records(0)) {
      header ??= record;
      rowCount += 1;
    }
    if (header === undefined) throw new CannotRun(`${path} is empty.`);
    const column = find(header);
    const lineEnd = /\r?\n|\r/.exec(start)?.[0] ?? '\n';
    const rows = async function* (from = 0) {
      yield* records(from + 1);
    };
    return { header, column, rowCount, delimiter, lineEnd, hasMark, hash, stats, assertUnchanged, rows };
  } catch (error) {
    if (error instanceof CannotRun) throw error;
    if (error instanceof CsvError)
      throw new CannotRun(`${path} is not CSV: a quote is not closed near line ${error.lines}.`);
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CannotRun(isMissing ? `There is no file ${path}.` : `${path} cannot be read (${reasonOf(error)}).`);
  }
};
