import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { TableNames } from '../../../functions/tables.ts';

/** The database and tables that a command works on. */
export interface Deployment {
  readonly db: DynamoDBDocumentClient;
  readonly tableNames: TableNames;
  /** The name of the database in messages. */
  readonly address: string;
  /** What to do when the database or its tables are missing: the end of a message. */
  readonly remedy: string;
  /** Set for production data: the name to type before it is changed, and the one that `--yes` gives. */
  readonly guard?: { readonly name: string; readonly given?: string };
}
