import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, type UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { DeadlineExceeded } from '../runtime/deadline.ts';
import { awsFromEnvironment, usesSdkClient } from '../runtime/environment.ts';
import { rejectLateAttempts } from './client/late-attempts.ts';
import { DynamoDbJson } from './client/protocol.ts';
import { requestHandler, type TransportTimeouts } from './client/transport.ts';
import { removeUnused } from './client/unused-middleware.ts';

/** Milliseconds to connect; DynamoDB usually needs a few. */
const CONNECTION_TIMEOUT_MS = 300;
/** Milliseconds for one response; after that a second attempt is likely to be faster. */
const REQUEST_TIMEOUT_MS = 1_000;
/**
 * With this timeout and the SDK's pauses of up to 25 and 50 ms, a dead database costs at most 3.1 s. After throttling
 * the SDK pauses for up to 1 and 2 s.
 */
const MAX_ATTEMPTS = 3;
/**
 * Milliseconds after the first attempt in which the last one starts, even if both before it were slow and throttled.
 */
const LAST_ATTEMPT_MS = 5_000;

/** An item or a key as plain values, which are unchecked until they are parsed. */
export type DynamoItem = Record<string, unknown>;

/**
 * A document client: plain values in and out, without undefined ones. Unlike the SDK's own, its `destroy` closes the
 * connections of `client`.
 */
export const documentClient = (client: DynamoDBClient): DynamoDBDocumentClient =>
  Object.assign(DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }), {
    destroy: () => client.destroy(),
  });

/** Protocol and transport of a client: ours, or the SDK's with the same timeouts. */
export const transportSettings = (timeouts: TransportTimeouts): DynamoDBClientConfig => ({
  ...(!usesSdkClient() && { protocol: DynamoDbJson }),
  requestHandler: requestHandler(timeouts),
});

/** A DynamoDB client whose timeouts leave time to respond (docs/design.md#time). */
export const createDatabase = (
  place: Pick<DynamoDBClientConfig, 'region' | 'endpoint' | 'credentials'>,
): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({
    ...place,
    maxAttempts: MAX_ATTEMPTS,
    retryMode: 'standard',
    ...transportSettings({ connection: CONNECTION_TIMEOUT_MS, response: REQUEST_TIMEOUT_MS }),
  });
  if (!usesSdkClient()) removeUnused(client);
  rejectLateAttempts(client, LAST_ATTEMPT_MS);
  return documentClient(client);
};

/** Sends an update once: repeating it after a lost response could apply it twice. */
export const sendOnce = async (db: DynamoDBDocumentClient, command: UpdateCommand): Promise<void> => {
  let failure: unknown;
  command.middlewareStack.addRelativeTo(
    <Attempt, Outcome>(next: (attempt: Attempt) => Promise<Outcome>) =>
      async (attempt: Attempt) => {
        try {
          return await next(attempt);
        } catch (error) {
          failure = error;
          // The SDK does not retry after an unknown error.
          throw new Error('not repeated');
        }
      },
    // The document client adds it twice.
    { name: 'sendOnce', override: true, relation: 'after', toMiddleware: 'retryMiddleware' },
  );
  try {
    await db.send(command);
  } catch (error) {
    throw failure ?? error;
  }
};

let shared: DynamoDBDocumentClient | undefined;

/** One client per instance, so that connections are kept. */
export const database = (): DynamoDBDocumentClient => {
  shared ??= createDatabase(awsFromEnvironment());
  return shared;
};

/** Whether a request to DynamoDB failed after its retries. The SDK marks all its errors, lost connections included. */
export const isDatabaseError = (error: unknown): boolean =>
  error instanceof DeadlineExceeded || (error instanceof Error && '$metadata' in error);

const THROTTLES = new Set(['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded']);

/** Whether DynamoDB throttled the request. */
export const isThrottle = (error: unknown): boolean => error instanceof Error && THROTTLES.has(error.name);
