import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { createDatabase } from '../../core/dynamodb/database.ts';
import { databaseFromEnvironment } from '../../core/runtime/environment.ts';
import { LOCAL_TABLE_NAMES } from '../../core/tables.ts';
import { generatedVehicle } from '../generated-vehicles.ts';

/** As many as the CLI has. */
const BATCHES_IN_FLIGHT = 8;

/** Writes prepared items by bare BatchWriteItem requests, and returns the seconds it took; for a process of its own (`forkCall`). */
export const writeBare = async (items: number): Promise<number> => {
  const db = createDatabase(databaseFromEnvironment());
  const puts = Array.from({ length: items }, (_, n) => ({ PutRequest: { Item: generatedVehicle(n) } }));
  const batches = Array.from({ length: Math.ceil(items / 25) }, (_, batch) => puts.slice(batch * 25, (batch + 1) * 25));
  const started = performance.now();
  await pLimit(BATCHES_IN_FLIGHT).map(batches, async (batch) => {
    const RequestItems = { [LOCAL_TABLE_NAMES.vehicles]: batch };
    const { UnprocessedItems = {} } = await db.send(new BatchWriteCommand({ RequestItems }));
    if (Object.keys(UnprocessedItems).length > 0) throw new Error('the engine left items unprocessed');
  });
  return (performance.now() - started) / 1_000;
};
