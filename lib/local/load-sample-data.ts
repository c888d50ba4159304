import { isDeepStrictEqual } from 'node:util';
import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { complianceTable } from '../../functions/compliance/compliance-table.ts';
import { deadlineIn } from '../../functions/runtime/deadline.ts';
import type { TableNames } from '../../functions/tables.ts';
import { contentImport } from '../content-maintenance/content-import.ts';
import { SAMPLE_CONTENT } from './sample-content.ts';
import { sampleComplianceRecords, sampleLoadedAs, sampleVehicleRecords } from './sample-records.ts';

/** DynamoDB's limit for one BatchWriteItem. */
const MAX_BATCH = 25;
/** Items whose writes fit into one transaction of at most 100 actions. */
const ITEMS_PER_TRANSACTION = 20;
/** Milliseconds for one request or transaction. */
const DEADLINE_MS = 10_000;

const putAll = async (db: DynamoDBDocumentClient, table: string, items: readonly object[]) => {
  for (let start = 0; start < items.length; start += MAX_BATCH) {
    const batch = items.slice(start, start + MAX_BATCH).map((Item) => ({ PutRequest: { Item } }));
    await db.send(new BatchWriteCommand({ RequestItems: { [table]: batch } }));
  }
};

/** Loads the sample vehicles, dated from today. Replaces existing records. */
export const loadSampleVehicles = async (db: DynamoDBDocumentClient, names: TableNames, now: Date): Promise<void> => {
  await putAll(db, names.vehicles, sampleVehicleRecords(now));
  await putAll(db, names.compliance, sampleComplianceRecords(now));
};

/**
 * Dates the sample vehicles of an earlier start from today again, so that their outcomes stay as documented. A record that was
 * changed since is not touched.
 */
export const refreshSampleVehicles = async (
  db: DynamoDBDocumentClient,
  names: TableNames,
  now: Date,
): Promise<void> => {
  const records = complianceTable(db, names);
  const fresh = new Map(sampleComplianceRecords(now).map((record) => [record.registration, record]));
  for (const today of sampleVehicleRecords(now)) {
    const { registration } = today;
    const { vehicle, compliance } = await records.findWithVehicle(registration, deadlineIn(DEADLINE_MS));
    const loaded = vehicle && sampleLoadedAs(vehicle);
    if (loaded === undefined) continue;
    await putAll(db, names.vehicles, [today]);
    const next = fresh.get(registration);
    if (next && isDeepStrictEqual(compliance, loaded.compliance)) await putAll(db, names.compliance, [next]);
  }
};

/** Creates the sample content. */
export const loadSampleContent = async (db: DynamoDBDocumentClient, names: TableNames, now: Date): Promise<void> => {
  const content = contentImport(db, names.content);
  for (let start = 0; start < SAMPLE_CONTENT.length; start += ITEMS_PER_TRANSACTION) {
    const items = SAMPLE_CONTENT.slice(start, start + ITEMS_PER_TRANSACTION);
    await content.importBatch(items, { now, deadline: deadlineIn(DEADLINE_MS) });
  }
};
