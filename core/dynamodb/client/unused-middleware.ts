import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Middleware of the SDK that runs for every request and is not needed here. */
const UNUSED = [
  // Prepares a log of every request, which is not written and would contain items.
  'loggerMiddleware',
  'getUserAgentMiddleware',
  // Detects Lambda recursion, which DynamoDB cannot cause.
  'recursionDetectionMiddleware',
];

/** Removes middleware by name. @throws Error when it does not exist, as after an update of the SDK */
export const removeUnused = ({ middlewareStack }: Pick<DynamoDBClient, 'middlewareStack'>, names = UNUSED): void => {
  for (const name of names) {
    if (!middlewareStack.remove(name)) throw new Error(`the SDK has no middleware ${name} to remove`);
  }
};
