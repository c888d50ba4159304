import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { awsTransport } from '../../core/aws/aws-transport.ts';
import { documentClient } from '../../core/aws/database.ts';
import { DeadlineExceeded } from '../../core/runtime/deadline.ts';
import { CommandFailure } from '../command/command-result.ts';
import { awsErrorSentence, errorCode, isUnreachable } from './aws-errors.ts';
import type { Deployment } from './deployment.ts';

/** Milliseconds; longer than in a function, because an import's requests may queue behind its own batches. */
const TIMEOUTS = { connection: 2_000, response: 10_000 };
const MAX_ATTEMPTS = 3;

/** The time limits of clients of other services: the SDK has none of its own. */
export const OTHER_SERVICE_TIMEOUTS = {
  connectionTimeout: TIMEOUTS.connection,
  requestTimeout: TIMEOUTS.response,
  throwOnRequestTimeout: true,
};

/** A middleware for clients of other services, which adds the name of the service to their errors. */
export const nameErrors =
  (service: string) =>
  <Input, Output>(next: (request: Input) => Promise<Output>) =>
  (request: Input): Promise<Output> =>
    next(request).catch((error: object) => {
      // Only what the SDK has thrown: any other error is a fault of this program.
      throw '$metadata' in error ? Object.assign(error, { $service: service }) : error;
    });

/** A DynamoDB client with the transport of the functions and longer timeouts. */
export const connect = (config: DynamoDBClientConfig): DynamoDBDocumentClient =>
  documentClient(new DynamoDBClient({ ...config, maxAttempts: MAX_ATTEMPTS, requestHandler: awsTransport(TIMEOUTS) }));

const sentenceAbout = (error: Error, place: Deployment): string | undefined => {
  const { address, remedy, account } = place;
  const sentence = account && awsErrorSentence(error, account.profile);
  if (sentence !== undefined) return sentence;
  if ('$service' in error) return `${error.$service} answered with ${error.name}`;
  if (isUnreachable(error)) return `no database answers at ${address} (${errorCode(error)}): ${remedy}`;
  if (error instanceof DeadlineExceeded) {
    const { cause } = error;
    if (cause instanceof Error && isUnreachable(cause)) return sentenceAbout(cause, place);
    return `the database at ${address} is too slow or too busy to continue`;
  }
  if (error.name === 'ResourceNotFoundException') {
    return account
      ? `a table is missing in ${address}: ${remedy}`
      : `the database at ${address} does not have the tables of this service: create them with "npm start" or a deployment, or correct --tables`;
  }
  // The SDK's message may quote the key of an item. The error's name does not.
  return '$metadata' in error ? `the database at ${address} answered with ${error.name}` : undefined;
};

/** Converts an error of the database or a named service into a CommandFailure; returns any other error unchanged. */
export const asCommandFailure = (error: unknown, place: Deployment): unknown => {
  if (!(error instanceof Error) || error instanceof CommandFailure) return error;
  const sentence = sentenceAbout(error, place);
  return sentence === undefined ? error : new CommandFailure(sentence, { cause: error });
};
