import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { KeyEnvironment } from '../access/api-key.ts';
import { type CountedLists, countedLists } from '../counted-list/counted-list.ts';
import { CONTENT_PREFIX, contentKeys } from './content-entries.ts';

/**
 * The content of one environment. Every read and write takes its keys and lists from here, so that content of live and of
 * test keys stays apart in their one table.
 */
export interface ContentStore {
  readonly db: DynamoDBDocumentClient;
  readonly table: string;
  readonly keys: ReturnType<typeof contentKeys>;
  readonly lists: CountedLists;
}

/** Opens the content of an environment. */
export const contentStore = (db: DynamoDBDocumentClient, table: string, environment: KeyEnvironment): ContentStore => ({
  db,
  table,
  keys: contentKeys(environment),
  lists: countedLists(db, table, CONTENT_PREFIX[environment]),
});
