import { type TextFile, UnreadableFile } from './encoding.ts';
import { LINE_END, type Line, type RowText, readLines } from './lines.ts';
import { csvRecords, parseRecords } from './records.ts';

/** The line of a CSV file that names its columns. */
export interface CsvHeader {
  readonly delimiter: string;
  /** As it is in the file. */
  readonly text: string;
  readonly names: readonly string[];
  /** Empty when there is nothing below it. */
  readonly lineEnd: string;
}

/** Rows below the header, as they are in the file, and the bytes read so far. */
interface CsvChunk {
  readonly header: CsvHeader;
  readonly rows: readonly RowText[];
  readonly read: number;
}

/** Semicolons come from Excel where the decimal sign is a comma, tabs from copying cells. */
const DELIMITERS = [',', ';', '\t'] as const;
/** A first line that gives Excel the delimiter. Excel saves it with a delimiter for each column. */
const DELIMITER_LINE = /^"?sep=([^"\r])"?[,;\t]*$/i;

/** The `sep=` line to write for a delimiter that cannot be detected; otherwise empty. */
export const delimiterLine = (delimiter: string, lineEnd = '\r\n'): string =>
  (DELIMITERS as readonly string[]).includes(delimiter) ? '' : `sep=${delimiter}${lineEnd}`;

/** `Valid From`, `VALID_FROM` and `validFrom` are the same name. */
export const nameKey = (name: string): string => name.replace(/[\s_.-]/g, '').toLowerCase();

/** Usual names of a column of registrations other than `registration`. */
export const REGISTRATION_NAMES = [
  ...['registration no', 'registration number', 'registration mark', 'reg', 'reg no', 'reg number', 'vrm', 'vrn'],
  ...['vehicle registration', 'vehicle registration number', 'vehicle registration mark', 'vehicle reg'],
  ...['plate', 'number plate', 'licence plate', 'license plate'],
];

const REGISTRATION_KEYS = new Set(['registration', ...REGISTRATION_NAMES].map(nameKey));
const REGISTRATION = /^ *(?=[^\d]*\d)[a-zäöüå\d](?:[ -]?[a-zäöüå\d]){1,11} *$/i;

const countQuotes = (text: string): number => text.split('"').length - 1;

/**
 * Two stray quotes make one cell of all rows between them, and that is valid CSV.
 * @throws UnreadableFile when a line within a record has the cells of a row, with a quoted registration in its place
 */
const requireNoRowInside = (
  { line, text }: RowText,
  { names, delimiter }: Pick<CsvHeader, 'names' | 'delimiter'>,
  isKnown: (name: string) => boolean,
): void => {
  const named = names.findIndex((name) => REGISTRATION_KEYS.has(nameKey(name)));
  const at = named < 0 ? names.findIndex(isKnown) : named;
  let quotes = 0;
  for (const [index, inner] of text.split(LINE_END).entries()) {
    const cells = inner.split(delimiter);
    const isQuoted = (quotes + countQuotes(cells.slice(0, at).join(delimiter))) % 2 === 1;
    quotes += countQuotes(inner);
    const isRow = cells.length === names.length && REGISTRATION.test((cells[at] ?? '').replaceAll('"', ''));
    if (index === 0 || !isQuoted || !isRow) continue;
    throw new UnreadableFile(
      `a quote opens a cell on line ${line} or below and is closed only after line ${line + index}, which looks like a row of its own`,
    );
  }
};

/** Unless a delimiter is given, the one with the most known columns is used, then the one with the most columns. */
const readHeader = (
  { line, text, end: lineEnd }: Line,
  given: string | undefined,
  isKnown: (name: string) => boolean,
): CsvHeader => {
  const candidates = (given === undefined ? DELIMITERS : [given]).flatMap((delimiter) => {
    const [{ cells, issue } = { cells: [] }] = parseRecords([text], delimiter);
    return issue === undefined ? [{ delimiter, text, names: cells, lineEnd, known: cells.filter(isKnown).length }] : [];
  });
  const [best] = candidates.toSorted((a, b) => b.known - a.known || b.names.length - a.names.length);
  if (best === undefined) throw new UnreadableFile(`line ${line}, which names the columns, has a quote inside a name`);
  const [first = ''] = text.replaceAll('"', '').split(LINE_END);
  // With a stray quote the names may be fewer or more than on the line.
  requireNoRowInside({ line, text }, { ...best, names: first.split(best.delimiter) }, isKnown);
  return best;
};

/**
 * The rows of a CSV file, a chunk at a time, without blank lines; nothing for an empty file. `isKnown` recognises names
 * of columns. @throws UnreadableFile when it is unclear where a row ends
 */
export async function* readCsv(file: TextFile, isKnown: (name: string) => boolean): AsyncGenerator<CsvChunk> {
  const records = csvRecords();
  let delimiter: string | undefined;
  let header: CsvHeader | undefined;
  for await (const { lines, read } of readLines(file)) {
    const rows: RowText[] = [];
    for (const line of lines) {
      const record = records.add(line, header?.delimiter);
      if (record === undefined) continue;
      if (header !== undefined) {
        requireNoRowInside(record, header, isKnown);
        rows.push(record);
      } else {
        const [, declared] = (delimiter === undefined && DELIMITER_LINE.exec(record.text)) || [];
        if (declared === undefined) header = readHeader(record, delimiter, isKnown);
        else delimiter = declared;
      }
    }
    if (header !== undefined) yield { header, rows, read };
  }
  records.requireClosed(header?.delimiter);
}

/** The names of the columns of a CSV file; none when it is empty or no CSV. Reads only its beginning. */
export const readColumnNames = async (file: TextFile): Promise<readonly string[]> => {
  try {
    for await (const { header } of readCsv(file, () => false)) return header.names;
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
  }
  return [];
};
