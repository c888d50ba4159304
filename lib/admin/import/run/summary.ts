import { readableTable } from '../../command/readable-table.ts';

/** What came of an import. */
export interface Tally {
  /** Rows read. */
  read: number;
  /** Rows of records that were stored before this import was resumed. */
  skipped: number;
  /** Records stored. */
  loaded: number;
  /** Rows rejected. */
  refused: number;
}

const number = (value: number): string => value.toLocaleString('en-GB');

/** The tally as a table, with the seconds it took. */
export const summaryOf = (noun: string, { read, skipped, loaded, refused }: Tally, seconds: number): string => {
  const columns: [string, string][] = [
    ['rows read', number(read)],
    ...(skipped > 0 ? ([['rows skipped', number(skipped)]] satisfies [string, string][]) : []),
    [`${noun} loaded`, number(loaded)],
    ['rows rejected', number(refused)],
    ['seconds', seconds.toFixed(1)],
    ['rows per second', number(Math.round((read - skipped) / Math.max(seconds, 1e-3)))],
  ];
  return readableTable(
    columns.map(([head]) => head),
    [columns.map(([, value]) => value)],
    'right',
  );
};
