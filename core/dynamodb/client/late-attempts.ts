import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Thrown instead of a retry that would start too late. The original error is dropped. */
class TooLateToRetry extends Error {
  override readonly name = 'TooLateToRetry';
}

/**
 * Rejects attempts that start more than this many milliseconds after the first attempt. Otherwise a function that was
 * frozen between two attempts could send the second one hours later, when its caller has long received an error and
 * DynamoDB has forgotten the token of a transaction (after ten minutes).
 */
export const rejectLateAttempts = ({ middlewareStack }: DynamoDBClient, milliseconds: number): void => {
  // By what the SDK passes to each attempt of a request. Its `context` is shared by all requests of an operation.
  const firstAttempts = new WeakMap<object, number>();
  const reject =
    <Attempt extends object, Outcome>(next: (attempt: Attempt) => Outcome) =>
    (attempt: Attempt): Outcome => {
      const first = firstAttempts.get(attempt);
      if (first === undefined) firstAttempts.set(attempt, performance.now());
      else if (performance.now() - first > milliseconds) throw new TooLateToRetry();
      return next(attempt);
    };
  middlewareStack.addRelativeTo(reject, {
    name: 'rejectLateAttempts',
    relation: 'after',
    toMiddleware: 'retryMiddleware',
  });
};
