import type { FileRun, RowConsumer } from '../../file-command/file-command.ts';
import { putInBatches, recordWriter } from '../../file-command/record-writer.ts';
import type { Row, RowResult } from '../../files/row.ts';
import { putIfNewer, type StoredRecord } from './put-if-newer.ts';
import { firstLines, registrationFingerprint, registrationOf } from './registrations.ts';

/** Stores records and reports rejected rows. A registration must not occur twice: requests are in no fixed order. */
export const recordLoader = (run: FileRun) => {
  const writer = recordWriter<StoredRecord>(run, run.ifNewer ? putIfNewer(run) : putInBatches(run));

  return {
    /** Loads all rows of one record, in the order of the file. A returned promise must be awaited. */
    load: (rows: readonly Row[], result: RowResult<StoredRecord>): Promise<unknown> | undefined => {
      // A record is identified by its last line: these ascend, whatever the order of the rows.
      if ('record' in result) return writer.put(result.record, rows.at(-1)?.line ?? 0, rows.length);
      const waits = result.rejected.map(run.rejected).filter((wait) => wait !== undefined);
      return waits.length > 0 ? Promise.all(waits) : undefined;
    },

    /** Resolves when every record is stored. */
    finish: writer.finish,
  };
};

/** Loads a file in which each row is one vehicle's whole record; rejects every row but the first of a vehicle. */
export const recordPerRow = (
  run: FileRun,
  read: (row: Row, registration: string | undefined) => RowResult<StoredRecord>,
): RowConsumer => {
  const loader = recordLoader(run);
  const seen = firstLines(run.expectedRows);

  const readOnce = (row: Row): RowResult<StoredRecord> => {
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
