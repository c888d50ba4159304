import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Row } from '../../files/row.ts';
import { batchWriter } from '../run/batch-writer.ts';
import type { ImportRun, RowTaker } from '../run/run.ts';
import { firstLines } from './first-lines.ts';
import { registrationFingerprint } from './registration-fingerprint.ts';
import { registrationOf } from './registration-of.ts';
import type { Verdict } from './verdict.ts';

/** Where the records of a kind are stored, and as what. */
interface Target<Entry> {
  readonly table: 'vehicles' | 'compliance';
  readonly toItem: (record: Entry) => Record<string, AttributeValue>;
}

/**
 * Stores records, or has their rows rejected. The caller sees to it that no registration comes twice: batches are
 * written in no order, so that of two records nobody could say which one stays.
 */
export const recordLoader = <Entry>(run: ImportRun, { table, toItem }: Target<Entry>) => {
  const writer = batchWriter(run.deployment.db, run.deployment.tableNames[table], run);

  /** A record is identified by its last line: those ascend, whatever the order of the rows. */
  const put = (record: Entry, rows: readonly Row[]): Promise<void> | undefined => {
    const line = rows.at(-1)?.line ?? 0;
    if (run.progress.take(line)) return writer.put(toItem(record), line);
    run.skipped(rows.length);
    return undefined;
  };

  return {
    /** Takes all rows of one record, in the order of the file. A promise when it is to be waited for. */
    settle: (rows: readonly Row[], verdict: Verdict<Entry>): Promise<unknown> | undefined => {
      if ('record' in verdict) return put(verdict.record, rows);
      const waits = verdict.refused.map(run.refused).filter((wait) => wait !== undefined);
      return waits.length > 0 ? Promise.all(waits) : undefined;
    },

    /** Everything is stored afterwards. */
    finish: writer.finish,
  };
};

/** Rejects every row but the first that names a vehicle, whether the first is valid or not. */
const rejectRepeats = (expectedRows: number) => {
  const seen = firstLines(expectedRows);
  return <Entry>(row: Row, verdict: Verdict<Entry>): Verdict<Entry> => {
    const registration = registrationOf(row);
    const earlier =
      registration === undefined ? undefined : seen.claim(registrationFingerprint(registration), row.line);
    if (earlier === undefined) return verdict;
    const reasons = 'refused' in verdict ? verdict.refused.flatMap((refused) => refused.reasons) : [];
    const repeat = `this vehicle is on line ${earlier} already; a vehicle may be on one line of a file only`;
    return { refused: [{ row, reasons: [...reasons, repeat] }] };
  };
};

/** Takes a file in which each row is one vehicle's whole record. */
export const recordPerRow = <Entry>(
  run: ImportRun,
  target: Target<Entry>,
  read: (row: Row) => Verdict<Entry>,
): RowTaker => {
  const loader = recordLoader(run, target);
  const onlyFirst = rejectRepeats(run.expectedRows);
  return { take: (row) => loader.settle([row], onlyFirst(row, read(row))), finish: loader.finish };
};
