import { createHash } from 'node:crypto';
import { contentImport } from '../../../functions/content/content-import.ts';
import type { ImportedItem } from '../../../functions/content/imported-item.ts';
import { fitsOneTransaction } from '../../../functions/content/transaction-size.ts';
import { deadlineIn } from '../../../functions/runtime/deadline.ts';
import { inFlight } from '../import/in-flight.ts';
import type { ImportKind, ImportRun, RowTaker } from '../import/run.ts';
import { type Fingerprint, firstLines } from '../records/first-lines.ts';
import type { Row } from '../rows/row.ts';
import { CONTENT_COLUMNS, readContentRow } from './content-row.ts';

/** Transactions on their way at a time. Few: they meet on their lists' counters, and more would only collide there. */
const TRANSACTIONS_IN_FLIGHT = 4;
/** Milliseconds for one transaction's items, conflicts and faults included. */
const PATIENCE_MS = 30_000;

const SLUG_TAKEN = 'slug: another item of this domain has it';

interface ContentRow {
  readonly row: Row;
  readonly item: ImportedItem;
}

/** 64 of a hash's bits: among 1,000,000 keys two share them once in 37 million files. */
const fingerprintOf = (key: string): Fingerprint => {
  const hash = createHash('sha256').update(key).digest();
  return { high: hash.readUInt32BE(0), low: hash.readUInt32BE(4) };
};

const repeats = (what: string, earlier: number | undefined): string[] =>
  earlier === undefined ? [] : [`${what} stands on line ${earlier} already; an item must stand once in a file`];

/** Refuses what came before in the same file: items are written in no order, so that nobody could say which one stays. */
const repeatFinder = (expectedRows: number) => {
  const seen = firstLines(expectedRows);
  return ({ row: { line }, item: { id, domain, slug } }: ContentRow): string[] => [
    ...repeats('this slug of this domain', seen.claim(fingerprintOf(`slug ${domain} ${slug}`), line)),
    ...(id === undefined ? [] : repeats('this id', seen.claim(fingerprintOf(`id ${id}`), line))),
  ];
};

const contentWriter = (run: ImportRun) => {
  const content = contentImport(run.deployment.db, run.deployment.tableNames.content);
  const transactions = inFlight(TRANSACTIONS_IN_FLIGHT);
  const blocked: ContentRow[] = [];
  let batch: ContentRow[] = [];

  const write = async (rows: readonly ContentRow[]): Promise<void> => {
    const moment = { now: run.now, deadline: deadlineIn(PATIENCE_MS) };
    const items = rows.map(({ item }) => item);
    for (const [index, outcome] of (await content.putMany(items, moment)).entries()) {
      const row = rows[index];
      if (row && outcome === 'slug taken') blocked.push(row);
      else run.loaded(1);
    }
  };

  /** A slug may become free by another row of the file: blocked rows are tried again until that helps none of them. */
  const retryBlocked = async (): Promise<void> => {
    for (let before = Number.POSITIVE_INFINITY; blocked.length > 0 && blocked.length < before; ) {
      const rows = blocked.splice(0);
      before = rows.length;
      for (const row of rows) await write([row]);
    }
    for (const { row } of blocked) await run.refused({ row, reasons: [SLUG_TAKEN] });
  };

  const send = (next: ContentRow[]): Promise<void> => {
    const rows = batch;
    batch = next;
    return transactions.run(() => write(rows));
  };

  return {
    put: (next: ContentRow): Promise<void> | undefined => {
      if (!fitsOneTransaction([...batch, next].map(({ item }) => item))) return send([next]);
      batch.push(next);
      return undefined;
    },
    finish: async (): Promise<void> => {
      if (batch.length > 0) await send([]);
      await transactions.settled();
      await retryBlocked();
    },
  };
};

const open = (run: ImportRun): RowTaker => {
  const writer = contentWriter(run);
  const repeatsOf = repeatFinder(run.expectedRows);
  return {
    take: (row) => {
      const verdict = readContentRow(row);
      if ('refused' in verdict) return Promise.all(verdict.refused.map(run.refused));
      const next = { row, item: verdict.record };
      const reasons = repeatsOf(next);
      return reasons.length > 0 ? run.refused({ row, reasons }) : writer.put(next);
    },
    finish: writer.finish,
  };
};

/** Content items: CSV or NDJSON, an item per row. */
export const content: ImportKind = { noun: 'content', table: 'content', columns: CONTENT_COLUMNS, open };
