import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { bucketOf, listItemKeys } from '../counted-list/item-keys.ts';
import { ALL_ITEMS, CONTENT_PREFIX, domainList } from './content-store.ts';
import { contentTable } from './content-table.ts';

/**
 * The probe creates and deletes an item every minute, which would leave three empty buckets a day for every page to
 * read. So a deletion also removes the counter of the preceding bucket if that is empty. No other list may do so: a
 * pending creation in that bucket would restart its change number, on which a recount relies.
 */
const probeContent = (db: DynamoDBDocumentClient, table: string): ReturnType<typeof contentTable> => {
  const content = contentTable(db, table, 'probe');
  const { counterKey } = listItemKeys(CONTENT_PREFIX.probe);

  const removeEmptyCounterBefore = async (list: string, position: number): Promise<void> => {
    if (bucketOf(position) === 0) return;
    try {
      await db.send(
        new DeleteCommand({
          TableName: table,
          Key: counterKey(list, bucketOf(position) - 1),
          ConditionExpression: 'members = :none',
          ExpressionAttributeValues: { ':none': 0 },
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  };

  return {
    ...content,
    remove: async (id, ...preconditions) => {
      const stored = await content.find(id);
      const removed = await content.remove(id, ...preconditions);
      if (stored !== undefined) {
        await removeEmptyCounterBefore(ALL_ITEMS, stored.positions.all);
        await removeEmptyCounterBefore(domainList(removed.domain), stored.positions.domain);
      }
      return removed;
    },
  };
};

/** The content of each kind of key, all in one table. A handler takes the one for its request's key. */
export const contentByKeyKind = (db: DynamoDBDocumentClient, table: string) => ({
  live: contentTable(db, table, 'live'),
  test: contentTable(db, table, 'test'),
  probe: probeContent(db, table),
});
