import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DeadlineExceeded } from '../runtime/deadline.ts';
import { awsFromEnvironment } from '../runtime/environment.ts';
import { clientSettings } from './aws-transport.ts';

/** Milliseconds after the first attempt in which the last one starts. */
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

/** Thrown instead of a retry that would start too late. The original error is dropped. */
class TooLateToRetry extends Error {
  override readonly name = 'TooLateToRetry';
}

/**
 * Rejects attempts that start more than `LAST_ATTEMPT_MS` after the first one. Otherwise a function that was frozen
 * between two attempts could send the second one hours later, when its caller has long received an error and DynamoDB
 * has forgotten the token of a transaction (after ten minutes).
 */
const rejectLateAttempts = ({ middlewareStack }: DynamoDBClient): void => {
  // The key is the object that the SDK passes to each attempt of a request: its `context` is shared by all requests.
  const firstAttempts = new WeakMap<object, number>();
  const reject =
    <Attempt extends object, Outcome>(next: (attempt: Attempt) => Outcome) =>
    (attempt: Attempt): Outcome => {
      const first = firstAttempts.get(attempt);
      if (first === undefined) firstAttempts.set(attempt, performance.now());
      else if (performance.now() - first > LAST_ATTEMPT_MS) throw new TooLateToRetry();
      return next(attempt);
    };
  middlewareStack.addRelativeTo(reject, {
    name: 'rejectLateAttempts',
    relation: 'after',
    toMiddleware: 'retryMiddleware',
  });
};

/**
 * A DynamoDB client whose timeouts leave time to respond (docs/design.md#time).
 * @param settings the settings that differ from those of every client
 */
export const createDatabase = (
  place: Pick<DynamoDBClientConfig, 'region' | 'endpoint' | 'credentials'>,
  settings: Pick<DynamoDBClientConfig, 'maxAttempts' | 'requestHandler'> = {},
): DynamoDBDocumentClient => {
  const client = new DynamoDBClient({ ...place, ...clientSettings(), ...settings });
  rejectLateAttempts(client);
  return documentClient(client);
};

let shared: DynamoDBDocumentClient | undefined;

/** One client per instance, so that connections are kept. */
export const database = (): DynamoDBDocumentClient => {
  shared ??= createDatabase(awsFromEnvironment());
  return shared;
};

let sharedWithoutRetries: DynamoDBDocumentClient | undefined;

/**
 * Sends each request once: for a write that must not be repeated after a lost response. Uses the connections of
 * `database`: when a frozen function has lost them, a request of that client, which is repeated, finds out.
 */
export const databaseWithoutRetries = (): DynamoDBDocumentClient => {
  const { requestHandler } = database().config;
  sharedWithoutRetries ??= createDatabase(awsFromEnvironment(), { maxAttempts: 1, requestHandler });
  return sharedWithoutRetries;
};

/** Whether a request to DynamoDB failed after its retries. The SDK marks all its errors, lost connections included. */
export const isDatabaseError = (error: unknown): boolean =>
  error instanceof DeadlineExceeded || (error instanceof Error && '$metadata' in error);

const THROTTLES = new Set(['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded']);

export const isThrottle = (error: unknown): boolean => error instanceof Error && THROTTLES.has(error.name);
