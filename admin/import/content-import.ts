import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { claimantOf, contentReads, contentStore, readDynamoItems } from '../../core/content/content-store.ts';
import type { ChangeTiming } from '../../core/content/content-table.ts';
import { contentTransactions, creationWrites } from '../../core/content/content-writes.ts';
import { type ContentFields, type ContentItem, latest } from '../../core/content/item.ts';
import { transact } from '../../core/dynamodb/transact.ts';
import { backoffMs, type Deadline } from '../../core/runtime/deadline.ts';

/** An item of a file: the fields and, where the file has them, the values that the service sets. */
export type ImportedItem = ContentFields & Partial<ContentItem>;

const FIELDS = ['title', 'content', 'domain', 'slug', 'meta_description', 'created_at', 'updated_at'] as const;

/**
 * The stored item with the row's values; undefined when nothing changes. Every change increments the version, because
 * writes are conditional on it, and `updated_at` never decreases unless the file has it. `now` is ISO 8601 UTC.
 */
const replacement = (stored: ContentItem, row: ImportedItem, now: string): ContentItem | undefined => {
  const changes = FIELDS.some((field) => row[field] !== undefined && row[field] !== stored[field]);
  const version = row.version ?? 0;
  if (!changes && version <= stored.version) return undefined;
  return {
    ...stored,
    ...row,
    id: stored.id,
    updated_at: row.updated_at ?? latest(now, stored.updated_at, row.created_at ?? ''),
    version: Math.max(version, stored.version + 1),
  };
};

/**
 * Maximum number of new items in one transaction. Each needs four DynamoDB items, and changes at most one counter in
 * each of its two lists. So 16 items need 96 actions of the 100 that DynamoDB permits.
 */
export const ITEMS_PER_TRANSACTION = 16;
/** DynamoDB's limit for one transaction, with room left for keys and attribute names. */
const MAX_BYTES = 3_500_000;

export const fitsOneTransaction = (items: readonly ContentFields[]): boolean => {
  const texts = items.flatMap((item) => Object.values(item).map(String));
  return items.length <= ITEMS_PER_TRANSACTION && Buffer.byteLength(texts.join('')) <= MAX_BYTES;
};

/** `reason` says why a row was skipped, and `owner` is the id of the item that has its slug. */
type ImportResult = 'loaded' | 'unchanged' | { readonly reason: string; readonly owner?: string | undefined };

const SLUG_TAKEN = 'slug: belongs to another item of this domain';

/**
 * The slugs that earlier rows of a dry run would have moved. Maps each `qualifiedSlug` to the id of the item that would
 * have it, or to null when it would be free.
 */
type MovedSlugs = Map<string, string | null>;

/** Retries of a row without an id while other requests create or remove the item with its slug. */
const MAX_SLUG_RETRIES = 3;

const qualifiedSlug = ({ domain, slug }: ImportedItem): string => `${domain} ${slug}`;

type StoredItems = ReadonlyMap<string, ContentItem>;

/** The item with its id or, when the row has no id, the item with its slug. */
const findStored = (row: ImportedItem, found: StoredItems) => found.get(row.id ?? qualifiedSlug(row));

/**
 * Imports items from a file into the content of live keys. Safe while the service and other imports run.
 * @param skipReasonOf returns why a row must not change the stored item with its id or slug, or undefined when it may
 * @param dryRun if given, nothing is written, and it gets the slugs that would have been moved
 */
export const contentImport = (
  db: DynamoDBDocumentClient,
  table: string,
  skipReasonOf: (row: ImportedItem, stored: ContentItem) => string | undefined = () => undefined,
  dryRun?: MovedSlugs,
) => {
  const store = contentStore(db, table, 'live');
  const reads = contentReads(store);
  const transactions = contentTransactions(store);

  /** Number of rows so far. Each item is created a millisecond after the one before, as lists have the file's order. */
  let count = 0;

  const itemToCreate = ({ version = 1, ...row }: ImportedItem, now: Date): ContentItem => {
    const time = new Date(now.getTime() + count).toISOString();
    count += 1;
    const created_at = row.created_at ?? row.updated_at ?? time;
    return { ...row, id: row.id ?? randomUUID(), created_at, updated_at: row.updated_at ?? created_at, version };
  };

  /** Reads the stored items that have the id or the slug of a row. */
  const readStoredItems = async (rows: readonly ImportedItem[], deadline: Deadline): Promise<StoredItems> => {
    const slugKeys = rows.map(({ domain, slug }) => store.keys.slugKey(domain, slug));
    const claims = await readDynamoItems(store, slugKeys, deadline);
    const ids = new Set([...claims.flatMap((claim) => claimantOf(claim) ?? []), ...rows.flatMap(({ id }) => id ?? [])]);
    const items = await reads.findMany([...ids], deadline);
    return new Map(items.flatMap((item) => [[item.id, item] as const, [qualifiedSlug(item), item] as const]));
  };

  /** Reads again while other requests change the item. @param added what the row creates if it replaces none */
  const importRow = async (
    row: ImportedItem,
    added: ContentItem,
    found: StoredItems,
    { now, deadline }: ChangeTiming,
  ): Promise<ImportResult> => {
    let stored = findStored(row, found);
    for (let tries = 0; ; tries += 1) {
      const reason = stored && skipReasonOf(row, stored);
      if (reason !== undefined) return { reason };
      const item = stored && replacement(stored, row, now.toISOString());
      if (stored && item === undefined) return 'unchanged';
      const { kind } = await (stored && item
        ? transactions.replace(stored, item, deadline)
        : transactions.insert(added, deadline));
      if (kind === 'done') return 'loaded';
      const isFinal = kind === 'slug taken' && (row.id !== undefined || tries === MAX_SLUG_RETRIES);
      if (!isFinal) await deadline.pause(backoffMs(tries));
      const current = await readStoredItems([row], deadline);
      if (isFinal) return { reason: SLUG_TAKEN, owner: current.get(qualifiedSlug(row))?.id };
      stored = findStored(row, current);
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
      if (owner !== undefined && owner !== id) return { reason: SLUG_TAKEN, owner };
      if (stored && qualifiedSlug(stored) !== slug) moved.set(qualifiedSlug(stored), null);
      moved.set(slug, id ?? 'new');
      return 'loaded';
    });
  };

  /** Creates all items or none: none when one of them or its slug exists. */
  const createAll = async (added: readonly ContentItem[], deadline: Deadline): Promise<boolean> => {
    const { items, claims, lists } = creationWrites(store, added);
    return added.length > 0 && (await transact(db, [...items, ...claims, ...lists], deadline)).committed;
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
      const planned = rows.map((row) => ({ row, added: itemToCreate(row, timing.now) }));
      const isNew = ({ row }: { readonly row: ImportedItem }) => findStored(row, found) === undefined;
      const areCreated = await createAll(
        planned.filter(isNew).map(({ added }) => added),
        timing.deadline,
      );
      const results: ImportResult[] = [];
      for (const one of planned) {
        const isCreated = areCreated && isNew(one);
        results.push(isCreated ? 'loaded' : await importRow(one.row, one.added, found, timing));
      }
      return results;
    },
  };
};
