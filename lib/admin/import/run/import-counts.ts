import { readableTable } from '../../command/readable-table.ts';

/** Counts of one import. */
export interface ImportCounts {
  /** Rows read. */
  read: number;
  /** Rows of records that were stored before this import was resumed. */
  skipped: number;
  /** Records stored. */
  loaded: number;
  /** Rows rejected. */
  rejected: number;
}

const number = (value: number): string => value.toLocaleString('en-GB');

/** The counts as a table, with the duration. */
export const summaryOf = (noun: string, { read, skipped, loaded, rejected }: ImportCounts, seconds: number): string => {
  const columns: [string, string][] = [
    ['rows read', number(read)],
    ...(skipped > 0 ? ([['rows skipped', number(skipped)]] satisfies [string, string][]) : []),
    [`${noun} loaded`, number(loaded)],
    ['rows rejected', number(rejected)],
    ['seconds', seconds.toFixed(1)],
    ['rows per second', number(Math.round((read - skipped) / Math.max(seconds, 1e-3)))],
  ];
  return readableTable(
    columns.map(([head]) => head),
    [columns.map(([, value]) => value)],
    'right',
  );
};
