import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { batchWriter } from '../import/batch-writer.ts';
import type { ImportRun } from '../import/run.ts';
import type { Row } from '../rows/row.ts';
import { firstLines } from './first-lines.ts';
import { registrationFingerprint } from './registration-fingerprint.ts';
import type { Verdict } from './verdict.ts';

const refuseRepeated = <Entry>(rows: readonly Row[], verdict: Verdict<Entry>, earlier: number): Verdict<Entry> => {
  const reason = `this vehicle stands on line ${earlier} already; all of a vehicle must stand together, once in a file`;
  const known = 'refused' in verdict ? verdict.refused : rows.map((row) => ({ row, reasons: [] }));
  return { refused: known.map(({ row, reasons }) => ({ row, reasons: [...reasons, reason] })) };
};

/**
 * Stores records that are known by their registration, or has their rows refused. A registration counts once in a
 * file, sound or not: batches are written in no order, so that of two records nobody could say which one stays.
 */
export const recordLoader = <Entry>(
  run: ImportRun,
  table: 'vehicles' | 'compliance',
  toItem: (record: Entry) => Record<string, AttributeValue>,
) => {
  const writer = batchWriter(run.deployment.db, run.deployment.tableNames[table], run);
  const seen = firstLines(run.expectedRows);

  const put = (record: Entry, rows: readonly Row[], line: number): Promise<void> | undefined => {
    if (run.progress.take(line)) return writer.put(toItem(record), line);
    run.skipped(rows.length);
    return undefined;
  };

  return {
    /** Rows that stand together, at least one. A promise when it is to be waited for. */
    settle: (
      registration: string | undefined,
      rows: readonly [Row, ...Row[]],
      read: Verdict<Entry>,
    ): Promise<unknown> | undefined => {
      const [{ line }] = rows;
      const earlier = registration === undefined ? undefined : seen.claim(registrationFingerprint(registration), line);
      const verdict = earlier === undefined ? read : refuseRepeated(rows, read, earlier);
      if ('record' in verdict) return put(verdict.record, rows, line);
      const waits = verdict.refused.map(run.refused).filter((wait) => wait !== undefined);
      return waits.length > 0 ? Promise.all(waits) : undefined;
    },

    /** Everything is stored afterwards. */
    finish: writer.finish,
  };
};
