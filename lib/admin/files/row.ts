import { normaliseRegistration } from '../../../core/vehicles/registration.ts';

/** The text of one row, as it is in the file. */
export interface RowText {
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** Without its line end. */
  readonly text: string;
}

/** One row of a file, as far as it could be read. */
export interface Row extends RowText {
  /** Whether `text` is itself JSON. */
  readonly isJson: boolean;
  /** Its fields by name; of an unreadable row, those that could be read. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Why it could not be read; empty for a readable row. */
  readonly issues: readonly string[];
}

/** The normalised registration of a row; undefined when it is missing or invalid. */
export const registrationOf = ({ fields }: Row): string | undefined =>
  typeof fields.registration === 'string' ? normaliseRegistration(fields.registration) : undefined;

/** A row that is not loaded, with every reason. */
export interface RejectedRow {
  readonly row: Row;
  readonly reasons: readonly string[];
}
