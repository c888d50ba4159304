import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { backoffMs, type Deadline } from './deadline.ts';

/**
 * Committed, or refused because of its conditions: nothing was written then. The map tells which of the writes it was,
 * with the item found there if the write asked for it.
 */
export type TransactionOutcome =
  | { readonly committed: true }
  | { readonly committed: false; readonly failed: ReadonlyMap<TransactWriteItem, Record<string, AttributeValue>> };

/** Another request holds one of the items, or DynamoDB is short of capacity: nothing was written, worth another try. */
const PASSING = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded', 'None']);

/** Faults after which nobody knows whether the transaction was applied; the same token finds out safely. */
const isFinal = (error: unknown): boolean => {
  if (!(error instanceof Error)) return true;
  if (error.name === 'TransactionInProgressException') return false;
  const { $fault, $retryable } = error as { $fault?: 'client' | 'server'; $retryable?: object };
  return $fault === 'client' && $retryable === undefined && !error.name.includes('Throttl');
};

type Attempt = TransactionOutcome | { readonly committed: false; readonly passing: true };

const readCancellation = (error: TransactionCanceledException, writes: readonly TransactWriteItem[]): Attempt => {
  const reasons = error.CancellationReasons ?? [];
  const failed = new Map(
    writes.flatMap((write, index) =>
      reasons[index]?.Code === 'ConditionalCheckFailed' ? [[write, reasons[index].Item ?? {}]] : [],
    ),
  );
  if (failed.size > 0) return { committed: false, failed };
  if (reasons.length > 0 && reasons.every(({ Code }) => PASSING.has(Code ?? 'None'))) {
    return { committed: false, passing: true };
  }
  throw error;
};

/**
 * Applies all the writes or none. Conflicts and faults are tried again with jitter until the deadline, under one request
 * token: a transaction that was applied before its answer got lost is recognised and not applied twice.
 * @throws the last fault, or DeadlineExceeded, when the outcome could not be learnt in time
 */
export const transact = async (
  db: DynamoDBClient,
  writes: readonly TransactWriteItem[],
  deadline: Deadline,
): Promise<TransactionOutcome> => {
  const command = { TransactItems: [...writes], ClientRequestToken: randomUUID() };
  for (let attempt = 0; ; attempt += 1) {
    try {
      await deadline.within(db.send(new TransactWriteItemsCommand(command)));
      return { committed: true };
    } catch (error) {
      if (error instanceof TransactionCanceledException) {
        const outcome = readCancellation(error, writes);
        if (!('passing' in outcome)) return outcome;
      } else if (isFinal(error)) throw error;
    }
    await deadline.pause(backoffMs(attempt));
  }
};
