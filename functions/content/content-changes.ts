import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { CountedLists } from '../counted-list/counted-list.ts';
import { backoffMs, type Deadline } from '../runtime/deadline.ts';
import { type Entry, parseCreation } from './content-items.ts';
import type { contentReads } from './content-reads.ts';
import { type ChangeOutcome, contentTransactions } from './content-transactions.ts';
import { contentWrites } from './content-writes.ts';
import { hashBody, type Repeatable } from './idempotency.ts';
import { requireMatch } from './if-match.ts';
import { type ContentFields, type ContentItem, latest, type StoredItem } from './item.ts';
import { ContentNotFound, IdempotencyConflict, SlugTaken } from './refusals.ts';

/** When a change happens, and by when it must be done. */
export interface Moment {
  readonly now: Date;
  readonly deadline: Deadline;
}

/** The answer to a repeated creation: the item as it was created then. @throws IdempotencyConflict */
const repeatedCreation = (entry: Entry, fields: ContentFields): ContentItem => {
  const { bodyHash, id, createdAt } = parseCreation(entry);
  if (bodyHash !== hashBody(fields)) throw new IdempotencyConflict();
  return { id, ...fields, created_at: createdAt, updated_at: createdAt, version: 1 };
};

/** What callers may do to content. */
export const contentChanges = (
  db: DynamoDBClient,
  table: string,
  lists: CountedLists,
  find: ReturnType<typeof contentReads>['find'],
) => {
  const transactions = contentTransactions(db, table, lists);
  const { rememberCreation } = contentWrites(table);

  /** Reads the item and attempts a change of exactly what was read, again and again while others change it meanwhile. */
  const changeFound = async <T>(
    id: string,
    ifMatch: string | undefined,
    deadline: Deadline,
    attempt: (stored: StoredItem) => Promise<{ outcome: ChangeOutcome; result: T }>,
  ): Promise<T> => {
    for (let tries = 0; ; tries += 1) {
      const stored = await find(id);
      if (stored === undefined) throw new ContentNotFound();
      requireMatch(ifMatch, stored.item);
      const { outcome, result } = await attempt(stored);
      if (outcome === 'done') return result;
      if (outcome === 'slug taken') throw new SlugTaken();
      await deadline.pause(backoffMs(tries));
    }
  };

  return {
    /** @throws SlugTaken, IdempotencyConflict */
    create: async (
      fields: ContentFields,
      repeatable: Repeatable | undefined,
      { now, deadline }: Moment,
    ): Promise<ContentItem> => {
      const timestamp = now.toISOString();
      const item = { id: randomUUID(), ...fields, created_at: timestamp, updated_at: timestamp, version: 1 };
      const guard = repeatable && rememberCreation(repeatable, item);
      const outcome = await transactions.insert(item, deadline, guard);
      if (outcome === 'done') return item;
      if (typeof outcome === 'object') return repeatedCreation(outcome, fields);
      throw new SlugTaken();
    },

    /** Fields left out keep their value; `updated_at` never runs backwards. @throws ContentNotFound, PreconditionFailed, SlugTaken */
    update: (
      id: string,
      changes: Partial<ContentFields>,
      ifMatch: string | undefined,
      { now, deadline }: Moment,
    ): Promise<ContentItem> =>
      changeFound(id, ifMatch, deadline, async (stored) => {
        const { version, updated_at } = stored.item;
        // Clocks of two instances differ.
        const updatedAt = latest(now.toISOString(), updated_at);
        const item = { ...stored.item, ...changes, updated_at: updatedAt, version: version + 1 };
        return { outcome: await transactions.replace(stored, item, deadline), result: item };
      }),

    /** Gone for good, its slug free again. @throws ContentNotFound, PreconditionFailed */
    remove: (id: string, ifMatch: string | undefined, { deadline }: Moment): Promise<ContentItem> =>
      changeFound(id, ifMatch, deadline, async (stored) => ({
        outcome: await transactions.remove(stored, deadline),
        result: stored.item,
      })),
  };
};
