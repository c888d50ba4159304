import { isDeepStrictEqual } from 'node:util';
import { BatchWriteCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { TestEngine } from '../../support/engine.ts';
import type { ImportErrors } from './fixture.ts';

/** A record as it is stored. */
interface Item {
  readonly registration: string;
}

/** DynamoDB's own limit for one BatchWriteItem. */
const MAX_BATCH = 25;

/** Stores items, whatever is stored under their keys. */
export const storeItems = async ({ client }: TestEngine, table: string, items: readonly Item[]): Promise<void> => {
  for (let start = 0; start < items.length; start += MAX_BATCH) {
    const requests = items.slice(start, start + MAX_BATCH).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }));
  }
};

const storedItems = async ({ client }: TestEngine, table: string): Promise<Map<string, object>> => {
  const stored = new Map<string, object>();
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
    for (const item of Items) stored.set(String(item.registration), item);
  }
  return stored;
};

/**
 * Holds a table of records that are known by their registration against what must be in it: what the file has, and what
 * it leaves alone. The registration is the table's key, so that nothing can be there twice.
 */
export const errorsInTable = async (
  engine: TestEngine,
  table: string,
  imported: readonly Item[],
  untouched: readonly Item[],
): Promise<ImportErrors> => {
  const stored = await storedItems(engine, table);
  const own = imported.map((item) => ({ item, found: stored.get(item.registration) }));
  const others = untouched.map((item) => ({ item, found: stored.get(item.registration) }));
  const changed = others.filter(({ item, found }) => !isDeepStrictEqual(found, item));
  return {
    lost: own.filter(({ found }) => found === undefined).length,
    duplicates: 0,
    stale: own.filter(({ item, found }) => found !== undefined && !isDeepStrictEqual(found, item)).length,
    stray: changed.length + Math.max(0, stored.size - imported.length - untouched.length),
    inconsistent: 0,
    misplaced: 0,
  };
};
