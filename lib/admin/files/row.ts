/** One row of a file, as far as it could be read. */
export interface Row {
  /** The line that it begins on, from 1. */
  readonly line: number;
  /** The row as it stands in the file, without its line end. */
  readonly text: string;
  /** Whether `text` is itself JSON. */
  readonly isJson: boolean;
  /** Its fields by name; of a row that could not be read, those that could. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Why it could not be read; empty when it could. */
  readonly faults: readonly string[];
}

/** A row that will not be loaded, and every reason for that. */
export interface RefusedRow {
  readonly row: Row;
  readonly reasons: readonly string[];
}
