import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  type DynamoDBClient,
  TransactionCanceledException,
  TransactionInProgressException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { Deadline } from './deadline.ts';
import { isDatabaseFault, isThrottle } from './dynamodb.ts';
import { retryUntil } from './retry.ts';

/**
 * Committed, or refused because of its conditions: nothing was written then. The map tells which of the writes it was,
 * with the item found there if the write asked for it.
 */
export type TransactionOutcome =
  | { readonly committed: true }
  | { readonly committed: false; readonly failed: ReadonlyMap<TransactWriteItem, Record<string, AttributeValue>> };

/** Another request holds one of the items, or DynamoDB is short of capacity: nothing was written, worth another try. */
const PASSING = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded', 'None']);

const isPassingCancellation = ({ CancellationReasons: reasons = [] }: TransactionCanceledException): boolean =>
  reasons.length > 0 && reasons.every(({ Code }) => PASSING.has(Code ?? 'None'));

/** Faults after which another try helps, or nobody knows whether the transaction was applied: its token finds out safely. */
const passes = (fault: unknown): boolean => {
  if (fault instanceof TransactionCanceledException) return isPassingCancellation(fault);
  if (!isDatabaseFault(fault)) return false;
  if (isThrottle(fault) || fault instanceof TransactionInProgressException) return true;
  const { $fault, $retryable } = fault as { $fault?: 'client' | 'server'; $retryable?: object };
  return $fault !== 'client' || $retryable !== undefined;
};

const failedConditions = (
  { CancellationReasons: reasons = [] }: TransactionCanceledException,
  writes: readonly TransactWriteItem[],
): ReadonlyMap<TransactWriteItem, Record<string, AttributeValue>> =>
  new Map(
    writes.flatMap((write, index) =>
      reasons[index]?.Code === 'ConditionalCheckFailed' ? [[write, reasons[index].Item ?? {}]] : [],
    ),
  );

/**
 * Applies all the writes or none. Conflicts, throttles and faults are tried again with jitter until the deadline, under
 * one request token: a transaction that was applied before its answer got lost is recognised and not applied twice.
 * @throws DeadlineExceeded, whose cause is the last fault, when the outcome could not be learnt in time; at once a fault
 *   that would only come again
 */
export const transact = async (
  db: DynamoDBClient,
  writes: readonly TransactWriteItem[],
  deadline: Deadline,
): Promise<TransactionOutcome> => {
  const command = { TransactItems: [...writes], ClientRequestToken: randomUUID() };
  const attempt = async (): Promise<TransactionOutcome> => {
    try {
      await db.send(new TransactWriteItemsCommand(command));
      return { committed: true };
    } catch (error) {
      const failed = error instanceof TransactionCanceledException ? failedConditions(error, writes) : new Map();
      if (failed.size > 0) return { committed: false, failed };
      throw error;
    }
  };
  return retryUntil(deadline, attempt, passes);
};
