import { type AttributeValue, BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { complianceItem } from '../../functions/compliance/compliance-table.ts';
import { contentTable } from '../../functions/content/content-table.ts';
import { deadlineIn } from '../../functions/runtime/deadline.ts';
import type { TableNames } from '../../functions/tables.ts';
import { vehicleItem } from '../../functions/vehicles/vehicles-table.ts';
import { SAMPLE_CONTENT } from './sample-content.ts';
import { sampleComplianceRecords, sampleVehicleRecords } from './sample-vehicles.ts';

/** DynamoDB's limit for one BatchWriteItem. */
const MAX_BATCH = 25;
/** Milliseconds for one sample item on an engine on this machine. */
const CREATE_DEADLINE_MS = 5_000;

const putAll = async (db: DynamoDBClient, table: string, items: readonly Record<string, AttributeValue>[]) => {
  for (let start = 0; start < items.length; start += MAX_BATCH) {
    const batch = items.slice(start, start + MAX_BATCH).map((Item) => ({ PutRequest: { Item } }));
    await db.send(new BatchWriteItemCommand({ RequestItems: { [table]: batch } }));
  }
};

/** Loads the sample vehicles, dated from today; done at each start, so that their outcomes hold on kept data too. */
export const loadSampleVehicles = async (db: DynamoDBClient, names: TableNames, now: Date): Promise<void> => {
  await putAll(db, names.vehicles, sampleVehicleRecords(now).map(vehicleItem));
  await putAll(db, names.compliance, sampleComplianceRecords(now).map(complianceItem));
};

/** Creates the sample content; once, since whoever works on kept data may have changed it. */
export const loadSampleContent = async (db: DynamoDBClient, names: TableNames, now: Date): Promise<void> => {
  const content = contentTable(db, names.content);
  for (const fields of SAMPLE_CONTENT) {
    await content.create(fields, undefined, { now, deadline: deadlineIn(CREATE_DEADLINE_MS) });
  }
};
