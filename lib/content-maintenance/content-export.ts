import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ALL_ITEMS } from '../../functions/content/content-items.ts';
import { contentReads } from '../../functions/content/content-reads.ts';
import type { ContentItem } from '../../functions/content/item.ts';
import { countedLists } from '../../functions/counted-list/counted-list.ts';
import { deadlineIn } from '../../functions/runtime/deadline.ts';
import { walkList } from './list-walk.ts';

/** Items that are read at once: at most 10 MB of content. */
const ITEMS_AT_ONCE = 100;
/** Milliseconds to read them, retries included. */
const PATIENCE_MS = 30_000;

/** Reads all content, for a file. */
export const contentExport = (db: DynamoDBDocumentClient, table: string) => {
  const lists = countedLists(db, table);
  const reads = contentReads(db, table, lists);
  return {
    /** The number of items. */
    count: async (): Promise<number> => (await lists.page(ALL_ITEMS, 0, 0)).total,

    /** Every item, oldest in the list first, so that an import makes a list of the same order. */
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
