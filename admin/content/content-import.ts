import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { claimantOf, contentReads, contentStore, readDynamoItems } from '../../core/content/content-store.ts';
import type { ChangeTiming } from '../../core/content/content-table.ts';
import { contentTransactions, creationWrites } from '../../core/content/content-writes.ts';
import type { ContentItem } from '../../core/content/item.ts';
import { transact } from '../../core/dynamodb/transact.ts';
import { backoffMs, type Deadline } from '../../core/runtime/deadline.ts';
import { type ImportedItem, newItem, replacement } from './imported-item.ts';

/** The result of a row. `reason` says why it was skipped, and `owner` is the id of the item that has its slug. */
type ImportResult = 'loaded' | 'unchanged' | { readonly reason: string; readonly owner?: string | undefined };

const slugTakenResult = (owner: string | undefined): ImportResult => ({
  reason: 'slug: belongs to another item of this domain',
  owner,
});

/** Returns why a row must not change the stored item with its id or slug, or undefined when it may. */
type SkipReasonOf = (row: ImportedItem, stored: ContentItem) => string | undefined;

/**
 * The slugs that earlier rows of a dry run would have moved. Maps each `qualifiedSlug` to the id of the item that would
 * have it, or to null when it would be free.
 */
type MovedSlugs = Map<string, string | null>;

/** Retries of a row without an id while other requests create or remove the item with its slug. */
const MAX_SLUG_RETRIES = 3;

const qualifiedSlug = ({ domain, slug }: ImportedItem): string => `${domain} ${slug}`;

/** A row, the item that it creates, and the stored one that it replaces instead. */
interface PlannedRow {
  readonly row: ImportedItem;
  readonly added: ContentItem;
  readonly stored: ContentItem | undefined;
}

/** Stored items by their id and by `qualifiedSlug`. */
type StoredItems = ReadonlyMap<string, ContentItem>;

/**
 * Finds the stored item that a row replaces: the item with its id or, when the row has no id, the item with its slug.
 */
const findStored = (row: ImportedItem, found: StoredItems) => found.get(row.id ?? qualifiedSlug(row));

/**
 * Imports items from a file into the content of live keys. Safe while the service and other imports run.
 * @param dryRun if given, nothing is written, and it gets the slugs that would have been moved
 */
