import { BatchGetCommand, type BatchGetCommandInput, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Deadline, readingDeadline } from '../runtime/deadline.ts';
import { type DynamoItem, isThrottle } from './database.ts';
import { retryUntil } from './retry.ts';

interface TableRead {
  readonly table: string;
  readonly consistent?: boolean;
  /** A projection expression; by default all attributes are returned. */
  readonly projection?: string | undefined;
}

const MAX_KEYS = 100;

type RequestItems = NonNullable<BatchGetCommandInput['RequestItems']>;

const requestItems = (reads: readonly TableRead[], keys: DynamoItem[]): RequestItems =>
  Object.fromEntries(
    reads.map(({ table, consistent = false, projection }) => [
      table,
      { Keys: keys, ConsistentRead: consistent, ProjectionExpression: projection },
    ]),
  );

type TableItem = readonly [table: string, item: DynamoItem];

const keysIn = (requested: RequestItems): TableItem[] =>
  Object.entries(requested).flatMap(([table, { Keys = [] }]) => Keys.map((key): TableItem => [table, key]));

const groupByTable = (items: readonly TableItem[]): ReadonlyMap<string, readonly DynamoItem[]> => {
  const groups = Map.groupBy(items, ([table]) => table);
  return new Map([...groups].map(([table, group]) => [table, group.map(([, item]) => item)]));
};

/** DynamoDB left keys of a batch unprocessed: capacity was short, or the response would be too large. */
class KeysUnprocessed extends Error {
  override readonly name = 'KeysUnprocessed';
}

const isUnprocessedOrThrottled = (error: unknown): boolean => error instanceof KeysUnprocessed || isThrottle(error);

/** Reads a chunk until nothing is unprocessed. An error or the deadline leaves the rest unread. */
const readChunk = async (db: DynamoDBDocumentClient, chunk: RequestItems, deadline: Deadline) => {
  const found: TableItem[] = [];
  let left = chunk;
  const readLeft = async () => {
    const response = await db.send(new BatchGetCommand({ RequestItems: left }));
    for (const [table, items] of Object.entries(response.Responses ?? {})) {
      found.push(...items.map((item): TableItem => [table, item]));
    }
    // `UnprocessedKeys` has the form of the next request.
    left = response.UnprocessedKeys ?? {};
    if (keysIn(left).length > 0) throw new KeysUnprocessed();
  };
  try {
    await retryUntil(deadline, readLeft, isUnprocessedOrThrottled);
    return { found, unread: [], failure: undefined };
  } catch (failure) {
    // A copy: a late response still adds items, and no key may be both found and unread.
    return { found: [...found], unread: keysIn(left), failure };
  }
};

/**
 * Reads any number of keys from each table, 100 a request, all requests at once. Retries `UnprocessedKeys` and throttled
 * requests with jitter until just before the deadline. Keys that could not be read are unread, never absent: `failure`
 * is the first reason.
 * @param reads names each table once: of two with the same name only one would be read
 * @param keys are distinct, because DynamoDB rejects a request with a key twice
 * @throws the first error when every request failed and nothing was read
 */
export const batchGet = async (
  db: DynamoDBDocumentClient,
  reads: readonly TableRead[],
  keys: readonly DynamoItem[],
  deadline: Deadline,
) => {
  const size = Math.floor(MAX_KEYS / reads.length);
  const chunks = Array.from({ length: Math.ceil(keys.length / size) }, (_, index) =>
    requestItems(reads, keys.slice(index * size, (index + 1) * size)),
  );
  const readBy = readingDeadline(deadline);
  const outcomes = await Promise.all(chunks.map((chunk) => readChunk(db, chunk, readBy)));
  const failure = outcomes.find((outcome) => outcome.failure)?.failure;
  if (outcomes.length > 0 && outcomes.every((outcome) => outcome.failure && outcome.found.length === 0)) throw failure;
  return {
    items: groupByTable(outcomes.flatMap((outcome) => outcome.found)),
    unread: groupByTable(outcomes.flatMap((outcome) => outcome.unread)),
    failure,
  };
};
