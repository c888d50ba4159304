/** A CSV record (RFC 4180) that is being read. */
export interface CsvRecord {
  readonly fields: string[];
  /** The beginning of a quoted field that continues on the next line. */
  open: string | undefined;
}

/** Complete; open, because a quoted field continues on the next line; or invalid. */
export type CsvProgress = 'complete' | 'open' | { readonly issue: string };

export const newCsvRecord = (): CsvRecord => ({ fields: [], open: undefined });

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
  const comma = line.indexOf(',', start);
  const end = comma < 0 ? line.length - (line.endsWith('\r') ? 1 : 0) : comma;
  record.fields.push(line.slice(start, end));
  return comma < 0 ? -1 : comma + 1;
};

/** Adds a line to a record. Most lines have no quote and cost no more than a split. */
export const addLine = (record: CsvRecord, line: string): CsvProgress => {
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
      if (line[at] !== ',') return TEXT_AFTER_QUOTE;
      at += 1;
    } else {
      at = readPlain(record, line, at);
      if (record.fields.at(-1)?.includes('"')) return STRAY_QUOTE;
      if (at < 0) return 'complete';
    }
  }
};
