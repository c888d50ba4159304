import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { retryUntil } from '../../core/aws/retry.ts';
import { isTransient } from '../../core/aws/transact.ts';
import { claimantOf, contentStore } from '../../core/content/content-store.ts';
import { type ChangeTiming, contentTable, type GivenItem } from '../../core/content/content-table.ts';
import type { ContentFields, ContentItem } from '../../core/content/item.ts';
import { ApiError } from '../../core/problems.ts';
import type { Deadline } from '../../core/runtime/deadline.ts';

const FIELDS = ['title', 'content', 'domain', 'slug', 'meta_description', 'created_at', 'updated_at'] as const;

const differs = (row: GivenItem, stored: ContentItem): boolean =>
  FIELDS.some((field) => row[field] !== undefined && row[field] !== stored[field]) ||
  (row.version ?? 0) > stored.version;

export const qualifiedSlug = ({ domain, slug }: ContentFields): string => `${domain} ${slug}`;

/** Stored items by their ids and by their slugs. */
type StoredItems = Map<string, ContentItem>;

const remember = (stored: StoredItems, item: ContentItem): void => {
  stored.set(item.id, item).set(qualifiedSlug(item), item);
};

type ImportResult = 'loaded' | 'unchanged' | { readonly reason: string };

/**
 * Imports items into the content of live keys, each as a request creates or updates one. Safe while the service and
 * other imports run. A dry run reads as an import does, and writes nothing.
 */
export const contentImport = (db: DynamoDBDocumentClient, table: string, { dryRun = false } = {}) => {
  const store = contentStore(db, table, 'live');
  const content = contentTable(db, table, 'live');

  /** Each item is created a millisecond after the one before, because lists have the order of the file. */
  let createdItems = 0;

  const create = async (row: GivenItem, { now, deadline }: ChangeTiming): Promise<ContentItem> => {
    const time = new Date(now.getTime() + createdItems);
    createdItems += 1;
    return (await content.create(row, undefined, { now: time, deadline })).item;
  };

  /** Reads the stored items that have the id or the slug of a row: two requests for at most 50 rows. */
  const readStored = async (rows: readonly GivenItem[], deadline: Deadline): Promise<StoredItems> => {
    const slugKeys = rows.map(({ domain, slug }) => store.keys.slugKey(domain, slug));
    const claims = await store.readItems(slugKeys, deadline);
    const ids = new Set([...claims.flatMap((claim) => claimantOf(claim) ?? []), ...rows.flatMap(({ id }) => id ?? [])]);
    const stored: StoredItems = new Map();
    for (const item of await store.findMany([...ids], deadline)) remember(stored, item);
    return stored;
  };

  return {
    readStored,

    /**
     * A row with an id creates or updates the item with that id; a row without one, the item with its domain and slug.
     * A row that differs in nothing changes nothing, not even `updated_at`.
     * @param known what `readStored` has found for this row and others, which is kept up to date. Where somebody else
     * has changed it since, the write fails, and the row's item is read again.
     * @throws DeadlineExceeded
     */
    importRow: async (row: GivenItem, timing: ChangeTiming, known: StoredItems = new Map()): Promise<ImportResult> => {
      for (let found = known; ; found = await readStored([row], timing.deadline)) {
        const stored = found.get(row.id ?? qualifiedSlug(row));
        if (stored && !differs(row, stored)) return 'unchanged';
        if (stored && row.updated_at && row.updated_at < (row.created_at ?? stored.created_at)) {
          return { reason: 'updated_at: must not be before created_at, which the stored item has' };
        }
        if (dryRun) return 'loaded';
        try {
          const item = await retryUntil(
            timing.deadline,
            () => (stored ? content.update(stored.id, row, {}, timing) : create(row, timing)),
            isTransient,
          );
          if (stored) known.delete(qualifiedSlug(stored));
          remember(known, item);
          return 'loaded';
        } catch (error) {
          // Somebody has removed the item, or created one with its id or slug.
          if (!(error instanceof ApiError)) throw error;
          if (error.code === 'SLUG_TAKEN' && found !== known) {
            return { reason: 'slug: belongs to another item of this domain; a row that frees it must come before' };
          }
        }
      }
    },
  };
};
