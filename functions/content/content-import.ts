import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { countedLists } from '../counted-list/counted-list.ts';
import { backoffMs } from '../runtime/deadline.ts';
import type { Moment } from './content-changes.ts';
import { contentReads } from './content-reads.ts';
import { contentTransactions } from './content-transactions.ts';
import { type ImportedItem, newItem, replacement } from './imported-item.ts';
import type { StoredItem } from './item.ts';

export type ImportOutcome = 'created' | 'replaced' | 'unchanged' | 'slug taken';

/** How often a row that goes by its slug is looked up again when others create or remove that item meanwhile. */
const MAX_RACES = 3;

const slugOf = ({ domain, slug }: ImportedItem): string => `${domain} ${slug}`;

/** Loading of items that a file describes, beside everything else that changes them. */
export const contentImport = (db: DynamoDBClient, table: string) => {
  const lists = countedLists(db, table);
  const reads = contentReads(db, table, lists);
  const transactions = contentTransactions(db, table, lists);

  /** Settled when those before have their positions: they are given in the order in which rows come. */
  let lastTurn: Promise<void> = Promise.resolve();
  const takeTurn = () => {
    const earlier = lastTurn;
    const mine = Promise.withResolvers<void>();
    lastTurn = mine.promise;
    return { earlier, end: mine.resolve };
  };

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
    const [id = given.id] = given.id === undefined ? await reads.findSlugHolders([given], deadline) : [];
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
  const findAllStored = async (rows: readonly ImportedItem[], { deadline }: Moment) => {
    const bySlug = rows.filter(({ id }) => id === undefined);
    const holders = await reads.findSlugHolders(bySlug, deadline);
    const ids = new Set([...holders, ...rows.flatMap(({ id }) => id ?? [])]);
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
    return (row: ImportedItem) => found.get(row.id ?? slugOf(row));
  };

  /** What is stored of the rows, and positions for those of which nothing is. */
  const prepare = async (rows: readonly ImportedItem[], moment: Moment) => {
    const turn = takeTurn();
    try {
      const storedOf = await findAllStored(rows, moment);
      const fresh = rows
        .filter((row) => storedOf(row) === undefined)
        .map((row) => newItem(row, row.id ?? randomUUID(), moment.now.toISOString()));
      await turn.earlier;
      return { storedOf, fresh, positions: fresh.length > 0 ? await transactions.allocate(fresh) : undefined };
    } finally {
      turn.end();
    }
  };

  return {
    put,

    /**
     * Makes the items as they are given, which must fit one transaction. With an id that item is replaced or made anew;
     * without one it goes by domain and slug. Giving the same again changes nothing, not even `updated_at`. The new ones
     * join their lists together, in their order; where something stands in the way, each goes by itself.
     * @throws DeadlineExceeded
     */
    putMany: async (rows: readonly ImportedItem[], moment: Moment): Promise<ImportOutcome[]> => {
      const { storedOf, fresh, positions } = await prepare(rows, moment);
      const inserted = positions && (await transactions.insertMany(fresh, positions, moment.deadline));
      const outcomes: ImportOutcome[] = [];
      for (const row of rows) {
        const stored = storedOf(row);
        if (stored === undefined && inserted) outcomes.push('created');
        else if (stored && replacement(stored.item, row, '') === undefined) outcomes.push('unchanged');
        else outcomes.push(await put(row, moment));
      }
      return outcomes;
    },
  };
};
