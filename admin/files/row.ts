import { normaliseRegistration } from '../../core/vehicles/registration.ts';
import type { RowText } from '../../csv/lines.ts';

/** One row of a file, as far as it could be read. */
export interface Row extends RowText {
  /** Whether `text` is itself JSON. */
  readonly isJson: boolean;
  /** Its fields by name; of an unreadable row, those that could be read. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Why it could not be read; empty for a readable row. */
  readonly issues: readonly string[];
  /** Of a CSV. `malformed`: it may be any vehicle's. `trailing-blanks`: blank cells at the end, perhaps a shift. */
  readonly cells?: 'complete' | 'trailing-blanks' | 'malformed';
}

/** The normalised registration of a row; undefined when it is missing or invalid. */
export const registrationOf = ({ fields }: Row): string | undefined =>
  typeof fields.registration === 'string' ? normaliseRegistration(fields.registration) : undefined;

/** A row that is not loaded, with every reason. */
export interface RejectedRow {
  readonly row: Row;
  readonly reasons: readonly string[];
}
