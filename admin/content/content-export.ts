import { type DynamoDBDocumentClient, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { ALL_ITEMS, type ContentStore, contentReads, contentStore } from '../../core/content/content-store.ts';
import type { ContentItem } from '../../core/content/item.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';

/** Items that are read at once: at most 10 MB of content. */
const ITEMS_AT_ONCE = 100;
/** Milliseconds to read them, retries included. */
const TIMEOUT_MS = 30_000;

/** Pages of the DynamoDB items in a partition, in their order. */
const queryPartition = ({ db: client, table }: ContentStore, partition: string) => {
  const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': partition } };
  return paginateQuery({ client }, { TableName: table, ...query, ConsistentRead: true });
};

/** The ids of all items in groups, in the order of the list. Ids that are added or removed meanwhile may be missing. */
async function* allIds(store: ContentStore): AsyncGenerator<string[]> {
  const { counterPartition, memberPartition } = store.keys;
  for await (const { Items: counters = [] } of queryPartition(store, counterPartition(ALL_ITEMS))) {
    for (const { sk } of counters) {
      const partition = memberPartition(ALL_ITEMS, Number(sk));
      for await (const { Items: members = [] } of queryPartition(store, partition)) {
        yield members.map(({ member }) => String(member));
      }
    }
  }
}

/** Reads all content of live keys, for a file. */
export const contentExport = (db: DynamoDBDocumentClient, table: string) => {
  const store = contentStore(db, table, 'live');
  const reads = contentReads(store);
  return {
    /** The number of items. */
    count: async (): Promise<number> => (await store.lists.page(ALL_ITEMS, 0, 0)).total,

    /** Every item in the order of the list, which an import then reproduces. */
    async *items(): AsyncGenerator<ContentItem> {
      for await (const ids of allIds(store)) {
        for (let start = 0; start < ids.length; start += ITEMS_AT_ONCE) {
          const stored = await reads.findMany(ids.slice(start, start + ITEMS_AT_ONCE), deadlineIn(TIMEOUT_MS));
          yield* stored.map(({ item }) => item);
        }
      }
    },
  };
};
