/** CSV (RFC 4180). csv-parse takes 16 µs for 105 bytes, `split` 1 µs: only rows with a quote go to the library. */
import { CsvError, parse } from 'csv-parse/sync';
import { UnreadableFile } from './encoding.ts';
import { LINE_END, type Line, MAX_ROW_LENGTH, type RowText } from './lines.ts';

const NOT_CLOSED = 'CSV_QUOTE_NOT_CLOSED';
const STRAY_QUOTE = 'the row has a quote inside a cell that is not quoted';
const ISSUES: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'the row has text after the closing quote of a cell',
  INVALID_OPENING_QUOTE: STRAY_QUOTE,
};

/** One record. With an issue its quotes are wrong, and its cells are a best effort. */
export interface CsvRecord {
  readonly cells: readonly string[];
  readonly issue?: string;
}

/** The records of a text, or the code of csv-parse for what is wrong with one. */
const recordsOrError = (text: string, delimiter: string): string[][] | string => {
  try {
    return parse(text, { delimiter, record_delimiter: ['\r\n', '\n', '\r'], relax_column_count: true });
  } catch (error) {
    if (error instanceof CsvError) return error.code;
    throw error;
  }
};

const parseOne = (text: string, delimiter: string): CsvRecord => {
  const found = recordsOrError(text, delimiter);
  if (typeof found !== 'string' && found.length === 1) return { cells: found[0] ?? [] };
  const issue = typeof found === 'string' ? ISSUES[found] : undefined;
  return { cells: text.replaceAll('"', '').split(delimiter), issue: issue ?? STRAY_QUOTE };
};

const parseEach = (texts: readonly string[], delimiter: string): CsvRecord[] => {
  if (texts.length === 0) return [];
  const records = recordsOrError(texts.join('\n'), delimiter);
  return typeof records !== 'string' && records.length === texts.length
    ? records.map((cells) => ({ cells }))
    : texts.map((text) => parseOne(text, delimiter));
};

const hasQuote = (text: string): boolean => text.includes('"');

const hasOddQuotes = (text: string): boolean => hasQuote(text) && text.split('"').length % 2 === 0;

/** One record for each text. */
export const parseRecords = (texts: readonly string[], delimiter: string): CsvRecord[] => {
  const quoted = parseEach(texts.filter(hasQuote), delimiter).values();
  return texts.map((text) => (hasQuote(text) ? quoted.next().value : undefined) ?? { cells: text.split(delimiter) });
};

const isBlank = (cell: string): boolean => cell.trim() === '';

/** Spreadsheet programs write such rows for cells that were cleared. */
export const isEmpty = ({ cells, issue }: CsvRecord): boolean => issue === undefined && cells.every(isBlank);

/** Whether a row has more cells than the header names. Spreadsheet programs write blank ones after the last column. */
export const hasTooManyCells = ({ cells }: CsvRecord, columns: number): boolean => !cells.slice(columns).every(isBlank);

/** The text of a record after its first cells. */
export const withoutCells = (text: string, delimiter: string, count: number): string => {
  let start = 0;
  for (let cell = 0; cell < count; cell += 1) {
    let end = text.indexOf(delimiter, start);
    // A delimiter inside quotes does not end the cell.
    while (end >= 0 && hasOddQuotes(text.slice(start, end))) end = text.indexOf(delimiter, end + 1);
    start = end < 0 ? text.length : end + 1;
  }
  return text.slice(start);
};

const QUOTED = /"[^"]*(?:""[^"]*)*"/y;

/** The line of the first field whose quotes are wrong. */
const wrongLine = ({ line, text }: RowText, delimiter: string | undefined): number => {
  let at = 0;
  while (delimiter !== undefined && at < text.length) {
    QUOTED.lastIndex = at;
    const found = text.indexOf(delimiter, at);
    const end = text[at] === '"' ? at + (QUOTED.exec(text)?.[0].length ?? 0) : found < 0 ? text.length : found;
    const isRight = text[at] === '"' ? end > at : !hasQuote(text.slice(at, end));
    if (!isRight || ![delimiter, undefined].includes(text[end])) break;
    at = end + 1;
  }
  return line + text.slice(0, at).split(LINE_END).length - 1;
};

/**
 * Joins lines to records: a record ends with the line on which its quotes are even. A row with a stray quote is a
 * record too. After a quote that opens a cell and is not closed properly, it is unclear where the next row begins.
 */
export const csvRecords = () => {
  /** The record whose quotes are not even yet. */
  let open: Line | undefined;

  const requireClosed = (delimiter: string | undefined): void => {
    if (open === undefined) return;
    const line = wrongLine(open, delimiter);
    throw new UnreadableFile(`the quote that opens a cell on line ${line} is not closed as it should be`);
  };

  return {
    /** The record that a line completes; undefined for a blank line and within a record. @throws UnreadableFile */
    add: (next: Line, delimiter: string | undefined): Line | undefined => {
      const { line, text, end } = next;
      const isOdd = hasOddQuotes(text);
      if (open === undefined) {
        if (text.trim() === '') return undefined;
        const isOpen = isOdd && (delimiter === undefined || recordsOrError(text, delimiter) === NOT_CLOSED);
        if (isOpen) open = next;
        if (text.length <= MAX_ROW_LENGTH) return isOpen ? undefined : next;
        requireClosed(delimiter);
        throw new UnreadableFile(`line ${line} is longer than ${MAX_ROW_LENGTH.toLocaleString('en-GB')} characters`);
      }
      open = { line: open.line, text: `${open.text}${open.end}${text}`, end };
      if (open.text.length > MAX_ROW_LENGTH) requireClosed(delimiter);
      if (!isOdd) return undefined;
      if (delimiter !== undefined && parseOne(open.text, delimiter).issue !== undefined) requireClosed(delimiter);
      const record = open;
      open = undefined;
      return record;
    },

    /** @throws UnreadableFile when the last record of the file is not complete */
    requireClosed,
  };
};
