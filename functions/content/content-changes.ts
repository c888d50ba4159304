import { randomUUID } from 'node:crypto';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { CountedLists } from '../counted-list/counted-list.ts';
import { backoffMs, type Deadline } from '../runtime/deadline.ts';
import { transact } from '../runtime/transact.ts';
import { ALL_ITEMS, domainList, type Entry, parseCreation } from './content-items.ts';
import type { contentReads } from './content-reads.ts';
import { contentWrites } from './content-writes.ts';
import { hashBody, type Repeatable } from './idempotency.ts';
import { requireMatch } from './if-match.ts';
import type { ContentFields, ContentItem, StoredItem } from './item.ts';
import { ContentNotFound, IdempotencyConflict, SlugTaken } from './refusals.ts';

/** The item, its slug and its lists contradict each other; only an operator's repair helps. */
export class InconsistentContent extends Error {
  override readonly name = 'InconsistentContent';
}

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

/** Changes of content. Each is one transaction over the item, its slug, its lists and what is remembered of it. */
export const contentChanges = (
  db: DynamoDBClient,
  table: string,
  lists: CountedLists,
  find: ReturnType<typeof contentReads>['find'],
) => {
  const writes = contentWrites(table);

  /**
   * Reads the item, lets `attempt` change exactly what was read, and does so again while others change it meanwhile.
   * `attempt` returns undefined when the item had changed.
   */
  const changeFound = async <T>(
    id: string,
    ifMatch: string | undefined,
    deadline: Deadline,
    attempt: (stored: StoredItem) => Promise<T | undefined>,
  ): Promise<T> => {
    for (let tries = 0; ; tries += 1) {
      const stored = await find(id);
      if (stored === undefined) throw new ContentNotFound();
      requireMatch(ifMatch, stored.item);
      const result = await attempt(stored);
      if (result !== undefined) return result;
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
      const [all, domain] = await Promise.all([lists.allocate(ALL_ITEMS), lists.allocate(domainList(item.domain))]);
      const remember = repeatable && writes.rememberCreation(repeatable, item);
      const claim = writes.claimSlug(item);
      const outcome = await transact(
        db,
        [
          ...(remember ? [remember] : []),
          claim,
          writes.addItem({ item, positions: { all, domain } }),
          ...lists.append(ALL_ITEMS, all, item.id),
          ...lists.append(domainList(item.domain), domain, item.id),
        ],
        deadline,
      );
      if (outcome.committed) return item;
      const remembered = remember && outcome.failed.get(remember);
      if (remembered) return repeatedCreation(remembered, fields);
      if (outcome.failed.has(claim)) throw new SlugTaken();
      throw new InconsistentContent();
    },

    /** Fields left out keep their value. @throws ContentNotFound, PreconditionFailed, SlugTaken */
    update: (
      id: string,
      changes: Partial<ContentFields>,
      ifMatch: string | undefined,
      { now, deadline }: Moment,
    ): Promise<ContentItem> =>
      changeFound(id, ifMatch, deadline, async ({ item: old, positions }) => {
        const item = { ...old, ...changes, updated_at: now.toISOString(), version: old.version + 1 };
        const movesDomain = item.domain !== old.domain;
        const movesSlug = movesDomain || item.slug !== old.slug;
        const domain = movesDomain ? await lists.allocate(domainList(item.domain)) : positions.domain;
        const replace = writes.replaceItem({ item, positions: { ...positions, domain } }, old);
        const claim = writes.claimSlug(item);
        const outcome = await transact(
          db,
          [
            replace,
            ...(movesSlug ? [writes.releaseSlug(old), claim] : []),
            ...(movesDomain ? lists.remove(domainList(old.domain), positions.domain) : []),
            ...(movesDomain ? lists.append(domainList(item.domain), domain, id) : []),
          ],
          deadline,
        );
        if (outcome.committed) return item;
        if (outcome.failed.has(replace)) return undefined;
        if (outcome.failed.has(claim)) throw new SlugTaken();
        throw new InconsistentContent();
      }),

    /** Gone for good, its slug free again. @throws ContentNotFound, PreconditionFailed */
    remove: (id: string, ifMatch: string | undefined, { deadline }: Moment): Promise<ContentItem> =>
      changeFound(id, ifMatch, deadline, async ({ item, positions }) => {
        const remove = writes.removeItem(item);
        const outcome = await transact(
          db,
          [
            remove,
            writes.releaseSlug(item),
            ...lists.remove(ALL_ITEMS, positions.all),
            ...lists.remove(domainList(item.domain), positions.domain),
          ],
          deadline,
        );
        if (outcome.committed) return item;
        if (outcome.failed.has(remove)) return undefined;
        throw new InconsistentContent();
      }),
  };
};
