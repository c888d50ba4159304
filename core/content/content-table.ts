import { randomUUID } from 'node:crypto';
import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import type { KeyKind } from '../access/api-key.ts';
import { contentNotFound, idempotencyConflict, preconditionFailed, slugTaken } from '../problems.ts';
import { backoffMs, type Deadline } from '../runtime/deadline.ts';
import { ALL_ITEMS, domainList } from './content-lists.ts';
import { claimantOf, contentStore, type IdempotentCreation } from './content-store.ts';
import { type ChangeOutcome, contentTransactions, hashBody, type IdempotencyRecord } from './content-writes.ts';
import {
  type BoundDomains,
  type ContentFields,
  type ContentItem,
  etagOf,
  isAllowedDomain,
  latest,
  requireDomain,
} from './item.ts';
import type { ItemPage, PageRequest } from './page.ts';
import type { Preconditions } from './schemas.ts';

/** A new item or its changes and, where an import has them, the values that the service otherwise sets. */
export type GivenItem = ContentFields & Partial<ContentItem>;

export interface ChangeTiming {
  readonly now: Date;
  readonly deadline: Deadline;
}

interface ItemChange extends ChangeTiming {
  readonly domains?: BoundDomains;
}

const repeatedCreation = ({ bodyHash, id, createdAt }: IdempotencyRecord, fields: ContentFields): ContentItem => {
  if (bodyHash !== hashBody(fields)) throw idempotencyConflict();
  return { id, ...fields, created_at: createdAt, updated_at: createdAt, version: 1 };
};

/** Whether a list of entity tags is `*` or names this one. */
const names = (tags: string, etag: string): boolean =>
  tags.trim() === '*' || tags.split(',').some((tag) => tag.trim() === etag);

/**
 * Checks `If-Match`, which compares strongly, and `If-None-Match`, which compares weakly (RFC 9110 section 13.1).
 * @throws PRECONDITION_FAILED
 */
const requirePreconditions = (
  { 'If-Match': required, 'If-None-Match': excluded }: Preconditions,
  item: ContentItem,
): void => {
  const etag = etagOf(item);
  if (required !== undefined && !names(required, etag)) throw preconditionFailed('If-Match', etag);
  if (excluded !== undefined && names(excluded.replaceAll('W/', ''), etag)) {
    throw preconditionFailed('If-None-Match', etag);
  }
};

/** The content of one kind of key, as requests use it. A change of an item includes its slug and its lists. */
export const contentTable = (db: DynamoDBDocumentClient, table: string, kind: KeyKind) => {
  const store = contentStore(db, table, kind);
  const transactions = contentTransactions(store);

  const findBySlug = async (domain: string, slug: string): Promise<ContentItem | undefined> => {
    const Key = store.keys.slugKey(domain, slug);
    const { Item } = await db.send(new GetCommand({ TableName: table, Key, ConsistentRead: true }));
    const id = Item && claimantOf(Item);
    const item = id === undefined ? undefined : await store.find(id);
    return item?.domain === domain && item.slug === slug ? item : undefined;
  };

  /**
   * Changes the version that was read; reads again when another request changed it meanwhile. So the domain that was
   * checked is the item's domain at the time of the change.
   */
  const changeFound = async (
    id: string,
    preconditions: Preconditions,
    { domains, deadline, newDomain }: ItemChange & { readonly newDomain?: string | undefined },
    attempt: (stored: ContentItem) => Promise<{ outcome: ChangeOutcome; result: ContentItem }>,
  ): Promise<ContentItem> => {
    for (let tries = 0; ; tries += 1) {
      const stored = await store.find(id);
      if (stored === undefined || !isAllowedDomain(domains, stored.domain)) throw contentNotFound();
      requireDomain(domains, newDomain ?? stored.domain);
      requirePreconditions(preconditions, stored);
      const { outcome, result } = await attempt(stored);
      if (outcome.kind === 'done') return result;
      if (outcome.kind === 'slug taken') throw slugTaken();
      await deadline.pause(backoffMs(tries));
    }
  };

  return {
    find: store.find,

    /**
     * Strongly consistent. Newest first; an offset past the end is an empty page. An item that leaves the list while
     * its page is read makes the page shorter. @throws VALIDATION_FAILED for an `after` of another list
     */
    list: async (request: PageRequest, deadline: Deadline): Promise<ItemPage> => {
      const { domain, slug } = request;
      if (domain !== undefined && slug !== undefined) {
        const item = await findBySlug(domain, slug);
        const items = item === undefined ? [] : [item];
        return { items: items.slice(request.offset), total: items.length, next: null };
      }
      const list = domain === undefined ? ALL_ITEMS : domainList(domain);
      const { ids, total, next } = await store.lists.page(list, request);
      const items = await store.findMany(ids, deadline);
      return { items: items.filter((item) => item.domain === (domain ?? item.domain)), total, next };
    },

    /**
     * `isReplayed` means that the item was created by an earlier request with this Idempotency-Key.
     * @throws DOMAIN_FORBIDDEN, IDEMPOTENCY_CONFLICT, and SLUG_TAKEN also when the given id is
     */
    create: async (
      fields: GivenItem,
      idempotency: IdempotentCreation | undefined,
      { now, deadline, domains }: ItemChange,
    ): Promise<{ readonly item: ContentItem; readonly isReplayed: boolean }> => {
      requireDomain(domains, fields.domain);
      const { id = randomUUID(), created_at = fields.updated_at ?? now.toISOString(), version = 1 } = fields;
      const item = { id, ...fields, created_at, updated_at: fields.updated_at ?? created_at, version };
      const outcome = await transactions.insert(item, deadline, idempotency);
      if (outcome.kind === 'done') return { item, isReplayed: false };
      if (outcome.kind === 'repeated') return { item: repeatedCreation(outcome.record, fields), isReplayed: true };
      throw slugTaken();
    },

    /**
     * Fields left out keep their value. The version always increases, and `updated_at` never decreases unless it is
     * given.
     * @throws CONTENT_NOT_FOUND, DOMAIN_FORBIDDEN, PRECONDITION_FAILED, SLUG_TAKEN
     */
    update: (
      id: string,
      changes: Partial<GivenItem>,
      preconditions: Preconditions,
      change: ItemChange,
    ): Promise<ContentItem> =>
      changeFound(id, preconditions, { ...change, newDomain: changes.domain }, async (stored) => {
        // The clocks of two instances can differ.
        const time = latest(change.now.toISOString(), stored.updated_at, changes.created_at ?? '');
        const version = Math.max(stored.version + 1, changes.version ?? 1);
        const item = { ...stored, ...changes, id, updated_at: changes.updated_at ?? time, version };
        return { outcome: await transactions.replace(stored, item, change.deadline), result: item };
      }),

    /** Deletes the item for good and frees its slug. @throws CONTENT_NOT_FOUND, PRECONDITION_FAILED */
    remove: (id: string, preconditions: Preconditions, change: ItemChange): Promise<ContentItem> =>
      changeFound(id, preconditions, change, async (stored) => ({
        outcome: await transactions.remove(stored, change.deadline),
        result: stored,
      })),
  };
};

export const contentData = (db: DynamoDBDocumentClient, { content: table }: { readonly content: string }) => {
  const byKind = {
    live: contentTable(db, table, 'live'),
    test: contentTable(db, table, 'test'),
    probe: contentTable(db, table, 'probe'),
  };
  return ({ kind }: { readonly kind: KeyKind }) => ({ content: byKind[kind] });
};

export type ContentData = ReturnType<ReturnType<typeof contentData>>;
