import { createHash } from 'node:crypto';
import { contentImport } from '../../../functions/content/content-import.ts';
import type { ImportedItem } from '../../../functions/content/imported-item.ts';
import { SlugTaken } from '../../../functions/content/refusals.ts';
import { deadlineIn } from '../../../functions/runtime/deadline.ts';
import { inFlight } from '../import/in-flight.ts';
import type { ImportKind, ImportRun, RowTaker } from '../import/run.ts';
import { type Fingerprint, firstLines } from '../records/first-lines.ts';
import type { Row } from '../rows/row.ts';
import { CONTENT_COLUMNS, readContentRow } from './content-row.ts';

/** Items on their way at a time. Few: each is a transaction over its lists' counters, and more only collide there. */
const ITEMS_IN_FLIGHT = 4;
/** Milliseconds for one item, conflicts and faults included. */
const PATIENCE_MS = 30_000;

/** 64 of a hash's bits: among 1,000,000 keys two share them once in 37 million files. */
const fingerprintOf = (key: string): Fingerprint => {
  const hash = createHash('sha256').update(key).digest();
  return { high: hash.readUInt32BE(0), low: hash.readUInt32BE(4) };
};

const repeats = (what: string, earlier: number | undefined): string[] =>
  earlier === undefined ? [] : [`${what} stands on line ${earlier} already; an item must stand once in a file`];

const open = (run: ImportRun): RowTaker => {
  const content = contentImport(run.deployment.db, run.deployment.tableNames.content);
  const seen = firstLines(run.expectedRows);
  const items = inFlight(ITEMS_IN_FLIGHT);

  const repeatsOf = ({ id, domain, slug }: ImportedItem, { line }: Row): string[] => [
    ...repeats('this slug of this domain', seen.claim(fingerprintOf(`slug ${domain} ${slug}`), line)),
    ...(id === undefined ? [] : repeats('this id', seen.claim(fingerprintOf(`id ${id}`), line))),
  ];

  const put = async (row: Row, item: ImportedItem): Promise<void> => {
    try {
      await content.put(item, { now: run.now, deadline: deadlineIn(PATIENCE_MS) });
      run.loaded(1);
    } catch (error) {
      if (!(error instanceof SlugTaken)) throw error;
      await run.refused({ row, reasons: ['slug: another item of this domain has it'] });
    }
  };

  return {
    take: (row) => {
      const verdict = readContentRow(row);
      if ('refused' in verdict) return Promise.all(verdict.refused.map(run.refused));
      const reasons = repeatsOf(verdict.record, row);
      return reasons.length > 0 ? run.refused({ row, reasons }) : items.run(() => put(row, verdict.record));
    },
    finish: items.settled,
  };
};

/** Content items: CSV or NDJSON, an item per row. */
export const content: ImportKind = { noun: 'content', table: 'content', columns: CONTENT_COLUMNS, open };
