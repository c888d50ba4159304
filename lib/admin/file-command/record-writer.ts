import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { backoffMs, deadlineIn } from '../../../core/runtime/deadline.ts';
import type { FileRun, Outcome } from './file-command.ts';
import { inFlight } from './in-flight.ts';

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

/** DynamoDB's own limit for one BatchWriteItem. */
const MAX_BATCH = 25;
/** Concurrent batches: enough to hide the network, few enough not to be throttled at once. */
const BATCHES_IN_FLIGHT = 8;
/** Concurrent requests of one record each: as above. */
const SINGLES_IN_FLIGHT = 32;
/** Milliseconds without a single item written, after which the command fails. */
const STALL_TIMEOUT_MS = 30_000;
const BACKOFF_BASE_MS = 50;
const BACKOFF_CAP_MS = 3_000;

const isClientError = (error: unknown): boolean =>
  error instanceof Error &&
  '$fault' in error &&
  error.$fault === 'client' &&
  !/Throttl|Throughput|RequestLimit/.test(error.name);

/**
 * Attempts a write, with jitter, until nothing of it is left, which is when it returns an outcome. An attempt that wrote a part
 * calls `onProgress`. @throws the last error after the timeout without progress
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
      if (isClientError(error) || deadline.remainingMs() < BACKOFF_CAP_MS) throw error;
    }
    tries += 1;
    await deadline.pause(backoffMs(tries, BACKOFF_BASE_MS, BACKOFF_CAP_MS));
  }
};

/** How records are written: so many to a request, so many requests at a time. */
export interface Writing<Entry> {
  readonly perRequest: number;
  readonly requestsInFlight: number;
  readonly write: (entries: readonly Entry[]) => Promise<Outcome>;
}

/** Puts records in batches, whatever is stored: the cheapest way, which cannot report what was there. */
export const putInBatches = ({ db, table }: FileRun): Writing<object> => ({
  perRequest: MAX_BATCH,
  requestsInFlight: BATCHES_IN_FLIGHT,
  write: (items) => {
    let left: WriteRequest[] = items.map((Item) => ({ PutRequest: { Item } }));
    return persist(async (onProgress) => {
      const { UnprocessedItems } = await db.send(new BatchWriteCommand({ RequestItems: { [table]: left } }));
      const rest = UnprocessedItems?.[table] ?? [];
      if (rest.length < left.length) onProgress();
      left = rest;
      return left.length === 0 ? 'loaded' : undefined;
    });
  },
});

/** Writes records with a request each, whose response reports what was there. */
export const oneByOne = <Entry>(write: (entry: Entry) => Promise<Outcome>): Writing<Entry> => ({
  perRequest: 1,
  requestsInFlight: SINGLES_IN_FLIGHT,
  write: ([entry]) => persist(() => write(entry as Entry)),
});

/** A record, and the line of the file on which its last row begins. */
interface Placed<Entry> {
  readonly entry: Entry;
  readonly line: number;
}

/** Writes records, several requests at a time. No key may occur twice: requests are in no order. */
export const recordWriter = <Entry>(
  { reach, settled }: Pick<FileRun, 'reach' | 'settled'>,
  { perRequest, requestsInFlight, write }: Writing<Entry>,
) => {
  const requests = inFlight(requestsInFlight);
  let batch: Placed<Entry>[] = [];

  const send = (): Promise<void> => {
    const placed = batch;
    batch = [];
    return requests.run(async () => {
      const outcome = await write(placed.map(({ entry }) => entry));
      for (const { line } of placed) settled(line, outcome);
    });
  };

  return {
    /**
     * Writes the record of so many rows, unless an earlier run has. A promise when a request is full.
     * @throws the first error of any request
     */
    put: (entry: Entry, line: number, rows = 1): Promise<void> | undefined => {
      if (!reach(line, rows)) return undefined;
      batch.push({ entry, line });
      return batch.length < perRequest ? undefined : send();
    },

    /** Every write is confirmed afterwards. @throws the first error of any request */
    finish: async (): Promise<void> => {
      if (batch.length > 0) await send();
      await requests.settled();
    },
  };
};
