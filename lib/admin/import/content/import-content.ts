import type { ContentItem } from '../../../../core/content/item.ts';
import { deadlineIn } from '../../../../core/runtime/deadline.ts';
import { contentImport } from '../../../content-maintenance/content-import.ts';
import { fitsOneTransaction, type ImportedItem } from '../../../content-maintenance/imported-item.ts';
import type { Claims, ImportKind } from '../../file-command/file-command.ts';
import { CONTENT_COLUMNS, readContentRow } from './content-row.ts';

/** Concurrent transactions. Few, because they conflict on the counters of their lists. */
const TRANSACTIONS_IN_FLIGHT = 4;
/** Milliseconds for one transaction's items, including retries. */
const TRANSACTION_TIMEOUT_MS = 30_000;

const slugOf = ({ domain, slug }: ImportedItem): string => `slug ${domain} ${slug}`;
/** The claim of a row without an id. */
const nameOf = ({ domain, slug }: ImportedItem): string => `name ${domain} ${slug}`;
const idOf = (id: string): string => `id ${id}`;

const repeats = (what: string, earlier: number | undefined): string[] =>
  earlier === undefined ? [] : [`${what} is on line ${earlier} already; an item may be on one line of a file only`];

/** Why an earlier row of the file excludes this one: items are written in no fixed order. */
const repeatsOf = (item: ImportedItem, line: number, { claim }: Claims): string[] => {
  const earlier = claim(slugOf(item), line);
  if (earlier === undefined && item.id === undefined) claim(nameOf(item), line);
  return [
    ...repeats('this slug of this domain', earlier),
    ...(item.id === undefined ? [] : repeats('this id', claim(idOf(item.id), line))),
  ];
};

/**
 * Why a row must not change the stored item that has its id or slug: an earlier row of the file changes it, by the other of
 * the two. That row may still free the slug that a later row needs.
 */
const skipReasonOf = (item: ImportedItem, stored: ContentItem, { lineOf }: Claims): string | undefined => {
  const find = (key: string) => lineOf(key) ?? Number.POSITIVE_INFINITY;
  const [byId, byName] = [find(idOf(stored.id)), find(nameOf(stored))];
  const [own, other] = item.id === undefined ? [byName, byId] : [byId, byName];
  return repeats('this item', other < own ? other : undefined)[0];
};

/** Content items in the order of the file: CSV or NDJSON, an item per row. */
export const content: ImportKind<ImportedItem> = {
  noun: 'content',
  columns: CONTENT_COLUMNS,
  keyOf: () => undefined,
  read: ({ rows }, context) => {
    const [row] = rows;
    if (row === undefined) return { rejected: [] };
    const result = readContentRow(row, context);
    const reasons = 'reasons' in result ? result.reasons : repeatsOf(result.record, row.line, context.claims);
    if (reasons.length > 0 || 'reasons' in result) return { rejected: [{ row, reasons }] };
    return { record: result.record, rejected: [] };
  },
  writing: ({ deployment: { db }, table, started: now, claims }) => {
    const items = contentImport(db, table, (row, stored) => skipReasonOf(row, stored, claims));
    return {
      requestsInFlight: TRANSACTIONS_IN_FLIGHT,
      fits: fitsOneTransaction,
      write: async (rows) => {
        const reasons = await items.importBatch(rows, { now, deadline: deadlineIn(TRANSACTION_TIMEOUT_MS) });
        return reasons.map((reason) => (reason === undefined ? 'loaded' : { waitsFor: reason }));
      },
    };
  },
};
