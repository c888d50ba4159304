import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { removeUnused } from '../../../functions/dynamodb/client/unused-middleware.ts';
import { documentClient, transportSettings } from '../../../functions/dynamodb/database.ts';
import { usesStockClient } from '../../../functions/runtime/environment.ts';

/** Milliseconds; longer than in a function, because an import's requests may queue behind its own batches. */
const TIMEOUTS = { connection: 2_000, answer: 10_000 };
const MAX_ATTEMPTS = 3;

/** A DynamoDB client with an operator's patience, as quick as the functions' own. */
export const connect = (config: DynamoDBClientConfig): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({
    ...config,
    maxAttempts: MAX_ATTEMPTS,
    ...transportSettings(TIMEOUTS),
  });
  // It prepares every item for a log that nobody keeps: a tenth of an import's time.
  if (!usesStockClient()) removeUnused(client, ['loggerMiddleware']);
  return documentClient(client);
};
