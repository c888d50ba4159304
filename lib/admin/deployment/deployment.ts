import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { TableNames } from '../../../functions/tables.ts';

/** The database and tables that a command works on. */
export interface Deployment {
  readonly db: DynamoDBDocumentClient;
  readonly tableNames: TableNames;
  /** As an operator knows the database, for sentences about it. */
  readonly address: string;
  /** What to do when the database or its tables are not there, for the end of a sentence. */
  readonly remedy: string;
  /** Set where data is kept for good: what to type before it is destroyed, and what a script has given in advance. */
  readonly guard?: { readonly name: string; readonly given?: string };
}
