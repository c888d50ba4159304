import type { DynamoItem } from '../aws/database.ts';
import { type TransactWrite, transact } from '../aws/transact.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { parseStored, type RecordOf } from '../schemas/record-schema.ts';
import { type ContentStore, type IdempotentCreation, sha256 } from './content-store.ts';
import type { ContentFields, ContentItem } from './item.ts';

const text = { type: 'string' } as const;

/** What is stored of a creation with an Idempotency-Key. Its fields are not, because a repeated request has them. */
const IdempotencyRecord = {
  type: 'object',
  required: ['bodyHash', 'id', 'createdAt'],
  properties: { bodyHash: text, id: text, createdAt: text },
} as const;

export type IdempotencyRecord = RecordOf<typeof IdempotencyRecord>;

/** The hash of a creation's validated body. The order of the fields in the request does not matter. */
export const hashBody = ({ title, content, domain, slug, meta_description }: ContentFields): string =>
  sha256(JSON.stringify([title, content, domain, slug, meta_description]));

const IF_ABSENT = { ConditionExpression: 'attribute_not_exists(pk)' };

const ifUnchanged = ({ version }: ContentItem) => ({
  ConditionExpression: 'version = :version',
  ExpressionAttributeValues: { ':version': version },
});

const IDEMPOTENCY_SECONDS = 24 * 60 * 60;

/** Fails and returns the stored record if one exists that has not expired. */
const putIdempotencyRecord = (table: string, key: DynamoItem, item: ContentItem): TransactWrite => {
  const now = Math.floor(Date.parse(item.created_at) / 1_000);
  return {
    Put: {
      TableName: table,
      Item: {
        ...key,
        bodyHash: hashBody(item),
        id: item.id,
        createdAt: item.created_at,
        expiresAt: now + IDEMPOTENCY_SECONDS,
      },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': now },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
};

/** The item, its slug and its lists are inconsistent, as after a restore to a moment in the middle of a change. */
class InconsistentContent extends Error {
  override readonly name = 'InconsistentContent';
}

/**
 * How a change ended. It is `changed` when another request has changed, deleted or created the item meanwhile, and
 * `repeated` when the creation has an idempotency record.
 */
export type ChangeOutcome =
  | { readonly kind: 'done' | 'changed' | 'slug taken' }
  | { readonly kind: 'repeated'; readonly record: IdempotencyRecord };

/** The writes of a change. Conditions of `others` fail only where content is inconsistent. */
interface ChangeWrites {
  readonly record?: TransactWrite | undefined;
  readonly item: TransactWrite;
  readonly claim?: TransactWrite | undefined;
  readonly others: readonly TransactWrite[];
}

export const contentTransactions = (store: ContentStore) => {
  const { db, table, keys, lists } = store;

  const putItem = (item: ContentItem, read?: ContentItem): TransactWrite => ({
    Put: { TableName: table, Item: { ...item, ...keys.itemKey(item.id) }, ...(read ? ifUnchanged(read) : IF_ABSENT) },
  });

  /** Fails when another item of the domain has claimed the slug. */
  const claimSlug = ({ domain, slug, id }: ContentItem): TransactWrite => ({
    Put: { TableName: table, Item: { ...keys.slugKey(domain, slug), id }, ...IF_ABSENT },
  });

  const releaseSlug = ({ domain, slug, id }: ContentItem): TransactWrite => ({
    Delete: {
      TableName: table,
      Key: keys.slugKey(domain, slug),
      ConditionExpression: 'id = :id',
      ExpressionAttributeValues: { ':id': id },
    },
  });

  const commit = async ({ record, item, claim, others }: ChangeWrites, deadline: Deadline): Promise<ChangeOutcome> => {
    const all = [record, item, claim, ...others].filter((write) => write !== undefined);
    const outcome = await transact(db, all, deadline);
    if (outcome.committed) return { kind: 'done' };
    const stored = record && outcome.failed.get(record);
    if (stored) return { kind: 'repeated', record: parseStored(IdempotencyRecord, stored) };
    if (outcome.failed.has(item)) return { kind: 'changed' };
    if (claim && outcome.failed.has(claim)) return { kind: 'slug taken' };
    throw new InconsistentContent();
  };

  return {
    insert: async (
      added: ContentItem,
      deadline: Deadline,
      idempotency?: IdempotentCreation,
    ): Promise<ChangeOutcome> => {
      const record = idempotency && putIdempotencyRecord(table, keys.idempotencyRecordKey(idempotency), added);
      const others = lists.changes(undefined, added);
      return commit({ record, item: putItem(added), claim: claimSlug(added), others }, deadline);
    },

    replace: (old: ContentItem, item: ContentItem, deadline: Deadline): Promise<ChangeOutcome> => {
      const movesSlug = item.domain !== old.domain || item.slug !== old.slug;
      const others = [...(movesSlug ? [releaseSlug(old)] : []), ...lists.changes(old, item)];
      const claim = movesSlug ? claimSlug(item) : undefined;
      return commit({ item: putItem(item, old), claim, others }, deadline);
    },

    remove: (item: ContentItem, deadline: Deadline): Promise<ChangeOutcome> => {
      const others = [releaseSlug(item), ...lists.changes(item, undefined)];
      const removed = { Delete: { TableName: table, Key: keys.itemKey(item.id), ...ifUnchanged(item) } };
      return commit({ item: removed, others }, deadline);
    },
  };
};
