import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { claimantOf, contentReads, contentStore, readDynamoItems } from '../../core/content/content-store.ts';
import type { Moment } from '../../core/content/content-table.ts';
import { contentTransactions, creationWrites } from '../../core/content/content-writes.ts';
import type { ContentItem, StoredItem } from '../../core/content/item.ts';
import { transact } from '../../core/dynamodb/transact.ts';
import { backoffMs, type Deadline } from '../../core/runtime/deadline.ts';
import { type ImportedItem, newItem, replacement } from './imported-item.ts';

/** Why a row was skipped; undefined when its item is stored. */
type SkipReason = string | undefined;

const SLUG_TAKEN = 'slug: belongs to another item of this domain';

/** Why a row must not change the stored item that has its id or slug; undefined when it may. */
export type SkipReasonOf = (row: ImportedItem, stored: ContentItem) => SkipReason;

/** Attempts for a row without an id while other requests create or remove the item of its slug. */
const MAX_SLUG_RETRIES = 3;

const slugOf = ({ domain, slug }: ImportedItem): string => `${domain} ${slug}`;

type StoredOf = (row: ImportedItem) => StoredItem | undefined;

/** Imports items from a file into the content of live keys. Safe while the service and other imports run. */
export const contentImport = (
  db: DynamoDBDocumentClient,
  table: string,
  skipReasonOf: SkipReasonOf = () => undefined,
) => {
  const store = contentStore(db, table, 'live');
  const reads = contentReads(store);
  const transactions = contentTransactions(store);

  /** The ids of the items that have these slugs. @throws the error because of which one could not be read */
  const findIdsBySlug = async (
    slugs: readonly Pick<ContentItem, 'domain' | 'slug'>[],
    deadline: Deadline,
  ): Promise<string[]> => {
    const keys = slugs.map(({ domain, slug }) => store.keys.slugKey(domain, slug));
    return (await readDynamoItems(store, keys, deadline)).flatMap((claim) => claimantOf(claim) ?? []);
  };

  /** Resolves when the items of all earlier calls are in their lists. */
  let earlierCalls: Promise<unknown> = Promise.resolve();

  /** Creates items, which must fit one transaction. False, with nothing written, when one of them or its slug exists. */
  const createItems = async (items: readonly ContentItem[], deadline: Deadline): Promise<boolean> =>
    (await transact(db, await creationWrites(store, items), deadline)).committed;

  /** Writes a row in the place of what was read. `changed` when another request changed that meanwhile. */
  const write = async (row: ImportedItem, stored: StoredItem | undefined, { now, deadline }: Moment) => {
    const timestamp = now.toISOString();
    if (stored === undefined) return transactions.insert(newItem(row, row.id ?? randomUUID(), timestamp), deadline);
    const item = replacement(stored.item, row, timestamp);
    return item === undefined ? ({ kind: 'done' } as const) : transactions.replace(stored, item, deadline);
  };

  const findStored = async (row: ImportedItem, { deadline }: Moment): Promise<StoredItem | undefined> => {
    const [id = row.id] = row.id === undefined ? await findIdsBySlug([row], deadline) : [];
    return id === undefined ? undefined : reads.find(id);
  };

  /** Imports one row by itself, and again while other requests change its item. */
  const importRow = async (row: ImportedItem, moment: Moment): Promise<SkipReason> => {
    for (let tries = 0; ; tries += 1) {
      const { kind } = await write(row, await findStored(row, moment), moment);
      if (kind === 'done') return undefined;
      if (kind === 'slug taken' && (row.id !== undefined || tries === MAX_SLUG_RETRIES)) return SLUG_TAKEN;
      await moment.deadline.pause(backoffMs(tries));
    }
  };

  /** Reads the stored items that have the id of a row or, for rows without one, its slug. */
  const findAllStored = async (rows: readonly ImportedItem[], { deadline }: Moment): Promise<StoredOf> => {
    const withoutId = rows.filter(({ id }) => id === undefined);
    const claimed = await findIdsBySlug(withoutId, deadline);
    const ids = new Set([...claimed, ...rows.flatMap(({ id }) => id ?? [])]);
    const found = new Map<string, StoredItem>();
    for (const stored of await reads.findMany([...ids], deadline)) {
      found.set(stored.item.id, stored).set(slugOf(stored.item), stored);
    }
    return (row) => found.get(row.id ?? slugOf(row));
  };

  /** Imports the rows that are appended to a list, new items before those that change their domain, and skips rows. */
  const importAppended = async (rows: readonly ImportedItem[], storedOf: StoredOf, moment: Moment) => {
    const outcomes = new Map<ImportedItem, SkipReason>();
    const created: ImportedItem[] = [];
    const moved: ImportedItem[] = [];
    for (const row of rows) {
      const item = storedOf(row)?.item;
      const reason = item && skipReasonOf(row, item);
      if (reason !== undefined) outcomes.set(row, reason);
      else if (item === undefined) created.push(row);
      else if (item.domain !== row.domain) moved.push(row);
    }
    const timestamp = moment.now.toISOString();
    const items = created.map((row) => newItem(row, row.id ?? randomUUID(), timestamp));
    const areCreated = created.length > 0 && (await createItems(items, moment.deadline));
    for (const row of created) outcomes.set(row, areCreated ? undefined : await importRow(row, moment));
    for (const row of moved) outcomes.set(row, await importRow(row, moment));
    return outcomes;
  };

  return {
    /**
     * Imports rows whose items fit one transaction. A row with an id creates or replaces that item, a row without one the
     * item of its domain and slug. The same rows again change nothing, not even `updated_at`. New items are created
     * together or, when one of them or its slug exists, one by one.
     *
     * Calls may overlap: the lists get the items in the order of the calls, and when one call fails, so do all later ones.
     * @throws DeadlineExceeded
     * @example
     * const reasons = await contentImport(db, table).importBatch(rows, { now, deadline });
     */
    importBatch: async (rows: readonly ImportedItem[], moment: Moment): Promise<SkipReason[]> => {
      const reading = findAllStored(rows, moment);
      const appending = Promise.all([reading, earlierCalls]).then(([storedOf]) =>
        importAppended(rows, storedOf, moment),
      );
      earlierCalls = appending;
      const appended = await appending;
      const storedOf = await reading;
      const outcomes: SkipReason[] = [];
      for (const row of rows) {
        const stored = storedOf(row);
        const isDone = appended.has(row) || (stored !== undefined && replacement(stored.item, row, '') === undefined);
        outcomes.push(isDone ? appended.get(row) : await importRow(row, moment));
      }
      return outcomes;
    },
  };
};
