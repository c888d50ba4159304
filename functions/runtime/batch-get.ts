import { type AttributeValue, BatchGetItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { backoffMs, type Deadline } from './deadline.ts';

type Item = Record<string, AttributeValue>;

/** Keys to read, by table name. */
export interface TableKeys {
  readonly table: string;
  readonly keys: readonly Item[];
  readonly consistent?: boolean;
}

/** What was read, and the keys that could not be read in time: those are unknown, not absent. */
export interface BatchGetResult {
  readonly items: ReadonlyMap<string, readonly Item[]>;
  readonly unread: ReadonlyMap<string, readonly Item[]>;
}

/** DynamoDB's own limit for one BatchGetItem. */
const MAX_KEYS = 100;

interface PendingKey {
  readonly table: string;
  readonly key: Item;
  readonly consistent: boolean;
}

const asRequestItems = (pending: readonly PendingKey[]) => {
  const requestItems: Record<string, { Keys: Item[]; ConsistentRead: boolean }> = {};
  for (const { table, key, consistent } of pending) {
    requestItems[table] ??= { Keys: [], ConsistentRead: consistent };
    requestItems[table].Keys.push(key);
  }
  return requestItems;
};

const groupByTable = (entries: readonly { table: string; item: Item }[]) =>
  new Map(
    Object.entries(Object.groupBy(entries, (entry) => entry.table)).map(([table, group]) => [
      table,
      (group ?? []).map((entry) => entry.item),
    ]),
  );

interface ChunkOutcome {
  readonly found: readonly { table: string; item: Item }[];
  readonly unread: readonly PendingKey[];
  readonly failure?: unknown;
}

/** Reads one chunk until nothing is left unprocessed; a fault or the deadline ends it with what is still unread. */
const readChunk = async (
  db: DynamoDBClient,
  chunk: readonly PendingKey[],
  deadline: Deadline,
): Promise<ChunkOutcome> => {
  const found: { table: string; item: Item }[] = [];
  let unread = chunk;
  try {
    for (let attempt = 0; unread.length > 0; attempt += 1) {
      if (attempt > 0) await deadline.pause(backoffMs(attempt));
      const answer = await deadline.within(db.send(new BatchGetItemCommand({ RequestItems: asRequestItems(unread) })));
      for (const [table, items] of Object.entries(answer.Responses ?? {})) {
        found.push(...items.map((item) => ({ table, item })));
      }
      unread = Object.entries(answer.UnprocessedKeys ?? {}).flatMap(([table, { Keys = [], ConsistentRead = false }]) =>
        Keys.map((key) => ({ table, key, consistent: ConsistentRead })),
      );
    }
    return { found, unread };
  } catch (failure) {
    return { found, unread, failure };
  }
};

/**
 * Reads any number of distinct keys, 100 to a request, all requests at once. `UnprocessedKeys` are asked for again with
 * jitter until the deadline. Keys that could not be read are reported as unread, so that nobody mistakes them for
 * absent; when every request failed, the first fault is thrown instead.
 */
export const batchGet = async (
  db: DynamoDBClient,
  wanted: readonly TableKeys[],
  deadline: Deadline,
): Promise<BatchGetResult> => {
  const pending = wanted.flatMap(({ table, keys, consistent = false }) =>
    keys.map((key): PendingKey => ({ table, key, consistent })),
  );
  const chunks = Array.from({ length: Math.ceil(pending.length / MAX_KEYS) }, (_, index) =>
    pending.slice(index * MAX_KEYS, (index + 1) * MAX_KEYS),
  );
  const outcomes = await Promise.all(chunks.map((chunk) => readChunk(db, chunk, deadline)));
  if (outcomes.length > 0 && outcomes.every((outcome) => outcome.failure && outcome.found.length === 0)) {
    throw outcomes[0]?.failure;
  }
  return {
    items: groupByTable(outcomes.flatMap((outcome) => outcome.found)),
    unread: groupByTable(outcomes.flatMap((outcome) => outcome.unread).map(({ table, key }) => ({ table, item: key }))),
  };
};
