import type { Row, RowResult } from '../../files/row.ts';
import { batchWriter } from '../run/batch-writer.ts';
import type { ImportRun, RowConsumer } from '../run/import-kind.ts';
import { firstLines, registrationFingerprint, registrationOf } from './registrations.ts';

/** Stores records and reports rejected rows. A registration must not occur twice: batches are written in no fixed order. */
export const recordLoader = <Entry extends object>(run: ImportRun) => {
  const writer = batchWriter(run);

  /** A record is identified by its last line: these ascend, whatever the order of the rows. */
  const store = (record: Entry, rows: readonly Row[]): Promise<void> | undefined => {
    const line = rows.at(-1)?.line ?? 0;
    if (run.progress.reach(line)) return writer.put(record, line);
    run.skipped(rows.length);
    return undefined;
  };

  return {
    /** Loads all rows of one record, in the order of the file. A returned promise must be awaited. */
    load: (rows: readonly Row[], result: RowResult<Entry>): Promise<unknown> | undefined => {
      if ('record' in result) return store(result.record, rows);
      const waits = result.rejected.map(run.rejected).filter((wait) => wait !== undefined);
      return waits.length > 0 ? Promise.all(waits) : undefined;
    },

    /** Resolves when every record is stored. */
    finish: writer.finish,
  };
};

/** Loads a file in which each row is one vehicle's whole record; rejects every row but the first of a vehicle. */
export const recordPerRow = <Entry extends object>(
  run: ImportRun,
  read: (row: Row, registration: string | undefined) => RowResult<Entry>,
): RowConsumer => {
  const loader = recordLoader<Entry>(run);
  const seen = firstLines(run.expectedRows);

  const readOnce = (row: Row): RowResult<Entry> => {
    const registration = registrationOf(row);
    const result = read(row, registration);
    const earlier = registration && seen.claim(registrationFingerprint(registration), row.line);
    if (!earlier) return result;
    const reasons = 'rejected' in result ? result.rejected.flatMap((rejected) => rejected.reasons) : [];
    const repeat = `this vehicle is on line ${earlier} already; a vehicle may be on one line of a file only`;
    return { rejected: [{ row, reasons: [...reasons, repeat] }] };
  };

  return { consume: (row) => loader.load([row], readOnce(row)), finish: loader.finish };
};
