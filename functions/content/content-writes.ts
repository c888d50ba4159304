/** The single writes of which every change of content is composed. */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { creationKey, itemEntry, itemKey, slugKey } from './content-items.ts';
import { hashBody, REMEMBERED_SECONDS, type Repeatable, repeatableId } from './idempotency.ts';
import type { ContentItem, StoredItem } from './item.ts';

/** Unix seconds. */
const secondsOf = (timestamp: string): number => Math.floor(Date.parse(timestamp) / 1_000);

/** Who holds which slug. */
type SlugHolder = Pick<ContentItem, 'domain' | 'slug' | 'id'>;

export const contentWrites = (table: string) => ({
  addItem: (stored: StoredItem): TransactWriteItem => ({
    Put: { TableName: table, Item: itemEntry(stored), ConditionExpression: 'attribute_not_exists(pk)' },
  }),

  /** Fails when the item is no longer the version that the change was made from. */
  replaceItem: (stored: StoredItem, { version }: ContentItem): TransactWriteItem => ({
    Put: {
      TableName: table,
      Item: itemEntry(stored),
      ConditionExpression: 'version = :version',
      ExpressionAttributeValues: { ':version': { N: String(version) } },
    },
  }),

  /** Fails when the item is no longer the version that was read. */
  removeItem: ({ id, version }: ContentItem): TransactWriteItem => ({
    Delete: {
      TableName: table,
      Key: itemKey(id),
      ConditionExpression: 'version = :version',
      ExpressionAttributeValues: { ':version': { N: String(version) } },
    },
  }),

  /** Fails when another item of the domain holds the slug. */
  claimSlug: ({ domain, slug, id }: SlugHolder) => ({
    Put: {
      TableName: table,
      Item: { ...slugKey(domain, slug), id: { S: id } },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  }),

  releaseSlug: ({ domain, slug, id }: SlugHolder) => ({
    Delete: {
      TableName: table,
      Key: slugKey(domain, slug),
      ConditionExpression: 'id = :id',
      ExpressionAttributeValues: { ':id': { S: id } },
    },
  }),

  /** Fails, and shows what is remembered, when the same creation was done within the time it is remembered. */
  rememberCreation: (repeatable: Repeatable, item: ContentItem): TransactWriteItem => ({
    Put: {
      TableName: table,
      Item: {
        ...creationKey(repeatableId(repeatable)),
        ...marshall({
          bodyHash: hashBody(item),
          id: item.id,
          createdAt: item.created_at,
          expiresAt: secondsOf(item.created_at) + REMEMBERED_SECONDS,
        }),
      },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': { N: String(secondsOf(item.created_at)) } },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  }),
});
