import { randomUUID } from 'node:crypto';
import { TransactionCanceledException, TransactionInProgressException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Deadline } from '../runtime/deadline.ts';
import { type DynamoItem, isDatabaseError, isThrottle } from './database.ts';
import { retryUntil } from './retry.ts';

export type TransactWrite = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/**
 * A transaction is committed, or cancelled by conditions, and then nothing was written. `failed` has the writes whose
 * condition failed, with the stored item if the write asked for it.
 */
type TransactionOutcome =
  | { readonly committed: true }
  | { readonly committed: false; readonly failed: ReadonlyMap<TransactWrite, DynamoItem> };

/** Reasons of a cancellation that a retry may overcome: a conflict with another transaction, or throttling. */
const TRANSIENT_REASONS = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Whether a cancelled transaction is worth a retry: one transient reason is enough. A condition may have failed only
 * because another change is in progress, and the true reason (such as a repeated creation) is then missing; a retry
 * reports it. The token can be used again, because nothing was applied.
 */
const isTransientCancellation = ({ CancellationReasons: reasons = [] }: TransactionCanceledException): boolean =>
  reasons.some(({ Code = 'None' }) => TRANSIENT_REASONS.has(Code)) ||
  (reasons.length > 0 && reasons.every(({ Code = 'None' }) => Code === 'None'));

/** Milliseconds. A conflict is over as soon as the other transaction is, so the pauses stay short. */
const LONGEST_CONFLICT_PAUSE_MS = 100;

const isTransactionConflict = (error: unknown): boolean =>
  error instanceof TransactionCanceledException &&
  (error.CancellationReasons ?? []).some(({ Code }) => Code === 'TransactionConflict');

/** Errors worth a retry, including those after which the outcome is unknown: the token makes the retry safe. */
export const isTransient = (error: unknown): boolean => {
  if (error instanceof TransactionCanceledException) return isTransientCancellation(error);
  if (!isDatabaseError(error)) return false;
  if (isThrottle(error) || error instanceof TransactionInProgressException) return true;
  const { $fault, $retryable } = error as { $fault?: 'client' | 'server'; $retryable?: object };
  return $fault !== 'client' || $retryable !== undefined;
};

/** The writes whose condition failed. The SDK does not unmarshall their items. */
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
 * Applies all writes or none. Retries conflicts, throttling and transient errors until the deadline with one client
 * request token, so that a transaction whose response was lost is not applied twice.
 * @throws DeadlineExceeded, whose cause is the last transient error, when the outcome is still unknown; any other error
 * at once
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
  return retryUntil(deadline, attempt, isTransient, (error) =>
    isTransactionConflict(error) ? LONGEST_CONFLICT_PAUSE_MS : undefined,
  );
};
