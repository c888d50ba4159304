import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { countedLists } from '../counted-list/counted-list.ts';
import { contentChanges } from './content-changes.ts';
import { contentReads } from './content-reads.ts';

/** The table of content: the one door to items, their slugs and their lists. */
export const contentTable = (db: DynamoDBClient, table: string) => {
  const lists = countedLists(db, table);
  const reads = contentReads(db, table, lists);
  return { ...reads, ...contentChanges(db, table, lists, reads.find) };
};
