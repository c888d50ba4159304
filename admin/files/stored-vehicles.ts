import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type CommandContext, tableName } from '../deployment/deployment.ts';
import { inBatches, runConcurrently } from '../records/run-concurrently.ts';
import { type StoredRecord, storedRecords } from '../records/stored-records.ts';
import { WHOLE_VEHICLES } from '../records/vehicle-parts.ts';
import type { FileRun } from './file-command.ts';

/** Bytes of one read unit, strongly consistent. A read of a key takes at least one unit. */
const UNIT_BYTES = 4_096;
/** Keys of one BatchGetItem. */
const BATCH = 100;
const BATCHES_IN_FLIGHT = 4;

/** An erased vehicle is none. A damaged record is one. */
const isVehicle = ({ isErased, parts }: StoredRecord): boolean => !isErased && parts?.size !== 0;

/**
 * Lists which vehicles of the file the table of vehicles has, by reads or by a scan, whichever takes fewer units. The
 * size of a table is up to six hours old, and 0 at first, so what fits one batch is always read.
 */
export const listStoredVehicles = async ({ staged }: FileRun, context: CommandContext): Promise<void> => {
  const { deployment, signal } = context;
  const client: DynamoDBClient = deployment.db;
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName(deployment, 'vehicles') }));
  const unitsOfScan = (Table?.TableSizeBytes ?? 0) / UNIT_BYTES;
  const vehicles = storedRecords(WHOLE_VEHICLES, context);
  const list = (found: Iterable<readonly [string, StoredRecord]>): void => {
    for (const [key, record] of found) if (isVehicle(record)) staged.list('stored', key);
  };
  if (staged.countRows() > Math.max(BATCH, unitsOfScan)) {
    await vehicles.scan(list);
    return;
  }
  await runConcurrently(
    inBatches(staged.keys(), BATCH),
    BATCHES_IN_FLIGHT,
    () => signal.aborted,
    async (keys) => list(await vehicles.find(keys)),
  );
};
