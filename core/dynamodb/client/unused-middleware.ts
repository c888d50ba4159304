import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** What the SDK does for every request and nobody needs. */
const UNUSED = [
  // Prepares every request for a log that nobody keeps, and that would hold items.
  'loggerMiddleware',
  'getUserAgentMiddleware',
  // Against functions that call each other in circles; DynamoDB calls nobody.
  'recursionDetectionMiddleware',
];

/** Takes middleware out of a client, by name. @throws Error when it has none of that name, as after an update of the SDK */
export const removeUnused = ({ middlewareStack }: Pick<DynamoDBClient, 'middlewareStack'>, names = UNUSED): void => {
  for (const name of names) {
    if (!middlewareStack.remove(name)) throw new Error(`the SDK has no middleware ${name} to remove`);
  }
};
