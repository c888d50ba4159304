import { BatchWriteCommand, type BatchWriteCommandInput, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { backoffMs, deadlineIn } from '../../../../functions/runtime/deadline.ts';
import type { ImportRun } from './import-kind.ts';
import { inFlight } from './in-flight.ts';

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

/** DynamoDB's own limit for one BatchWriteItem. */
const MAX_BATCH = 25;
/** Concurrent batches: enough to hide the network, few enough not to be throttled at once. */
const BATCHES_IN_FLIGHT = 8;
/** Milliseconds without a single item stored, after which the import fails. */
const STALL_TIMEOUT_MS = 30_000;
const BACKOFF_BASE_MS = 50;
const BACKOFF_CAP_MS = 3_000;

const isClientError = (error: unknown): boolean =>
  error instanceof Error &&
  '$fault' in error &&
  error.$fault === 'client' &&
  !/Throttl|Throughput|RequestLimit/.test(error.name);

/** Writes one batch whole; retries what DynamoDB leaves, with jitter. @throws the last error after the timeout */
const writeBatch = async (db: DynamoDBDocumentClient, table: string, items: readonly object[]): Promise<void> => {
  let left: WriteRequest[] = items.map((Item) => ({ PutRequest: { Item } }));
  let deadline = deadlineIn(STALL_TIMEOUT_MS);
  for (let tries = 0; left.length > 0; tries += 1) {
    if (tries > 0) await deadline.pause(backoffMs(tries, BACKOFF_BASE_MS, BACKOFF_CAP_MS));
    try {
      const { UnprocessedItems } = await db.send(new BatchWriteCommand({ RequestItems: { [table]: left } }));
      const rest = UnprocessedItems?.[table] ?? [];
      if (rest.length < left.length) {
        deadline = deadlineIn(STALL_TIMEOUT_MS);
        tries = 0;
      }
      left = rest;
    } catch (error) {
      if (isClientError(error) || deadline.remainingMs() < BACKOFF_CAP_MS) throw error;
    }
  }
};

/** An item, and the line of the file on which its record begins. */
interface Placed {
  readonly item: object;
  readonly line: number;
}

/**
 * Puts items into a table, 25 to a request and several requests at a time. No key may occur
 * twice: requests are in no order, and one request with the same key twice is rejected.
 */
export const batchWriter = ({ db, table, progress, loaded }: ImportRun) => {
  const batches = inFlight(BATCHES_IN_FLIGHT);
  let batch: Placed[] = [];

  const write = async (placed: readonly Placed[]): Promise<void> => {
    const items = placed.map(({ item }) => item);
    await writeBatch(db, table, items);
    for (const { line } of placed) progress.stored(line);
    loaded(placed.length);
  };

  const send = (): Promise<void> => {
    const placed = batch;
    batch = [];
    return batches.run(() => write(placed));
  };

  return {
    /** A promise when a batch became full. @throws the first error of any batch */
    put: (item: object, line: number): Promise<void> | undefined => {
      batch.push({ item, line });
      return batch.length < MAX_BATCH ? undefined : send();
    },

    /** Everything is stored afterwards. @throws the first error of any batch */
    finish: async (): Promise<void> => {
      if (batch.length > 0) await send();
      await batches.settled();
    },
  };
};
