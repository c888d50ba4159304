import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import pLimit from 'p-limit';
import { createDatabase } from '../../core/dynamodb/database.ts';
import { databaseFromEnvironment } from '../../core/runtime/environment.ts';
import { LOCAL_TABLE_NAMES } from '../../core/tables.ts';
import { generatedVehicle } from '../generated-vehicles.ts';

const MAX_BATCH = 25;

/**
 * Writes prepared items by bare BatchWriteItem requests, several in flight; for a process of its own (`forkCall`).
 * @returns the seconds that the writing took
 */
export const writeBare = async (items: number, inFlight: number): Promise<number> => {
  const db = createDatabase(databaseFromEnvironment());
  const batches = Array.from({ length: Math.ceil(items / MAX_BATCH) }, (_, batch) =>
    Array.from({ length: Math.min(MAX_BATCH, items - batch * MAX_BATCH) }, (__, n) => ({
      PutRequest: { Item: generatedVehicle(batch * MAX_BATCH + n) },
    })),
  );
  const write = async (puts: (typeof batches)[number]): Promise<void> => {
    const { UnprocessedItems = {} } = await db.send(
      new BatchWriteCommand({ RequestItems: { [LOCAL_TABLE_NAMES.vehicles]: puts } }),
    );
    if (Object.keys(UnprocessedItems).length > 0) throw new Error('the engine left items unprocessed');
  };
  const started = performance.now();
  await pLimit(inFlight).map(batches, write);
  return (performance.now() - started) / 1_000;
};
