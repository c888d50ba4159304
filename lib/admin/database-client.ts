import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { NodeHttpHandler } from '@smithy/node-http-handler';

/** Milliseconds; an operator's load may queue behind its own batches, so there is more patience than in a function. */
const CONNECTION_TIMEOUT_MS = 2_000;
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 3;

/** A DynamoDB client with an operator's patience. */
export const connect = (config: DynamoDBClientConfig): DynamoDBClient => {
  const db = new DynamoDBClient({
    ...config,
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    }),
  });
  // It prepares every item for a log that nobody keeps: a tenth of an import's time.
  db.middlewareStack.remove('loggerMiddleware');
  return db;
};
