import { BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { isTransient } from '../../../core/dynamodb/transact.ts';
import { backoffMs, deadlineIn } from '../../../core/runtime/deadline.ts';
import type { Outcome, RowContext, Waiting, Writing } from './file-command.ts';

type WriteRequest = NonNullable<BatchWriteCommandInput['RequestItems']>[string][number];

/** DynamoDB's own limit for one BatchWriteItem. */
const MAX_BATCH = 25;
/** Concurrent batches: enough to hide network latency, few enough to avoid immediate throttling. */
const BATCHES_IN_FLIGHT = 8;
/** Concurrent requests of one record each: as above. */
const SINGLES_IN_FLIGHT = 32;
/**
 * Requests that may begin, in those that may be in flight, before the first of them is confirmed. A request that is retried
 * for long would otherwise let any number of records behind it be written again after a kill.
 */
const WINDOW = 2;
/** Milliseconds without a single item written, after which the command fails. */
const STALL_TIMEOUT_MS = 30_000;
const BACKOFF_BASE_MS = 50;
const BACKOFF_CAP_MS = 3_000;

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

/** Writes records, several requests at a time. No key may occur twice: requests end in any order. `Place` is what is known of each. */
export const recordWriter = <Entry, Place>(
  { requestsInFlight, fits, write }: Writing<Entry>,
  settled: (place: Place, outcome: Outcome | Waiting) => void,
) => {
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  /** From the first request that is not confirmed. */
  const begun: { readonly end: Place | undefined; isDone: boolean }[] = [];
  let confirmed: Place | undefined;
  let batch: Entry[] = [];
  let places: Place[] = [];

  const request = async (entries: readonly Entry[], of: readonly Place[]): Promise<void> => {
    const own = { end: of.at(-1), isDone: false };
    begun.push(own);
    const outcomes = await write(entries);
    for (const [index, place] of of.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined) settled(place, outcome);
    }
    own.isDone = true;
    while (begun[0]?.isDone) confirmed = begun.shift()?.end;
  };

  const settle = async (): Promise<void> => {
    await Promise.all(running);
    if (failure) throw failure.error;
  };

  const send = async (): Promise<void> => {
    const next = [batch, places] as const;
    [batch, places] = [[], []];
    const mayBegin = () => running.size < requestsInFlight && begun.length < WINDOW * requestsInFlight;
    while (!failure && !mayBegin()) await Promise.race(running);
    if (failure) return settle();
    const work: Promise<void> = request(...next)
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => running.delete(work));
    running.add(work);
  };

  return {
    /**
     * Writes a record with the next request. A promise when a request is sent. @throws the first error of any request, once none is in flight
     */
    put: (entry: Entry, place: Place): Promise<void> | undefined => {
      const isFull = batch.length > 0 && !fits([...batch, entry]);
      const sent = isFull ? send() : undefined;
      batch.push(entry);
      places.push(place);
      return sent;
    },

    /** Every write is confirmed afterwards. @throws the first error of any request, once none is in flight */
    finish: async (): Promise<void> => {
      if (batch.length > 0) await send();
      await settle();
    },

    /** Every record up to this one is written. */
    confirmed: (): Place | undefined => confirmed,
  };
};
