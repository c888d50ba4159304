import { CsvError, parse } from 'csv-parse';
import { MAX_ROW_LENGTH } from './lines.ts';
import { readText, type TextFile, UnreadableFile } from './text.ts';

export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/** The row that names the columns of a CSV file. */
export interface CsvHeader {
  readonly delimiter: string;
  readonly line: number;
  readonly above: number;
  readonly names: readonly string[];
  readonly below: readonly string[];
}

/** Semicolons come from Excel where the decimal sign is a comma, tabs from copying cells. */
const DELIMITERS = [',', ';', '\t'] as const;

/** The `sep=` line to write for a delimiter that cannot be detected; otherwise empty. */
export const delimiterLine = (delimiter: string, lineEnd = '\r\n'): string =>
  (DELIMITERS as readonly string[]).includes(delimiter) ? '' : `sep=${delimiter}${lineEnd}`;

const LINE_END = /\r\n|\r|\n/g;

/** A line end in it may be one of rows, because a quote was opened or closed by mistake. */
export const mayHideRow = (cell: string, isUsed: boolean, delimiter: string): boolean =>
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

interface CsvChunk {
  readonly rows: readonly CsvRow[];
  /** Bytes of the file that were read so far. */
  readonly read: number;
}

/** The rows of a CSV file without blank ones. @throws UnreadableFile when it is unclear where a row ends */
async function* parseRows(file: TextFile, delimiter: string, maxLength: number): AsyncGenerator<CsvChunk> {
  let line = 1;
  let rows: CsvRow[] = [];
  const addRow = (cells: string[]): null => {
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line, cells });
    line += 1 + cells.reduce((count, cell) => count + (cell.match(LINE_END)?.length ?? 0), 0);
    return null;
  };
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A quote within a cell that does not begin with one is text. Text after a closing quote is an error all the same,
    // because `rtrim` allows only blanks there.
    relax_quotes: true,
    rtrim: true,
    max_record_size: maxLength,
    on_record: addRow,
  });
  // The callbacks of `write` and `end` get every error.
  parser.on('error', () => undefined);
  let read = 0;
  const takeRows = (): CsvChunk => {
    const chunk = { rows, read };
    rows = [];
    return chunk;
  };
  for await (const { text, read: bytes } of readText(file)) {
    read = bytes;
    const error = await new Promise<Error | null | undefined>((resolve) => parser.write(text, resolve));
    yield takeRows();
    if (error) throw asUnreadable(error, line, maxLength);
  }
  const error = await new Promise<Error | null | undefined>((resolve) => parser.end(resolve));
  yield takeRows();
  if (error) throw asUnreadable(error, line, maxLength);
}

/** The first rows, as many as there are before a problem. @throws UnreadableFile when the first one has a problem */
const readFirstRows = async (file: TextFile, delimiter: string, count: number): Promise<CsvRow[]> => {
  const found: CsvRow[] = [];
  try {
    for await (const { rows } of parseRows(file, delimiter, MAX_ROW_LENGTH)) {
      found.push(...rows.slice(0, count - found.length));
      if (found.length === count) break;
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile) || found.length === 0) throw error;
  }
  return found;
};

/** The delimiter of a first line such as `sep=;`. Excel saves it with a delimiter for each column. */
const declaredDelimiter = ({ cells }: CsvRow, delimiter: string): string | undefined => {
  const [first = '', ...others] = cells;
  const [, declared] = /^sep=([^"]?)$/iu.exec(first) ?? [];
  return declared === undefined || others.some((cell) => cell.trim() !== '') ? undefined : declared || delimiter;
};

interface HeaderOptions {
  /** Number of rows in which the header is searched by its known names. Default: 1. */
  readonly searched?: number;
  /** The line of the header, which is then not searched. */
  readonly headerLine?: number | undefined;
}

interface Candidate extends CsvHeader {
  readonly known: number;
  readonly filled: number;
  /** Whether several cells have text and another row has as many cells. A title has one, or a delimiter of its own. */
  readonly isOfTable: boolean;
}

const candidatesOf = (rows: readonly CsvRow[], delimiter: string, isKnown: (name: string) => boolean): Candidate[] =>
  rows.map(({ line, cells }, above) => {
    const filled = cells.filter((cell) => cell.trim() !== '').length;
    const isAlone = rows.every((row) => row.line === line || row.cells.length !== cells.length);
    return {
      delimiter,
      line,
      above,
      names: cells,
      below: rows[above + 1]?.cells ?? [],
      known: cells.filter(isKnown).length,
      filled,
      isOfTable: filled > 1 && !isAlone,
    };
  });

/**
 * The better candidate first: the first row of a table with a known name; without any, the first with the most cells.
 */
const compareCandidates = (a: Candidate, b: Candidate): number => {
  const isUnknown = a.known === 0 && b.known === 0;
  return (
    Number(b.known > 0) - Number(a.known > 0) ||
    (isUnknown ? b.filled - a.filled : Number(b.isOfTable) - Number(a.isOfTable)) ||
    a.line - b.line ||
    b.known - a.known ||
    b.names.length - a.names.length
  );
};

/**
 * Finds the row that names the columns; undefined for a file without any text. Without a `sep=` line the delimiter is
 * the one with the most known columns, then the one with the most columns.
 * @throws UnreadableFile
 */
export const readHeader = async (
  file: TextFile,
  isKnown: (name: string) => boolean,
  { searched = 1, headerLine }: HeaderOptions = {},
): Promise<CsvHeader | undefined> => {
  const candidates: Candidate[] = [];
  let failure: unknown;
  const count = headerLine ?? searched;
  for (const delimiter of DELIMITERS) {
    try {
      const [first, ...others] = await readFirstRows(file, delimiter, count + 1);
      if (first === undefined) continue;
      const declared = declaredDelimiter(first, delimiter);
      const rows =
        declared === undefined ? [first, ...others] : (await readFirstRows(file, declared, count + 2)).slice(1);
      candidates.push(...candidatesOf(rows, declared ?? delimiter, isKnown).slice(0, count));
      if (declared !== undefined) break;
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      failure ??= error;
    }
  }
  const [best] = candidates
    // Read with a wrong delimiter, an empty row has cells with punctuation only.
    .filter(({ names }) => names.some((name) => /[\p{L}\p{N}]/u.test(name)))
    .filter(({ line }) => headerLine === undefined || line === headerLine)
    .toSorted(compareCandidates);
  // Read with another delimiter, a header with a wrong quote is one cell.
  if (failure !== undefined && (best === undefined || best.names.length === 1)) throw failure;
  if (best === undefined) return undefined;
  const { delimiter, line, above, names, below } = best;
  if (names.some((name) => mayHideRow(name, false, delimiter))) {
    throw new UnreadableFile(
      `line ${line}, which names the columns, has a line end within a name that seems to be a row: a quote may be missing`,
    );
  }
  return { delimiter, line, above, names, below };
};

/**
 * The rows below the header of a CSV file, a chunk at a time.
 * @throws UnreadableFile when it is unclear where one ends
 */
export async function* readCsv(
  file: TextFile,
  { delimiter, line }: CsvHeader,
  maxLength = MAX_ROW_LENGTH,
): AsyncGenerator<CsvChunk> {
  for await (const { rows, read } of parseRows(file, delimiter, maxLength)) {
    yield { rows: rows.filter((row) => row.line > line), read };
  }
}

/** The names of the columns of a CSV file; none when it is empty or no CSV. Reads only its beginning. */
export const readColumnNames = async (file: TextFile): Promise<readonly string[]> => {
  try {
    return (await readHeader(file, () => false))?.names ?? [];
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return [];
  }
};
