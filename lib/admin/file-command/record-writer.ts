import { Readable } from 'node:stream';
import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { isTransient } from '../../../core/dynamodb/transact.ts';
import { backoffMs, deadlineIn } from '../../../core/runtime/deadline.ts';
import type { Outcome, RowContext, Writing } from './file-command.ts';

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

/** DynamoDB's own limit for one BatchWriteItem. */
const MAX_BATCH = 25;
/** Concurrent batches: enough to hide network latency, few enough to avoid immediate throttling. */
const BATCHES_IN_FLIGHT = 8;
/** Concurrent requests of one record each: as above. */
const SINGLES_IN_FLIGHT = 32;
/** Milliseconds without a single item written, after which the command fails. */
const STALL_TIMEOUT_MS = 30_000;
const BACKOFF_BASE_MS = 50;
const BACKOFF_CAP_MS = 3_000;

/**
 * Retries a write with jitter until an attempt returns an outcome. An attempt that wrote a part calls `onProgress`.
 * @throws the last error after the timeout without progress
 */
const persist = async (attempt: (onProgress: () => void) => Promise<Outcome | undefined>): Promise<Outcome> => {
  let deadline = deadlineIn(STALL_TIMEOUT_MS);
  let tries = 0;
  const onProgress = (): void => {
    deadline = deadlineIn(STALL_TIMEOUT_MS);
    tries = 0;
  };
  for (;;) {
    try {
      const outcome = await attempt(onProgress);
      if (outcome !== undefined) return outcome;
    } catch (error) {
      if (!isTransient(error) || deadline.remainingMs() < BACKOFF_CAP_MS) throw error;
    }
    tries += 1;
    await deadline.pause(backoffMs(tries, BACKOFF_BASE_MS, BACKOFF_CAP_MS));
  }
};

/** Puts records in batches and overwrites what is stored: the cheapest way, which does not report what was there. */
export const putInBatches = ({ deployment: { db }, table }: RowContext): Writing<object> => ({
  requestsInFlight: BATCHES_IN_FLIGHT,
  fits: ({ length }) => length <= MAX_BATCH,
  write: async (items) => {
    let left: WriteRequest[] = items.map((Item) => ({ PutRequest: { Item } }));
    const outcome = await persist(async (onProgress) => {
      const { UnprocessedItems } = await db.send(new BatchWriteCommand({ RequestItems: { [table]: left } }));
      const rest = UnprocessedItems?.[table] ?? [];
      if (rest.length < left.length) onProgress();
      left = rest;
      return left.length === 0 ? 'loaded' : undefined;
    });
    return items.map(() => outcome);
  },
});

/** Writes records with a request each, whose response reports what was there. */
export const oneByOne = <Entry>(write: (entry: Entry) => Promise<Outcome>): Writing<Entry> => ({
  requestsInFlight: SINGLES_IN_FLIGHT,
  fits: ({ length }) => length <= 1,
  write: (entries) => Promise.all(entries.map((entry) => persist(() => write(entry)))),
});

interface Attempt<Batch> {
  readonly batch: Batch;
  readonly isWritten: boolean;
}

/**
 * Writes batches of records and yields each once it and every earlier one is written. No key may occur twice: requests end in
 * any order. Behind a batch that is retried for long fewer than twice `concurrency` begin: a killed command writes them again.
 * @throws the first error, once no request is in flight; none begins after it
 */
export async function* writeBatches<Batch>(
  batches: AsyncIterable<Batch>,
  write: (batch: Batch) => Promise<void>,
  concurrency: number,
): AsyncGenerator<Batch> {
  // An error that ended the stream would not wait for the requests in flight.
  const errors: unknown[] = [];

  async function* untilError() {
    try {
      for await (const batch of batches) {
        if (errors.length > 0) return;
        yield batch;
      }
    } catch (error) {
      errors.push(error);
    }
  }

  const attempt = async (batch: Batch): Promise<Attempt<Batch>> => {
    try {
      // The stream may have read a batch before the error.
      if (errors.length === 0) {
        await write(batch);
        return { batch, isWritten: true };
      }
    } catch (error) {
      errors.push(error);
    }
    return { batch, isWritten: false };
  };

  const attempts: AsyncIterable<Attempt<Batch>> = Readable.from(untilError()).map(attempt, { concurrency });
  let isConfirmed = true;
  for await (const { batch, isWritten } of attempts) {
    isConfirmed &&= isWritten;
    if (isConfirmed) yield batch;
  }
  if (errors.length > 0) throw errors[0];
}
