/**
 * CSV (RFC 4180) by csv-parse, which takes 16 µs for a row of 105 bytes, byte by byte; splitting a text that has no quote
 * takes one. So only rows with a quote are for the library.
 */
import { CsvError, parse } from 'csv-parse/sync';
import { CommandFailure } from '../command/command-result.ts';
import { MAX_ROW_LENGTH } from './lines.ts';
import type { RowText } from './row.ts';

const NOT_CLOSED = 'CSV_QUOTE_NOT_CLOSED';
const STRAY_QUOTE = 'the row has a quote inside a field that is not quoted';
const ISSUES: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'the row has text after the closing quote of a field',
  INVALID_OPENING_QUOTE: STRAY_QUOTE,
};

/** The records of a text, or the code of csv-parse for what is wrong with one. */
const recordsOrError = (text: string, delimiter: string): string[][] | string => {
  try {
    return parse(text, { delimiter, record_delimiter: ['\r\n', '\n'], relax_column_count: true });
  } catch (error) {
    if (error instanceof CsvError) return error.code;
    throw error;
  }
};

/** One record. With an issue, its cells are a best effort. */
export interface CsvRecord {
  readonly cells: readonly string[];
  readonly issue?: string;
}

const parseOne = (text: string, delimiter: string): CsvRecord => {
  const found = recordsOrError(text, delimiter);
  if (typeof found !== 'string') return { cells: found[0] ?? [] };
  return { cells: text.replaceAll('"', '').split(delimiter), issue: ISSUES[found] ?? STRAY_QUOTE };
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

/** The records of these texts, one of each. */
export const parseRecords = (texts: readonly string[], delimiter: string): CsvRecord[] => {
  const quoted = parseEach(texts.filter(hasQuote), delimiter).values();
  return texts.map((text) => (hasQuote(text) ? quoted.next().value : undefined) ?? { cells: text.split(delimiter) });
};

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

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

/**
 * Joins lines to records: a record ends with the line on which its quotes are even. A row with a stray quote is a record too;
 * but when a quote that opens a field is not closed as it should be, nobody knows where the next row begins.
 */
export const csvRecords = () => {
  /** The record whose quotes are not even yet, and the line on which its last quote opened. */
  let open: { readonly line: number; readonly text: string; readonly openedOn: number } | undefined;

  const requireClosed = (): void => {
    if (open === undefined) return;
    throw new CommandFailure(
      `the quote that opens a field on line ${open.openedOn} is not closed as it should be; nothing was changed`,
    );
  };

  return {
    /** The record that a line completes; undefined for a blank line and within a record. @throws CommandFailure */
    add: ({ line, text }: RowText, delimiter: string | undefined): RowText | undefined => {
      const isOdd = hasOddQuotes(text);
      if (open === undefined) {
        if (text.trim() === '') return undefined;
        const isOpen = isOdd && (delimiter === undefined || recordsOrError(text, delimiter) === NOT_CLOSED);
        if (!isOpen) return { line, text: withoutReturn(text) };
        open = { line, text, openedOn: line };
        // What follows a line that was not read whole may be in its quoted field.
        if (text.length > MAX_ROW_LENGTH) requireClosed();
        return undefined;
      }
      // With even quotes a field may have been closed and the next one opened.
      const isReopened = !isOdd && hasQuote(text.replaceAll('""', ''));
      open = { ...open, text: `${open.text}\n${text}`, ...(isReopened && { openedOn: line }) };
      if (open.text.length > MAX_ROW_LENGTH) requireClosed();
      if (!isOdd) return undefined;
      const record = { line: open.line, text: withoutReturn(open.text) };
      if (delimiter !== undefined && typeof recordsOrError(record.text, delimiter) === 'string') requireClosed();
      open = undefined;
      return record;
    },

    /** @throws CommandFailure when the last record of the file is not complete */
    requireClosed,
  };
};
