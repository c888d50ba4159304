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
/** New items that fit one transaction of DynamoDB's 100 actions, with their places and slugs. */
const ITEMS_PER_TRANSACTION = 20;
/** Milliseconds for one transaction on an engine on this machine. */
const TRANSACTION_DEADLINE_MS = 10_000;

const putAll = async (db: DynamoDBDocumentClient, table: string, items: readonly object[]) => {
  for (let start = 0; start < items.length; start += MAX_BATCH) {
    const batch = items.slice(start, start + MAX_BATCH).map((Item) => ({ PutRequest: { Item } }));
    await db.send(new BatchWriteCommand({ RequestItems: { [table]: batch } }));
  }
};

/** Loads the sample vehicles, dated from today, in the place of whatever is there. */
export const loadSampleVehicles = async (db: DynamoDBDocumentClient, names: TableNames, now: Date): Promise<void> => {
  await putAll(db, names.vehicles, sampleVehicleRecords(now));
  await putAll(db, names.compliance, sampleComplianceRecords(now));
};

/**
 * Dates the sample vehicles from today again, so that their outcomes hold on kept data too. Only those that are still
 * what some start loaded: a record that somebody has loaded since stays as it is.
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
    const { vehicle, compliance } = await records.findWithVehicle(registration, deadlineIn(TRANSACTION_DEADLINE_MS));
    const loaded = vehicle && sampleLoadedAs(vehicle);
    if (loaded === undefined) continue;
    await putAll(db, names.vehicles, [today]);
    const next = fresh.get(registration);
    if (next && isDeepStrictEqual(compliance, loaded.compliance)) await putAll(db, names.compliance, [next]);
  }
};

/** Creates the sample content; once, since whoever works on kept data may have changed it. */
export const loadSampleContent = async (db: DynamoDBDocumentClient, names: TableNames, now: Date): Promise<void> => {
  const content = contentImport(db, names.content);
  for (let start = 0; start < SAMPLE_CONTENT.length; start += ITEMS_PER_TRANSACTION) {
    const items = SAMPLE_CONTENT.slice(start, start + ITEMS_PER_TRANSACTION);
    await content.importBatch(items, { now, deadline: deadlineIn(TRANSACTION_DEADLINE_MS) });
  }
};
