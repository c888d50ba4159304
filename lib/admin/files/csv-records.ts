import { type Line, MAX_HELD_LENGTH } from './lines.ts';

/** A CSV record (RFC 4180) that is being read. */
interface CsvRecord {
  readonly delimiter: string;
  readonly fields: string[];
  /** The beginning of a quoted field that continues on the next line. */
  open: string | undefined;
}

/** Complete; open, because a quoted field continues on the next line; or invalid. */
type CsvProgress = 'complete' | 'open' | { readonly issue: string };

const newCsvRecord = (delimiter: string): CsvRecord => ({ delimiter, fields: [], open: undefined });

const TEXT_AFTER_QUOTE = { issue: 'the row has text after the closing quote of a field' };
const STRAY_QUOTE = { issue: 'the row has a quote inside a field that is not quoted' };

/** The end of a quoted field, read from inside it; -1 when it continues on the next line. */
const readQuoted = (record: CsvRecord, line: string, start: number): number => {
  let from = start;
  for (let quote = line.indexOf('"', from); quote >= 0; quote = line.indexOf('"', from)) {
    const isDoubled = line[quote + 1] === '"';
    record.open += line.slice(from, isDoubled ? quote + 1 : quote);
    from = quote + (isDoubled ? 2 : 1);
    if (isDoubled) continue;
    record.fields.push(record.open ?? '');
    record.open = undefined;
    return from;
  }
  record.open += `${line.slice(from)}\n`;
  return -1;
};

const isLineEnd = (line: string, at: number): boolean =>
  at === line.length || (at === line.length - 1 && line[at] === '\r');

/** Reads an unquoted field; returns the beginning of the next one, or -1 after the last. */
const readPlain = (record: CsvRecord, line: string, start: number): number => {
  const delimiter = line.indexOf(record.delimiter, start);
  const end = delimiter < 0 ? line.length - (line.endsWith('\r') ? 1 : 0) : delimiter;
  record.fields.push(line.slice(start, end));
  return delimiter < 0 ? -1 : delimiter + 1;
};

/** Adds a line to a record. Most lines have no quote and cost no more than a split. */
const addLine = (record: CsvRecord, line: string): CsvProgress => {
  let at = 0;
  for (;;) {
    const isQuoted = record.open !== undefined || line[at] === '"';
    if (isQuoted) {
      if (record.open === undefined) {
        record.open = '';
        at += 1;
      }
      at = readQuoted(record, line, at);
      if (at < 0) return 'open';
      if (isLineEnd(line, at)) return 'complete';
      if (line[at] !== record.delimiter) return TEXT_AFTER_QUOTE;
      at += 1;
    } else {
      at = readPlain(record, line, at);
      if (record.fields.at(-1)?.includes('"')) return STRAY_QUOTE;
      if (at < 0) return 'complete';
    }
  }
};

/** The cells of a line that is read as a whole record, such as a header. */
export const splitLine = (line: string, delimiter: string): readonly string[] => {
  const record = newCsvRecord(delimiter);
  addLine(record, line);
  return record.fields;
};

/** A CSV record, or a line that belongs to no valid record, with the reason. */
export interface CsvText {
  readonly line: number;
  readonly text: string;
  readonly fields: readonly string[];
  readonly issue?: string;
}

export const CUT_LINE_ISSUE = `the line is longer than ${MAX_HELD_LENGTH.toLocaleString('en-GB')} characters`;
const UNCLOSED_ISSUE = 'the row opens a quoted field that is not closed as it should be';

const withoutReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text);

/**
 * Joins lines to CSV records. An unclosed quote would make the rest of the file one field: the line that opens it is returned
 * with an issue, and the next lines are read again. No CSV library can go back like that.
 */
export const csvRecords = (delimiter: string) => {
  let held: Line[] = [];
  let heldLength = 0;
  let record = newCsvRecord(delimiter);

  const reset = (): Line[] => {
    const lines = held;
    held = [];
    heldLength = 0;
    record = newCsvRecord(delimiter);
    return lines;
  };

  /** Returns the first pending line with an issue; the others must be read again. */
  const recover = (issue: string, out: CsvText[]): Line[] => {
    const [first, ...others] = reset();
    if (first) {
      out.push({
        line: first.number,
        text: withoutReturn(first.text),
        fields: splitLine(first.text, delimiter),
        issue: others.length > 0 ? UNCLOSED_ISSUE : issue,
      });
    }
    return others;
  };

  const finish = (out: CsvText[]): void => {
    const { fields } = record;
    const lines = reset();
    const text = lines.length === 1 ? (lines[0]?.text ?? '') : lines.map((line) => line.text).join('\n');
    out.push({ line: lines[0]?.number ?? 0, text: withoutReturn(text), fields });
  };

  /** Adds one line; returns the lines that must be read again. */
  const take = (line: Line, out: CsvText[]): Line[] => {
    if (held.length === 0 && line.text.trim() === '') return [];
    held.push(line);
    heldLength += line.text.length;
    if (line.isCut) return recover(CUT_LINE_ISSUE, out);
    const progress = addLine(record, line.text);
    if (progress === 'complete') finish(out);
    else if (progress !== 'open') return recover(progress.issue, out);
    else if (heldLength > MAX_HELD_LENGTH) return recover(UNCLOSED_ISSUE, out);
    return [];
  };

  const takeAll = (lines: readonly Line[], out: CsvText[]): void => {
    const waiting = [...lines].reverse();
    for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
      const again = take(line, out);
      for (let index = again.length - 1; index >= 0; index -= 1) waiting.push(...again.slice(index, index + 1));
    }
  };

  return {
    add: (lines: readonly Line[]): CsvText[] => {
      const out: CsvText[] = [];
      takeAll(lines, out);
      return out;
    },
    end: (): CsvText[] => {
      const out: CsvText[] = [];
      while (held.length > 0) takeAll(recover(UNCLOSED_ISSUE, out), out);
      return out;
    },
  };
};
