import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Moment } from '../../functions/content/content-changes.ts';
import { contentReads } from '../../functions/content/content-reads.ts';
import { contentTransactions } from '../../functions/content/content-transactions.ts';
import type { ContentItem, StoredItem } from '../../functions/content/item.ts';
import { countedLists } from '../../functions/counted-list/counted-list.ts';
import { backoffMs } from '../../functions/runtime/deadline.ts';
import { type ImportedItem, newItem, replacement } from './imported-item.ts';

export type ImportOutcome = 'created' | 'replaced' | 'unchanged' | 'slug taken' | Skipped;

/** Nothing was done, for this reason. */
export interface Skipped {
  readonly skipReason: string;
}

/** Why a row must leave the stored item alone that it goes to by its id or slug; undefined when it may change it. */
export type SkipReasonOf = (row: ImportedItem, stored: ContentItem) => string | undefined;

/** How often a row that goes by its slug is looked up again when others create or remove that item meanwhile. */
const MAX_RACES = 3;

const slugOf = ({ domain, slug }: ImportedItem): string => `${domain} ${slug}`;

type StoredOf = (row: ImportedItem) => StoredItem | undefined;

/** Loading of items that a file describes, beside everything else that changes them. */
export const contentImport = (db: DynamoDBClient, table: string, skipReasonOf: SkipReasonOf = () => undefined) => {
  const lists = countedLists(db, table);
  const reads = contentReads(db, table, lists);
  const transactions = contentTransactions(db, table, lists);

  /** Settled when what was given before has joined its lists. */
  let lastToJoin: Promise<unknown> = Promise.resolve();

  const change = async (
    given: ImportedItem,
    stored: StoredItem | undefined,
    { now, deadline }: Moment,
  ): Promise<ImportOutcome | 'changed'> => {
    const timestamp = now.toISOString();
    if (stored === undefined) {
      const outcome = await transactions.insert(newItem(given, given.id ?? randomUUID(), timestamp), deadline);
      return outcome === 'slug taken' ? outcome : outcome === 'done' ? 'created' : 'changed';
    }
    const item = replacement(stored.item, given, timestamp);
    if (item === undefined) return 'unchanged';
    const outcome = await transactions.replace(stored, item, deadline);
    return outcome === 'done' ? 'replaced' : outcome;
  };

  const findStored = async (given: ImportedItem, { deadline }: Moment): Promise<StoredItem | undefined> => {
    const [id = given.id] = given.id === undefined ? await reads.findIdsBySlug([given], deadline) : [];
    return id === undefined ? undefined : reads.find(id);
  };

  /** One item by itself, again while others change it meanwhile. */
  const put = async (given: ImportedItem, moment: Moment): Promise<ImportOutcome> => {
    for (let tries = 0; ; tries += 1) {
      const outcome = await change(given, await findStored(given, moment), moment);
      const isRace = outcome === 'changed' || (outcome === 'slug taken' && given.id === undefined && tries < MAX_RACES);
      if (!isRace) return outcome;
      await moment.deadline.pause(backoffMs(tries));
    }
  };

  /** What is stored of each row that goes by its id, or by its slug. */
  const findAllStored = async (rows: readonly ImportedItem[], { deadline }: Moment): Promise<StoredOf> => {
    const bySlug = rows.filter(({ id }) => id === undefined);
    const claimed = await reads.findIdsBySlug(bySlug, deadline);
    const ids = new Set([...claimed, ...rows.flatMap(({ id }) => id ?? [])]);
    const stored = await reads.findMany([...ids], deadline);
    const found = new Map(
      stored.flatMap(
        (one) =>
          [
            [one.item.id, one],
            [slugOf(one.item), one],
          ] as const,
      ),
    );
    return (row) => found.get(row.id ?? slugOf(row));
  };

  /** Makes new items together. False, and nothing made, when something stands in the way. */
  const createMany = async (rows: readonly ImportedItem[], { now, deadline }: Moment): Promise<boolean> => {
    const items = rows.map((row) => newItem(row, row.id ?? randomUUID(), now.toISOString()));
    return items.length === 0 || transactions.insertMany(items, await transactions.allocate(items), deadline);
  };

  /** What comes of the rows that must not do anything, and of those that join a list: new ones, then those that move. */
  const join = async (rows: readonly ImportedItem[], storedOf: StoredOf, moment: Moment) => {
    const outcomes = new Map<ImportedItem, ImportOutcome>();
    for (const row of rows) {
      const stored = storedOf(row);
      const skipReason = stored && skipReasonOf(row, stored.item);
      if (skipReason !== undefined) outcomes.set(row, { skipReason });
    }
    const fresh = rows.filter((row) => storedOf(row) === undefined);
    const moving = rows.filter((row) => {
      const stored = storedOf(row);
      return !outcomes.has(row) && stored !== undefined && stored.item.domain !== row.domain;
    });
    const areCreated = await createMany(fresh, moment);
    for (const row of fresh) outcomes.set(row, areCreated ? 'created' : await put(row, moment));
    for (const row of moving) outcomes.set(row, await put(row, moment));
    return outcomes;
  };

  return {
    /**
     * Makes the items as they are given, which must fit one transaction. With an id that item is replaced or made anew;
     * without one it goes by domain and slug. Giving the same again changes nothing, not even `updated_at`. The new ones
     * join their lists together, in their order; where something stands in the way, each goes by itself. They join after
     * those of every earlier call, which need not have come to its end; when one fails, so do those that come after it.
     * One that `skipReasonOf` has a reason against is left alone.
     * @throws DeadlineExceeded
     */
    importBatch: async (rows: readonly ImportedItem[], moment: Moment): Promise<ImportOutcome[]> => {
      const reading = findAllStored(rows, moment);
      const joining = Promise.all([reading, lastToJoin]).then(([storedOf]) => join(rows, storedOf, moment));
      lastToJoin = joining;
      const [joined, storedOf] = [await joining, await reading];
      const outcomes: ImportOutcome[] = [];
      for (const row of rows) {
        const stored = storedOf(row);
        const isUnchanged = stored !== undefined && replacement(stored.item, row, '') === undefined;
        outcomes.push(joined.get(row) ?? (isUnchanged ? 'unchanged' : await put(row, moment)));
      }
      return outcomes;
    },
  };
};
