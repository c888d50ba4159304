import type { RefusedRow } from '../../files/row.ts';

/** What one or more rows of a file come to: a record to store, or every row refused. */
export type Verdict<Entry> = { readonly record: Entry } | { readonly refused: readonly RefusedRow[] };
