import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { countedLists } from '../counted-list/counted-list.ts';
import { walkList } from '../counted-list/list-walk.ts';
import { deadlineIn } from '../runtime/deadline.ts';
import { ALL_ITEMS } from './content-items.ts';
import { contentReads } from './content-reads.ts';
import type { ContentItem } from './item.ts';

/** Items read at once: at most 10 MB of content. */
const ITEMS_AT_ONCE = 100;
/** Milliseconds for them. */
const PATIENCE_MS = 30_000;

/** Content as a whole, for an operator's file. */
export const contentExport = (db: DynamoDBClient, table: string) => {
  const lists = countedLists(db, table);
  const reads = contentReads(db, table, lists);
  return {
    /** How many items there are. */
    count: async (): Promise<number> => (await lists.page(ALL_ITEMS, 0, 0)).total,

    /** Every item, the first to join first, so that loading them again gives the list the same order. */
    async *items(): AsyncGenerator<ContentItem> {
      for await (const ids of walkList(db, table, ALL_ITEMS)) {
        for (let start = 0; start < ids.length; start += ITEMS_AT_ONCE) {
          const stored = await reads.findMany(ids.slice(start, start + ITEMS_AT_ONCE), deadlineIn(PATIENCE_MS));
          yield* stored.map(({ item }) => item);
        }
      }
    },
  };
};
