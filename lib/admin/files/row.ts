/** One row of a file, as far as it could be read. */
export interface Row {
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** The row as it is in the file, without its line end. */
  readonly text: string;
  /** Whether `text` is itself JSON. */
  readonly isJson: boolean;
  /** Its fields by name; of an unreadable row, those that could be read. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Why it could not be read; empty for a readable row. */
  readonly issues: readonly string[];
}

/** A decoder replaces bytes that are not UTF-8 by U+FFFD: the text is then not what was written. */
export const encodingIssues = (text: string): string[] =>
  text.includes('\uFFFD') ? ['the row has bytes that are not UTF-8; save the file as UTF-8'] : [];

/** A row that is not loaded, with every reason. */
export interface RejectedRow {
  readonly row: Row;
  readonly reasons: readonly string[];
}

/** The outcome of reading the rows of one record: the record, or every row rejected. */
export type RowResult<Entry> = { readonly record: Entry } | { readonly rejected: readonly RejectedRow[] };
