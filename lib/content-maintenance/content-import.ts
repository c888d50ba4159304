import { randomUUID } from 'node:crypto';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { claimantOf, contentReads, contentStore, readEntries } from '../../core/content/content-entries.ts';
import type { Moment } from '../../core/content/content-table.ts';
import { contentTransactions } from '../../core/content/content-writes.ts';
import type { ContentItem, StoredItem } from '../../core/content/item.ts';
import { backoffMs, type Deadline } from '../../core/runtime/deadline.ts';
import { createItems } from './create-items.ts';
import { type ImportedItem, newItem, replacement } from './imported-item.ts';

/** The outcome of a row. A skipped row wrote nothing. */
export type ImportOutcome =
  | { readonly kind: 'created' | 'replaced' | 'unchanged' | 'slug taken' }
  | { readonly kind: 'skipped'; readonly reason: string };

/** Why a row must not change the stored item that has its id or slug; undefined when it may. */
export type SkipReasonOf = (row: ImportedItem, stored: ContentItem) => string | undefined;

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
    return (await readEntries(store, keys, deadline)).flatMap((claim) => claimantOf(claim) ?? []);
  };

  /** Resolves when the items of all earlier calls are in their lists. */
  let earlierCalls: Promise<unknown> = Promise.resolve();

  /** Writes a row in the place of what was read. `changed` when another request changed that meanwhile. */
  const write = async (
    row: ImportedItem,
    stored: StoredItem | undefined,
    { now, deadline }: Moment,
  ): Promise<ImportOutcome | { readonly kind: 'changed' }> => {
    const timestamp = now.toISOString();
    if (stored === undefined) {
      const { kind } = await transactions.insert(newItem(row, row.id ?? randomUUID(), timestamp), deadline);
      return { kind: kind === 'done' ? 'created' : kind === 'slug taken' ? kind : 'changed' };
    }
    const item = replacement(stored.item, row, timestamp);
    if (item === undefined) return { kind: 'unchanged' };
    const { kind } = await transactions.replace(stored, item, deadline);
    return { kind: kind === 'done' ? 'replaced' : kind };
  };

  const findStored = async (row: ImportedItem, { deadline }: Moment): Promise<StoredItem | undefined> => {
    const [id = row.id] = row.id === undefined ? await findIdsBySlug([row], deadline) : [];
    return id === undefined ? undefined : reads.find(id);
  };

  /** Imports one row by itself, and again while other requests change its item. */
  const importRow = async (row: ImportedItem, moment: Moment): Promise<ImportOutcome> => {
    for (let tries = 0; ; tries += 1) {
      const outcome = await write(row, await findStored(row, moment), moment);
      const mayHaveChanged = outcome.kind === 'slug taken' && row.id === undefined && tries < MAX_SLUG_RETRIES;
      if (outcome.kind !== 'changed' && !mayHaveChanged) return outcome;
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

  /** Creates items in one transaction. False, with nothing written, when one of them or its slug exists. */
  const createTogether = async (rows: readonly ImportedItem[], { now, deadline }: Moment): Promise<boolean> => {
    const items = rows.map((row) => newItem(row, row.id ?? randomUUID(), now.toISOString()));
    return items.length === 0 || createItems(store, items, deadline);
  };

  /** Imports the rows that are appended to a list, new items before those that change their domain, and skips rows. */
  const importAppended = async (rows: readonly ImportedItem[], storedOf: StoredOf, moment: Moment) => {
    const outcomes = new Map<ImportedItem, ImportOutcome>();
    const created: ImportedItem[] = [];
    const moved: ImportedItem[] = [];
    for (const row of rows) {
      const item = storedOf(row)?.item;
      const reason = item && skipReasonOf(row, item);
      if (reason !== undefined) outcomes.set(row, { kind: 'skipped', reason });
      else if (item === undefined) created.push(row);
      else if (item.domain !== row.domain) moved.push(row);
    }
    const areCreated = await createTogether(created, moment);
    for (const row of created) outcomes.set(row, areCreated ? { kind: 'created' } : await importRow(row, moment));
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
     * const outcomes = await contentImport(db, table).importBatch(rows, { now, deadline });
     */
    importBatch: async (rows: readonly ImportedItem[], moment: Moment): Promise<ImportOutcome[]> => {
      const reading = findAllStored(rows, moment);
      const appending = Promise.all([reading, earlierCalls]).then(([storedOf]) =>
        importAppended(rows, storedOf, moment),
      );
      earlierCalls = appending;
      const [appended, storedOf] = [await appending, await reading];
      const outcomes: ImportOutcome[] = [];
      for (const row of rows) {
        const stored = storedOf(row);
        const isUnchanged = stored !== undefined && replacement(stored.item, row, '') === undefined;
        outcomes.push(appended.get(row) ?? (isUnchanged ? { kind: 'unchanged' } : await importRow(row, moment)));
      }
      return outcomes;
    },
  };
};
