import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Thrown instead of a retry that would start too late. The original error is dropped. */
export class TooLateToTryAgain extends Error {
  override readonly name = 'TooLateToTryAgain';
}

/**
 * Lets a client begin no attempt later than this many milliseconds after a request's first. A function that was frozen
 * between two attempts would else send the second when it thaws, maybe hours after its caller was told that the request
 * failed, and beyond the ten minutes in which DynamoDB knows the token of a transaction.
 */
export const refuseLateAttempts = ({ middlewareStack }: DynamoDBClient, milliseconds: number): void => {
  // By what the SDK hands to each attempt of a request: `context` is shared by all requests of an operation.
  const firstAttempts = new WeakMap<object, number>();
  const refuse =
    <Attempt extends object, Outcome>(next: (attempt: Attempt) => Outcome) =>
    (attempt: Attempt): Outcome => {
      const first = firstAttempts.get(attempt);
      if (first === undefined) firstAttempts.set(attempt, performance.now());
      else if (performance.now() - first > milliseconds) throw new TooLateToTryAgain();
      return next(attempt);
    };
  middlewareStack.addRelativeTo(refuse, {
    name: 'refuseLateAttempts',
    relation: 'after',
    toMiddleware: 'retryMiddleware',
  });
};
