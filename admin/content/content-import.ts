import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { claimantOf, contentReads, contentStore, readDynamoItems } from '../../core/content/content-store.ts';
import type { Moment } from '../../core/content/content-table.ts';
import { contentTransactions, creationWrites } from '../../core/content/content-writes.ts';
import type { ContentItem } from '../../core/content/item.ts';
import { transact } from '../../core/dynamodb/transact.ts';
import { backoffMs, type Deadline } from '../../core/runtime/deadline.ts';
import { type ImportedItem, newItem, replacement } from './imported-item.ts';

/** `reason`: why the row was skipped. `owner`: the id of the item that has its slug. */
type ImportResult = 'loaded' | 'unchanged' | { readonly reason: string; readonly owner?: string | undefined };

const slugTaken = (owner: string | undefined): ImportResult => ({
  reason: 'slug: belongs to another item of this domain',
  owner,
});

/** Why a row must not change the stored item that has its id or slug; undefined when it may. */
type SkipReasonOf = (row: ImportedItem, stored: ContentItem) => string | undefined;

/** The slugs that earlier rows of a dry run would have moved, by `slugOf`: the id of its item, null for a free one. */
type MovedSlugs = Map<string, string | null>;

/** For a row without an id, while other requests create or remove the item of its slug. */
const MAX_SLUG_RETRIES = 3;

const slugOf = ({ domain, slug }: ImportedItem): string => `${domain} ${slug}`;

/** A row, the item that it creates, and the stored one that it replaces instead. */
interface PlannedRow {
  readonly row: ImportedItem;
  readonly added: ContentItem;
  readonly stored: ContentItem | undefined;
}

/** Stored items by their id and by `slugOf`. */
type StoredItems = ReadonlyMap<string, ContentItem>;

/** The stored item that a row replaces: the one of its id or, without an id, of its slug. */
const storedOf = (row: ImportedItem, found: StoredItems) => found.get(row.id ?? slugOf(row));

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

  /** Rows so far. The item of each would be a millisecond later than the one before: lists keep the file's order. */
  let count = 0;

  const asNew = (row: ImportedItem, now: Date): ContentItem => {
    const time = new Date(now.getTime() + count).toISOString();
    count += 1;
    return newItem(row, row.id ?? randomUUID(), time);
  };

  /** Writes a row in place of what was read. `changed` when another request changed that meanwhile. */
  const write = async ({ row, added, stored }: PlannedRow, { now, deadline }: Moment) => {
    if (stored === undefined) return transactions.insert(added, deadline);
    const item = replacement(stored, row, now.toISOString());
    return item === undefined ? ({ kind: 'unchanged' } as const) : transactions.replace(stored, item, deadline);
  };

  /** Reads the stored items that have the id or the slug of a row. */
  const readStored = async (rows: readonly ImportedItem[], deadline: Deadline): Promise<StoredItems> => {
    const claimed = await findIdsBySlug(rows, deadline);
    const ids = new Set([...claimed, ...rows.flatMap(({ id }) => id ?? [])]);
    const items = await reads.findMany([...ids], deadline);
    return new Map(items.flatMap((item) => [[item.id, item] as const, [slugOf(item), item] as const]));
  };

  /** Imports one row; reads again while other requests change its item. */
  const importRow = async (planned: PlannedRow, moment: Moment): Promise<ImportResult> => {
    const { row, added } = planned;
    let { stored } = planned;
    for (let tries = 0; ; tries += 1) {
      const reason = stored && skipReasonOf(row, stored);
      if (reason !== undefined) return { reason };
      const { kind } = await write({ row, added, stored }, moment);
      if (kind === 'done') return 'loaded';
      if (kind === 'unchanged') return 'unchanged';
      if (kind === 'slug taken' && (row.id !== undefined || tries === MAX_SLUG_RETRIES)) {
        return slugTaken((await readStored([row], moment.deadline)).get(slugOf(row))?.id);
      }
      await moment.deadline.pause(backoffMs(tries));
      stored = storedOf(row, await readStored([row], moment.deadline));
    }
  };

  /** What `importBatch` would do, given what is stored and what earlier rows would have done. */
  const tryBatch = async (rows: readonly ImportedItem[], moved: MovedSlugs, { deadline }: Moment) => {
    const found = await readStored(rows, deadline);
    const ownerOf = (slug: string): string | undefined => {
      const owner = moved.get(slug);
      return owner === undefined ? found.get(slug)?.id : (owner ?? undefined);
    };
    return rows.map((row): ImportResult => {
      const slug = slugOf(row);
      const owner = ownerOf(slug);
      const id = row.id ?? owner;
      const stored = id === undefined ? undefined : found.get(id);
      const reason = stored && skipReasonOf(row, stored);
      if (reason !== undefined) return { reason };
      if (stored && replacement(stored, row, '') === undefined) return 'unchanged';
      if (owner !== undefined && owner !== id) return slugTaken(owner);
      if (stored && slugOf(stored) !== slug) moved.set(slugOf(stored), null);
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
     * Imports rows whose items fit one transaction, in their order. A row with an id creates or replaces that item, a
     * row without one the item of its domain and slug. The same rows again change nothing, not even `updated_at`. New
     * items are created together or, when one of them or its slug exists, one by one. @throws DeadlineExceeded
     */
    importBatch: async (rows: readonly ImportedItem[], moment: Moment): Promise<ImportResult[]> => {
      if (dryRun) return tryBatch(rows, dryRun, moment);
      const found = await readStored(rows, moment.deadline);
      const plan = (row: ImportedItem): PlannedRow => {
        return { row, added: asNew(row, moment.now), stored: storedOf(row, found) };
      };
      const planned = rows.map(plan);
      const added = planned.flatMap(({ added: item, stored }) => (stored === undefined ? [item] : []));
      const areCreated = await createAll(added, moment.deadline);
      const results: ImportResult[] = [];
      for (const one of planned) {
        const isCreated = areCreated && one.stored === undefined;
        results.push(isCreated ? 'loaded' : await importRow(one, moment));
      }
      return results;
    },
  };
};
