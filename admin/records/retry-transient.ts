import { TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { retryUntil } from '../../core/aws/retry.ts';
import { isTransient } from '../../core/aws/transact.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';

/** Milliseconds without any progress, after which the command fails. */
export const STALL_TIMEOUT_MS = 30_000;
/** Milliseconds for one attempt to read a batch. */
export const READ_TIMEOUT_MS = 10_000;

/** An erasure is a transaction, which may write the same item at the same time. */
const isWorthRetrying = (error: unknown): boolean =>
  isTransient(error) || error instanceof TransactionConflictException;

/** Repeats a request with jitter while its errors are transient. @throws DeadlineExceeded with the last error */
export const retryTransient = <T>(attempt: () => Promise<T>): Promise<T> =>
  retryUntil(deadlineIn(STALL_TIMEOUT_MS), attempt, isWorthRetrying);
