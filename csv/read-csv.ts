import { CsvError, parse } from 'csv-parse';
import { MAX_ROW_LENGTH } from './lines.ts';
import { requireHeaderOfRows } from './swallowed-row.ts';
import { readText, type TextFile, UnreadableFile } from './text.ts';

export interface CsvRow {
  /** The line on which the row begins. */
  readonly line: number;
  /** The number of the row as spreadsheets show it, without a `sep=` line. */
  readonly row: number;
  readonly cells: readonly string[];
  /** The last character of the file, when it ends with this row and without a line end. */
  readonly lastCharacter?: string;
}

/** The row that names the columns of a CSV file. */
export interface CsvHeader extends Pick<CsvRow, 'line' | 'row'> {
  readonly delimiter: string;
  /** The rows with text above it. */
  readonly above: readonly CsvRow[];
  readonly names: readonly string[];
  readonly below: readonly string[];
  /** Whether a text is the name of a column, as far as we know. */
  readonly isName: (text: string) => boolean;
}

/** The delimiter of a table that is no CSV: no cell has it. */
export const NO_DELIMITER = '\0';

/** Semicolons come from Excel where the decimal sign is a comma, tabs from copying cells. */
export const DELIMITERS = [',', ';', '\t'] as const;

/** The `sep=` line to write for a delimiter that cannot be detected; otherwise empty. */
export const delimiterLine = (delimiter: string, lineEnd = '\r\n'): string =>
  (DELIMITERS as readonly string[]).includes(delimiter) ? '' : `sep=${delimiter}${lineEnd}`;

const LINE_END = /\r\n|\r|\n/g;

/** A line end in it may be one of rows, because a quote was opened or closed by mistake. */
export const mayContainRows = (cell: string, isUsed: boolean, delimiter: string): boolean =>
  /[\r\n]/.test(cell) && (isUsed || cell.includes(delimiter));

const PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'has a cell that begins with a quote, which is not closed',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'has text after the closing quote of a cell',
};

const asUnreadable = (error: Error, line: number, maxLength: number): Error => {
  const tooLong = `has more than ${maxLength.toLocaleString('en-GB')} characters: a quote may not be closed there`;
  const problems: typeof PROBLEMS = { ...PROBLEMS, CSV_MAX_RECORD_SIZE: tooLong };
  const problem = error instanceof CsvError ? problems[error.code] : undefined;
  return problem === undefined ? error : new UnreadableFile(`the row that begins on line ${line} ${problem}`);
};

/** A table whose cells are known already, such as a sheet of a workbook. */
export interface Table {
  readonly rows: readonly CsvRow[];
}

interface CsvChunk {
  readonly rows: readonly CsvRow[];
  /** Bytes of the file that were read so far. */
  readonly read: number;
}

/** The delimiter of a first row such as `sep=;`. Excel saves it with a delimiter for each column. */
export const declaredDelimiter = (cells: readonly string[], delimiter: string): string | undefined => {
  const [first = '', ...others] = cells;
  const [, declared] = /^sep=([^"]?)$/iu.exec(first.trimEnd()) ?? [];
  return declared === undefined || others.some((cell) => cell.trim() !== '') ? undefined : declared || delimiter;
};

/** Without an expression, whose time would be quadratic in a cell of line ends. */
const withoutLineEnds = (text: string): string => {
  let end = text.length;
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end -= 1;
  return text.slice(0, end);
};

/** The cells with the blanks around them, which the parser drops where a cell has no quotes. */
const withBlanks = (cells: readonly string[], raw: string, delimiter: string): string[] => {
  let at = 0;
  return cells.map((cell) => {
    let begin = at;
    while (raw[begin] !== delimiter && /\s/.test(raw[begin] ?? '')) begin += 1;
    const isQuoted = raw[begin] === '"';
    const end = raw.indexOf(delimiter, isQuoted ? begin + cell.replaceAll('"', '""').length + 2 : at);
    const text = withoutLineEnds(raw.slice(at, end < 0 ? undefined : end));
    at = end + delimiter.length;
    return isQuoted ? cell : text;
  });
};

interface ParseOptions {
  readonly maxLength?: number;
  /** Whether blanks around a cell without quotes are kept. Default: false, which is faster. */
  readonly keepsBlanks?: boolean;
}

/** The rows of a CSV file without blank ones. @throws UnreadableFile when it is unclear where a row ends */
export async function* parseRows(
  file: TextFile | Table,
  delimiter: string,
  { maxLength = MAX_ROW_LENGTH, keepsBlanks = false }: ParseOptions,
): AsyncGenerator<CsvChunk> {
  if ('rows' in file) {
    yield { rows: file.rows, read: 0 };
    return;
  }
  let line = 1;
  let row = 1;
  let rows: CsvRow[] = [];
  let lastCharacter = '';
  const addRow = (record: string[] | { record: string[]; raw: string }): null => {
    const cells = Array.isArray(record) ? record : withBlanks(record.record, record.raw, delimiter);
    if (cells.some((cell) => cell.trim() !== ''))
      rows.push({ line, row, cells, ...(lastCharacter !== '' && { lastCharacter }) });
    const isShown = line > 1 || declaredDelimiter(cells, delimiter) === undefined;
    line += 1 + cells.reduce((count, cell) => count + (cell.match(LINE_END)?.length ?? 0), 0);
    if (isShown) row += 1;
    return null;
  };
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A quote within a cell that does not begin with one is text. Text after a closing quote is an error all the same,
    // because `trim` allows only blanks there.
    relax_quotes: true,
    trim: true,
    max_record_size: maxLength,
    raw: keepsBlanks,
    on_record: addRow,
  });
  // The callbacks of `write` and `end` get every error.
  parser.on('error', () => undefined);
  let read = 0;
  let last = '';
  const takeRows = (): CsvChunk => {
    const chunk = { rows, read };
    rows = [];
    return chunk;
  };
  for await (const { text, read: bytes } of readText(file)) {
    read = bytes;
    last = text.at(-1) ?? last;
    const error = await new Promise<Error | null | undefined>((resolve) => parser.write(text, resolve));
    yield takeRows();
    if (error) throw asUnreadable(error, line, maxLength);
  }
  lastCharacter = /[\r\n]/.test(last) ? '' : last;
  const error = await new Promise<Error | null | undefined>((resolve) => parser.end(resolve));
  yield takeRows();
  if (error) throw asUnreadable(error, line, maxLength);
}

/**
 * The rows below the header of a CSV file, a chunk at a time.
 * @throws UnreadableFile when it is unclear where one ends, at the latest after the last row
 */
export async function* readCsv(
  file: TextFile | Table,
  { delimiter, line, names, isName }: CsvHeader,
  options: ParseOptions = {},
): AsyncGenerator<CsvChunk> {
  let most = 0;
  for await (const { rows, read } of parseRows(file, delimiter, options)) {
    const below = rows.filter((row) => row.line > line);
    most = below.reduce((count, { cells }) => Math.max(count, cells.length), most);
    yield { rows: below, read };
  }
  requireHeaderOfRows(names, isName, most);
}