export const contentImport = (
  db: DynamoDBDocumentClient,
  table: string,
  skipReasonOf: SkipReasonOf = () => undefined,
  dryRun?: MovedSlugs,
) => {
  const store = contentStore(db, table, 'live');
  const reads = contentReads(store);
  const transactions = contentTransactions(store);

  /** The ids of the items that have the slugs of the rows. */
  const findIdsBySlug = async (rows: readonly ImportedItem[], deadline: Deadline): Promise<string[]> => {
    const keys = rows.map(({ domain, slug }) => store.keys.slugKey(domain, slug));
    return (await readDynamoItems(store, keys, deadline)).flatMap((claim) => claimantOf(claim) ?? []);
  };

  /**
   * Number of rows so far. The item of each row is created a millisecond after the one before, so that lists keep the
   * order of the file.
   */
  let count = 0;

  const itemToCreate = (row: ImportedItem, now: Date): ContentItem => {
    const time = new Date(now.getTime() + count).toISOString();
    count += 1;
    return newItem(row, row.id ?? randomUUID(), time);
  };

  /** Writes a row. The result is `changed` when another request has changed the stored item since it was read. */
  const write = async ({ row, added, stored }: PlannedRow, { now, deadline }: ChangeTiming) => {
    if (stored === undefined) return transactions.insert(added, deadline);
    const item = replacement(stored, row, now.toISOString());
    return item === undefined ? ({ kind: 'unchanged' } as const) : transactions.replace(stored, item, deadline);
  };

  /** Reads the stored items that have the id or the slug of a row. */
  const readStoredItems = async (rows: readonly ImportedItem[], deadline: Deadline): Promise<StoredItems> => {
    const claimed = await findIdsBySlug(rows, deadline);
    const ids = new Set([...claimed, ...rows.flatMap(({ id }) => id ?? [])]);
    const items = await reads.findMany([...ids], deadline);
    return new Map(items.flatMap((item) => [[item.id, item] as const, [qualifiedSlug(item), item] as const]));
  };

  /** Imports one row; reads again while other requests change its item. */
  const importRow = async (planned: PlannedRow, timing: ChangeTiming): Promise<ImportResult> => {
    const { row, added } = planned;
    let { stored } = planned;
    for (let tries = 0; ; tries += 1) {
      const reason = stored && skipReasonOf(row, stored);
      if (reason !== undefined) return { reason };
      const { kind } = await write({ row, added, stored }, timing);
      if (kind === 'done') return 'loaded';
      if (kind === 'unchanged') return 'unchanged';
      if (kind === 'slug taken' && (row.id !== undefined || tries === MAX_SLUG_RETRIES)) {
        return slugTakenResult((await readStoredItems([row], timing.deadline)).get(qualifiedSlug(row))?.id);
      }
      await timing.deadline.pause(backoffMs(tries));
      stored = findStored(row, await readStoredItems([row], timing.deadline));
    }
  };

  /** Returns what `importBatch` would do, given the stored items and what earlier rows would have done. */
  const simulateBatch = async (rows: readonly ImportedItem[], moved: MovedSlugs, { deadline }: ChangeTiming) => {
    const found = await readStoredItems(rows, deadline);
    const ownerOf = (slug: string): string | undefined => {
      const owner = moved.get(slug);
      return owner === undefined ? found.get(slug)?.id : (owner ?? undefined);
    };
    return rows.map((row): ImportResult => {
      const slug = qualifiedSlug(row);
      const owner = ownerOf(slug);
      const id = row.id ?? owner;
      const stored = id === undefined ? undefined : found.get(id);
      const reason = stored && skipReasonOf(row, stored);
      if (reason !== undefined) return { reason };
      if (stored && replacement(stored, row, '') === undefined) return 'unchanged';
      if (owner !== undefined && owner !== id) return slugTakenResult(owner);
      if (stored && qualifiedSlug(stored) !== slug) moved.set(qualifiedSlug(stored), null);
      moved.set(slug, id ?? 'new');
      return 'loaded';
    });
  };

  /** Creates all items or none: none when one of them or its slug exists. */
  const createAll = async (added: readonly ContentItem[], deadline: Deadline): Promise<boolean> => {
    if (added.length === 0) return false;
    const { items, claims, lists } = creationWrites(store, added);
    return (await transact(db, [...items, ...claims, ...lists], deadline)).committed;
  };

  return {
    /**
     * Imports rows whose items fit one transaction, in their order. A row with an id creates or replaces the item with
     * that id; a row without one, the item with its domain and slug. Importing the same rows again changes nothing, not
     * even `updated_at`. New items are created together or, when one of them or its slug exists, one by one. @throws
     * DeadlineExceeded
     */
    importBatch: async (rows: readonly ImportedItem[], timing: ChangeTiming): Promise<ImportResult[]> => {
      if (dryRun) return simulateBatch(rows, dryRun, timing);
      const found = await readStoredItems(rows, timing.deadline);
      const plan = (row: ImportedItem): PlannedRow => {
        return { row, added: itemToCreate(row, timing.now), stored: findStored(row, found) };
      };
      const planned = rows.map(plan);
      const added = planned.flatMap(({ added: item, stored }) => (stored === undefined ? [item] : []));
      const areCreated = await createAll(added, timing.deadline);
      const results: ImportResult[] = [];
      for (const one of planned) {
        const isCreated = areCreated && one.stored === undefined;
        results.push(isCreated ? 'loaded' : await importRow(one, timing));
      }
      return results;
    },
  };
};
