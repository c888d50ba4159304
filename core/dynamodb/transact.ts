import { randomUUID } from 'node:crypto';
import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { backoffMs, type Deadline } from '../runtime/deadline.ts';
import { type DynamoItem, isDatabaseError, isThrottle } from './database.ts';
import { retryUntil } from './retry.ts';

/** One write of a transaction. */
export type TransactWrite = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * Committed, or cancelled because of its conditions: nothing was written then. The map has the writes whose condition failed,
 * with the item found there if the write asked for it.
 */
export type TransactionOutcome =
  | { readonly committed: true }
  | { readonly committed: false; readonly failed: ReadonlyMap<TransactWrite, DynamoItem> };

/** Nothing was written, and a retry may succeed: another request holds one of the items, or capacity is short. */
const TRANSIENT_REASONS = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * One transient reason is enough. A condition beside it may have failed because of the change that is still in progress, and
 * the reason that explains it (such as a repeated creation) is then missing; a retry reports all of them. A cancelled
 * transaction was not applied, so its token can be used again.
 */
const isTransientCancellation = ({ CancellationReasons: reasons = [] }: TransactionCanceledException): boolean =>
  reasons.some(({ Code = 'None' }) => TRANSIENT_REASONS.has(Code)) ||
  (reasons.length > 0 && reasons.every(({ Code = 'None' }) => Code === 'None'));

/** Errors worth a retry, including those after which the outcome is unknown: the token makes the retry safe. */
export const isTransient = (error: unknown): boolean => {
  if (error instanceof TransactionCanceledException) return isTransientCancellation(error);
  if (!isDatabaseError(error)) return false;
  if (isThrottle(error) || error instanceof TransactionInProgressException) return true;
  const { $fault, $retryable } = error as { $fault?: 'client' | 'server'; $retryable?: object };
  return $fault !== 'client' || $retryable !== undefined;
};

/**
 * After a conflict pauses grow to 0.4 s, then shrink, so that changes that have waited long come first. Where 50 clients meet on
 * one counter, they would otherwise wait four times as long (docs/performance.md#many-clients-change-content-at-once).
 */
const pauseMs = (tries: number, error: unknown): number =>
  error instanceof TransactionCanceledException &&
  error.CancellationReasons?.some(({ Code }) => Code === 'TransactionConflict')
    ? backoffMs(tries, 100, 6_000 / (tries + 1) ** 2)
    : backoffMs(tries);

/** The SDK leaves the items of cancellation reasons as attribute values. */
const failedConditions = (
  { CancellationReasons: reasons = [] }: TransactionCanceledException,
  writes: readonly TransactWrite[],
): ReadonlyMap<TransactWrite, DynamoItem> =>
  new Map(
    writes.flatMap((write, index) =>
      reasons[index]?.Code === 'ConditionalCheckFailed' ? [[write, unmarshall(reasons[index].Item ?? {})]] : [],
    ),
  );

/**
 * Applies all writes or none. Retries conflicts, throttling and transient errors until the deadline with the same client
 * request token, so that a transaction whose response was lost is never applied twice.
 * @throws DeadlineExceeded, whose cause is the last transient error, when the outcome is still unknown then; any other
 *   error at once
 */
export const transact = async (
  db: DynamoDBDocumentClient,
  writes: readonly TransactWrite[],
  deadline: Deadline,
): Promise<TransactionOutcome> => {
  const command = { TransactItems: [...writes], ClientRequestToken: randomUUID() };
  const attempt = async (): Promise<TransactionOutcome> => {
    try {
      await db.send(new TransactWriteCommand(command));
      return { committed: true };
    } catch (error) {
      if (!(error instanceof TransactionCanceledException) || isTransientCancellation(error)) throw error;
      const failed = failedConditions(error, writes);
      if (failed.size === 0) throw error;
      return { committed: false, failed };
    }
  };
  return retryUntil(deadline, attempt, isTransient, pauseMs);
};
