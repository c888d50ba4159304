/**
 * CSV (RFC 4180) by csv-parse, which takes 16 µs for a row of 105 bytes, byte by byte; splitting a text that has no quote
 * takes one. So only rows with a quote are for the library.
 */
import { CsvError, parse } from 'csv-parse/sync';
import { CommandFailure } from '../command/outcome.ts';
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

/** One record. With an issue the cells are as good as they could be read. */
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

/** The records of these texts, one of each. */
export const parseRecords = (texts: readonly string[], delimiter: string): CsvRecord[] => {
  const quoted = parseEach(texts.filter(hasQuote), delimiter);
  let next = 0;
  return texts.map((text) => {
    if (!hasQuote(text)) return { cells: text.split(delimiter) };
    next += 1;
    return quoted[next - 1] ?? { cells: [] };
  });
};

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

const hasOddQuotes = (text: string): boolean => hasQuote(text) && text.split('"').length % 2 === 0;

/**
 * Joins lines to records: a record ends with the line on which its quotes are even. A row with a stray quote is a record too;
 * but when a quote that opens a field is not closed as it should be, nobody knows where the next row begins.
 */
export const csvRecords = () => {
  let held: string[] = [];
  let heldLength = 0;
  let begunOn = 0;
  let openedOn = 0;

  const unclosed = (): CommandFailure =>
    new CommandFailure(
      `the quote that opens a field on line ${openedOn} is not closed as it should be; nothing was changed`,
    );

  const continueRecord = ({ line, text }: RowText, delimiter: string | undefined): RowText | undefined => {
    held.push(text);
    heldLength += text.length;
    if (heldLength > MAX_ROW_LENGTH) throw unclosed();
    if (!hasOddQuotes(text)) {
      // A field was closed and the next one opened.
      if (text.replaceAll('""', '').includes('"')) openedOn = line;
      return undefined;
    }
    const record = { line: begunOn, text: withoutReturn(held.join('\n')) };
    held = [];
    if (delimiter !== undefined && typeof recordsOrError(record.text, delimiter) === 'string') throw unclosed();
    return record;
  };

  return {
    /** The record that a line completes; undefined for a blank line and within a record. @throws CommandFailure */
    add: (line: RowText, delimiter: string | undefined): RowText | undefined => {
      if (held.length > 0) return continueRecord(line, delimiter);
      if (line.text.trim() === '') return undefined;
      const isOpen =
        hasOddQuotes(line.text) && (delimiter === undefined || recordsOrError(line.text, delimiter) === NOT_CLOSED);
      if (!isOpen || line.text.length > MAX_ROW_LENGTH) return { line: line.line, text: withoutReturn(line.text) };
      held = [line.text];
      heldLength = line.text.length;
      begunOn = line.line;
      openedOn = line.line;
      return undefined;
    },

    /** @throws CommandFailure when a record is not complete at the end of the file */
    end: (): void => {
      if (held.length > 0) throw unclosed();
    },
  };
};
