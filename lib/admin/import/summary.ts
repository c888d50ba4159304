import { readableTable } from '../readable-table.ts';

/** What came of an import. */
export interface Tally {
  /** Rows read. */
  read: number;
  /** Records stored. */
  loaded: number;
  /** Rows refused. */
  refused: number;
}

const number = (value: number): string => value.toLocaleString('en-GB');

/** The tally as a table, with the seconds it took. */
export const summaryOf = (noun: string, { read, loaded, refused }: Tally, seconds: number): string =>
  readableTable(
    ['rows read', `${noun} loaded`, 'rows refused', 'seconds', 'rows per second'],
    [
      [
        number(read),
        number(loaded),
        number(refused),
        seconds.toFixed(1),
        number(Math.round(read / Math.max(seconds, 1e-3))),
      ],
    ],
    'right',
  );
