import { deadlineIn } from '../../../../core/runtime/deadline.ts';
import { contentImport, type ImportOutcome, type SkipReasonOf } from '../../../content-maintenance/content-import.ts';
import { fitsOneTransaction, type ImportedItem } from '../../../content-maintenance/imported-item.ts';
import type { FileRun, RowConsumer } from '../../file-command/file-command.ts';
import { inFlight } from '../../file-command/in-flight.ts';
import type { Row } from '../../files/row.ts';
import type { ImportKind } from '../import-kind.ts';
import { CONTENT_COLUMNS, readContentRow } from './content-row.ts';
import { itemClaims } from './item-claims.ts';

/** Transactions on their way at a time. Few: they meet on their lists' counters, and more would only collide there. */
const TRANSACTIONS_IN_FLIGHT = 4;
/** Milliseconds for one transaction's items, including retries. */
const TRANSACTION_TIMEOUT_MS = 30_000;

const SLUG_TAKEN = 'slug: belongs to another item of this domain';

interface ContentRow {
  readonly row: Row;
  readonly item: ImportedItem;
}

/** A row that might be loaded once another row of the file is, and why not before. */
interface BlockedRow extends ContentRow {
  readonly reason: string;
}

const reasonOf = (outcome: ImportOutcome): string | undefined => {
  if (outcome.kind === 'skipped') return outcome.reason;
  return outcome.kind === 'slug taken' ? SLUG_TAKEN : undefined;
};

const contentWriter = (run: FileRun, skipReasonOf: SkipReasonOf) => {
  const content = contentImport(run.db, run.table, skipReasonOf);
  const transactions = inFlight(TRANSACTIONS_IN_FLIGHT);
  const blocked: BlockedRow[] = [];
  let batch: ContentRow[] = [];

  const settle = (one: ContentRow, outcome: ImportOutcome): void => {
    const reason = reasonOf(outcome);
    if (reason === undefined) run.settled(one.row.line, 'loaded');
    else blocked.push({ ...one, reason });
  };

  const write = async (rows: readonly ContentRow[]): Promise<void> => {
    const moment = { now: run.now, deadline: deadlineIn(TRANSACTION_TIMEOUT_MS) };
    const items = rows.map(({ item }) => item);
    for (const [index, outcome] of (await content.importBatch(items, moment)).entries()) {
      const one = rows[index];
      if (one) settle(one, outcome);
    }
  };

  const send = (): Promise<void> => {
    const rows = batch;
    batch = [];
    return transactions.run(() => write(rows));
  };

  const finish = async (): Promise<void> => {
    if (batch.length > 0) await send();
    await transactions.settled();
  };

  const inOrder = (rows: readonly BlockedRow[]) => rows.toSorted((a, b) => a.row.line - b.row.line);

  return {
    put: (next: ContentRow): Promise<void> | undefined => {
      const sent = fitsOneTransaction([...batch, next].map(({ item }) => item)) ? undefined : send();
      batch.push(next);
      return sent;
    },

    finish,

    /** Another row of the file may free a slug: blocked rows are tried again until that helps none of them. */
    end: async (): Promise<void> => {
      await finish();
      for (let before = Number.POSITIVE_INFINITY; blocked.length > 0 && blocked.length < before; ) {
        const rows = inOrder(blocked.splice(0));
        before = rows.length;
        for (const row of rows) await write([row]);
      }
      for (const { row, reason } of inOrder(blocked)) await run.rejected({ row, reasons: [reason] });
    },
  };
};

const open = (run: FileRun): RowConsumer => {
  const claims = itemClaims(run.expectedRows);
  const { put, end, finish } = contentWriter(run, claims.skipReasonOf);
  return {
    consume: (row) => {
      const result = readContentRow(row, run);
      if ('rejected' in result) return Promise.all(result.rejected.map(run.rejected));
      const next = { row, item: result.record };
      const reasons = claims.repeatsOf(next.item, row.line);
      if (reasons.length > 0) return run.rejected({ row, reasons });
      return run.reach(row.line, 1) ? put(next) : undefined;
    },
    end,
    finish,
  };
};

/** Content items: CSV or NDJSON, an item per row. */
export const content: ImportKind = { noun: 'content', columns: CONTENT_COLUMNS, open };
