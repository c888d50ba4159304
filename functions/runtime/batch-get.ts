import {
  type AttributeValue,
  BatchGetItemCommand,
  type DynamoDBClient,
  type KeysAndAttributes,
} from '@aws-sdk/client-dynamodb';
import { backoffMs, type Deadline } from './deadline.ts';

type Item = Record<string, AttributeValue>;

/** Keys to read, by table name. */
export interface TableKeys {
  readonly table: string;
  readonly keys: readonly Item[];
  readonly consistent?: boolean;
  /** A projection expression: only these attributes are sent back. */
  readonly projection?: string;
}

/** What was read, and the keys that could not be read in time: those are unknown, not absent. */
export interface BatchGetResult {
  readonly items: ReadonlyMap<string, readonly Item[]>;
  readonly unread: ReadonlyMap<string, readonly Item[]>;
}

/** DynamoDB's own limit for one BatchGetItem. */
export const MAX_KEYS = 100;

type RequestItems = Record<string, KeysAndAttributes>;

interface WantedKey {
  readonly key: Item;
  readonly of: TableKeys;
}

const asRequestItems = (wanted: readonly WantedKey[]): RequestItems => {
  const tables = Map.groupBy(wanted, ({ of }) => of);
  return Object.fromEntries(
    [...tables].map(([{ table, consistent = false, projection }, keys]) => [
      table,
      { Keys: keys.map(({ key }) => key), ConsistentRead: consistent, ProjectionExpression: projection },
    ]),
  );
};

const keysIn = (requestItems: RequestItems): { table: string; item: Item }[] =>
  Object.entries(requestItems).flatMap(([table, { Keys = [] }]) => Keys.map((item) => ({ table, item })));

const groupByTable = (entries: readonly { table: string; item: Item }[]) =>
  new Map(
    Object.entries(Object.groupBy(entries, (entry) => entry.table)).map(([table, group]) => [
      table,
      (group ?? []).map((entry) => entry.item),
    ]),
  );

interface ChunkOutcome {
  readonly found: readonly { table: string; item: Item }[];
  readonly unread: readonly { table: string; item: Item }[];
  readonly failure?: unknown;
}

/** Reads one chunk until nothing is left unprocessed; a fault or the deadline ends it with what is still unread. */
const readChunk = async (
  db: DynamoDBClient,
  chunk: readonly WantedKey[],
  deadline: Deadline,
): Promise<ChunkOutcome> => {
  const found: { table: string; item: Item }[] = [];
  let left = asRequestItems(chunk);
  try {
    for (let attempt = 0; keysIn(left).length > 0; attempt += 1) {
      if (attempt > 0) await deadline.pause(backoffMs(attempt));
      const answer = await deadline.within(db.send(new BatchGetItemCommand({ RequestItems: left })));
      for (const [table, items] of Object.entries(answer.Responses ?? {})) {
        found.push(...items.map((item) => ({ table, item })));
      }
      // Of the same form as a request, so that it is the next one.
      left = answer.UnprocessedKeys ?? {};
    }
    return { found, unread: [] };
  } catch (failure) {
    return { found, unread: keysIn(left), failure };
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
  const pending = wanted.flatMap((of) => of.keys.map((key): WantedKey => ({ key, of })));
  const chunks = Array.from({ length: Math.ceil(pending.length / MAX_KEYS) }, (_, index) =>
    pending.slice(index * MAX_KEYS, (index + 1) * MAX_KEYS),
  );
  const outcomes = await Promise.all(chunks.map((chunk) => readChunk(db, chunk, deadline)));
  if (outcomes.length > 0 && outcomes.every((outcome) => outcome.failure && outcome.found.length === 0)) {
    throw outcomes[0]?.failure;
  }
  return {
    items: groupByTable(outcomes.flatMap((outcome) => outcome.found)),
    unread: groupByTable(outcomes.flatMap((outcome) => outcome.unread)),
  };
};
