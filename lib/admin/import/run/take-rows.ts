import type { Row } from '../../files/row.ts';
import type { RowTaker } from './run.ts';
import type { Tally } from './summary.ts';

/** Rows between two entries in the journal: what a kill costs at most, beside the batches that were on their way. */
const ROWS_PER_ENTRY = 500;

/**
 * Hands every row on until Ctrl-C is pressed; what has been settled is stored when this resolves. When it throws,
 * nothing is on its way any more.
 * @returns whether the file came to its end
 */
export const takeRows = async (
  rows: AsyncIterable<Row[]>,
  taker: RowTaker,
  tally: Tally,
  keepJournal: () => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> => {
  const takeAll = async (): Promise<boolean> => {
    for await (const chunk of rows) {
      for (const row of chunk) {
        if (tally.read % ROWS_PER_ENTRY === 0) await keepJournal();
        tally.read += 1;
        // Most rows need no waiting, and an await for each of them would be felt.
        const wait = taker.take(row);
        if (wait !== undefined) await wait;
      }
      if (signal.aborted) return false;
    }
    await taker.end?.();
    return true;
  };
  try {
    return await takeAll();
  } finally {
    await taker.finish();
  }
};
