import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { claimantOf, contentReads, contentStore, readDynamoItems } from '../../core/content/content-store.ts';
import type { Moment } from '../../core/content/content-table.ts';
import { contentTransactions, creationWrites } from '../../core/content/content-writes.ts';
import type { ContentItem, StoredItem } from '../../core/content/item.ts';
import { transact } from '../../core/dynamodb/transact.ts';
import { backoffMs, type Deadline } from '../../core/runtime/deadline.ts';
import { type ImportedItem, newItem, replacement } from './imported-item.ts';

/** `reason`: why the row was skipped. */
type ImportResult = 'loaded' | 'unchanged' | { readonly reason: string };

const SLUG_TAKEN = { reason: 'slug: belongs to another item of this domain' } as const;

/** Why a row must not change the stored item that has its id or slug; undefined when it may. */
type SkipReasonOf = (row: ImportedItem, stored: ContentItem) => string | undefined;

/** The slugs that earlier rows of a dry run would have moved, as `slugOf` writes them. */
export interface MovedSlugs {
  /** The id of its item, null for a free slug, undefined for one that was not moved. */
  readonly ownerOf: (slug: string) => string | null | undefined;
  readonly move: (slug: string, owner: string | null) => void;
}

/** For a row without an id, while other requests create or remove the item of its slug. */
const MAX_SLUG_RETRIES = 3;

const slugOf = ({ domain, slug }: ImportedItem): string => `${domain} ${slug}`;

/** Stored items by their id and by `slugOf`. */
type StoredItems = ReadonlyMap<string, StoredItem>;

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

  /** Resolves when the items of all earlier calls are in their lists. */
  let earlierCalls: Promise<unknown> = Promise.resolve();

  /** Writes a row in place of what was read. `changed` when another request changed that meanwhile. */
  const write = async (row: ImportedItem, stored: StoredItem | undefined, { now, deadline }: Moment) => {
    const timestamp = now.toISOString();
    if (stored === undefined) return transactions.insert(newItem(row, row.id ?? randomUUID(), timestamp), deadline);
    const item = replacement(stored.item, row, timestamp);
    return item === undefined ? ({ kind: 'unchanged' } as const) : transactions.replace(stored, item, deadline);
  };

  const findStored = async (row: ImportedItem, { deadline }: Moment): Promise<StoredItem | undefined> => {
    const [id = row.id] = row.id === undefined ? await findIdsBySlug([row], deadline) : [];
    return id === undefined ? undefined : reads.find(id);
  };

  /** Imports one row; retries while other requests change its item. */
  const importRow = async (row: ImportedItem, moment: Moment): Promise<ImportResult> => {
    for (let tries = 0; ; tries += 1) {
      const { kind } = await write(row, await findStored(row, moment), moment);
      if (kind === 'done') return 'loaded';
      if (kind === 'unchanged') return 'unchanged';
      if (kind === 'slug taken' && (row.id !== undefined || tries === MAX_SLUG_RETRIES)) return SLUG_TAKEN;
      await moment.deadline.pause(backoffMs(tries));
    }
  };

  /** Reads the stored items that have the id of a row, or the slug of one of these rows. */
  const readStored = async (
    rows: readonly ImportedItem[],
    bySlug: readonly ImportedItem[],
    deadline: Deadline,
  ): Promise<StoredItems> => {
    const claimed = await findIdsBySlug(bySlug, deadline);
    const ids = new Set([...claimed, ...rows.flatMap(({ id }) => id ?? [])]);
    const found = new Map<string, StoredItem>();
    for (const stored of await reads.findMany([...ids], deadline)) {
      found.set(stored.item.id, stored).set(slugOf(stored.item), stored);
    }
    return found;
  };

  /** What `importBatch` would do, given what is stored and what earlier rows would have done. */
  const tryBatch = async (rows: readonly ImportedItem[], moved: MovedSlugs, { deadline }: Moment) => {
    const found = await readStored(rows, rows, deadline);
    const ownerOf = (slug: string): string | undefined => {
      const owner = moved.ownerOf(slug);
      return owner === undefined ? found.get(slug)?.item.id : (owner ?? undefined);
    };
    return rows.map((row): ImportResult => {
      const slug = slugOf(row);
      const owner = ownerOf(slug);
      const id = row.id ?? owner;
      const stored = id === undefined ? undefined : found.get(id)?.item;
      const reason = stored && skipReasonOf(row, stored);
      if (reason !== undefined) return { reason };
      if (stored && replacement(stored, row, '') === undefined) return 'unchanged';
      if (owner !== undefined && owner !== id) return SLUG_TAKEN;
      if (stored && slugOf(stored) !== slug) moved.move(slugOf(stored), null);
      moved.move(slug, id ?? 'new');
      return 'loaded';
    });
  };

  /** One transaction. It fails, with nothing written, when one of the items or its slug exists. */
  const createAll = async (added: readonly ContentItem[], deadline: Deadline): Promise<boolean> => {
    const { items, claims, lists } = await creationWrites(store, added);
    return (await transact(db, [...items, ...claims, ...lists], deadline)).committed;
  };

  /** Imports the rows that are appended to a list, new items before those that change their domain, and skips rows. */
  const importAppended = async (rows: readonly ImportedItem[], found: StoredItems, moment: Moment) => {
    const outcomes = new Map<ImportedItem, ImportResult>();
    const created: ImportedItem[] = [];
    const moved: ImportedItem[] = [];
    for (const row of rows) {
      const item = found.get(row.id ?? slugOf(row))?.item;
      const reason = item && skipReasonOf(row, item);
      if (reason !== undefined) outcomes.set(row, { reason });
      else if (item === undefined) created.push(row);
      else if (item.domain !== row.domain) moved.push(row);
    }
    const timestamp = moment.now.toISOString();
    const items = created.map((row) => newItem(row, row.id ?? randomUUID(), timestamp));
    const areCreated = items.length > 0 && (await createAll(items, moment.deadline));
    for (const row of created) outcomes.set(row, areCreated ? 'loaded' : await importRow(row, moment));
    for (const row of moved) outcomes.set(row, await importRow(row, moment));
    return outcomes;
  };

  return {
    /**
     * Imports rows whose items fit one transaction. A row with an id creates or replaces that item, a row without one
     * the item of its domain and slug. The same rows again change nothing, not even `updated_at`. New items are created
     * together or, when one of them or its slug exists, one by one.
     *
     * Calls may overlap: the lists get the items in the order of the calls, and when one call fails, so do all later
     * ones.
     * @throws DeadlineExceeded
     */
    importBatch: async (rows: readonly ImportedItem[], moment: Moment): Promise<ImportResult[]> => {
      if (dryRun) return tryBatch(rows, dryRun, moment);
      const withoutId = rows.filter(({ id }) => id === undefined);
      const reading = readStored(rows, withoutId, moment.deadline);
      const appending = Promise.all([reading, earlierCalls]).then(([found]) => importAppended(rows, found, moment));
      earlierCalls = appending;
      const [appended, found] = [await appending, await reading];
      const results: ImportResult[] = [];
      for (const row of rows) {
        const stored = found.get(row.id ?? slugOf(row));
        const isSame = stored !== undefined && replacement(stored.item, row, '') === undefined;
        results.push(appended.get(row) ?? (isSame ? 'unchanged' : await importRow(row, moment)));
      }
      return results;
    },
  };
};
