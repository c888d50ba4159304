/** The single writes of which every content transaction is composed. */
import type { TransactWrite } from '../dynamodb/transact.ts';
import { itemAttributes, type SlugClaim } from './content-entries.ts';
import type { ContentStore } from './content-store.ts';
import type { ContentItem, StoredItem } from './item.ts';

export const contentWrites = ({ table, keys: { itemKey, slugKey } }: Pick<ContentStore, 'table' | 'keys'>) => ({
  addItem: (stored: StoredItem): TransactWrite => ({
    Put: {
      TableName: table,
      Item: { ...itemAttributes(stored), ...itemKey(stored.item.id) },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  }),

  /** Fails when the stored item is not the version that was read. */
  replaceItem: (stored: StoredItem, { version }: ContentItem): TransactWrite => ({
    Put: {
      TableName: table,
      Item: { ...itemAttributes(stored), ...itemKey(stored.item.id) },
      ConditionExpression: 'version = :version',
      ExpressionAttributeValues: { ':version': version },
    },
  }),

  /** Fails when the stored item is not the version that was read. */
  removeItem: ({ id, version }: ContentItem): TransactWrite => ({
    Delete: {
      TableName: table,
      Key: itemKey(id),
      ConditionExpression: 'version = :version',
      ExpressionAttributeValues: { ':version': version },
    },
  }),

  /** Fails when another item of the domain has claimed the slug. */
  claimSlug: ({ domain, slug, id }: SlugClaim) => ({
    Put: {
      TableName: table,
      Item: { ...slugKey(domain, slug), id },
      ConditionExpression: 'attribute_not_exists(pk)',
    },
  }),

  releaseSlug: ({ domain, slug, id }: SlugClaim) => ({
    Delete: {
      TableName: table,
      Key: slugKey(domain, slug),
      ConditionExpression: 'id = :id',
      ExpressionAttributeValues: { ':id': id },
    },
  }),
});
