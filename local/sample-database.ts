import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { contentImport } from '../admin/import/content-import.ts';
import { keyStore } from '../admin/keys/key-store.ts';
import { createDatabase } from '../core/aws/database.ts';
import type { ComplianceRecord } from '../core/compliance/compliance-record.ts';
import type { GivenItem } from '../core/content/content-table.ts';
import { londonDate } from '../core/runtime/clock.ts';
import { deadlineIn } from '../core/runtime/deadline.ts';
import { sandboxCompliance, sandboxRegistrations, sandboxVehicle } from '../core/sandbox/sandbox-records.ts';
import { LOCAL_TABLE_NAMES, type TableNames } from '../core/tables.ts';
import type { VehicleRecord } from '../core/vehicles/vehicle-record.ts';
import { type DemoKeys, demoKeys } from './demo-keys.ts';
import { createTables } from './engine/create-tables.ts';

/** DynamoDB's limit for one BatchWriteItem. */
const MAX_BATCH = 25;
/** Milliseconds for one request or transaction. */
const DEADLINE_MS = 10_000;

/** The sample vehicles: the sandbox's vehicles on the day of `now`. */
export const sampleVehicleRecords = (now: Date): VehicleRecord[] =>
  sandboxRegistrations().flatMap((registration) => sandboxVehicle(registration, londonDate(now)) ?? []);

/** Some sample vehicles have no compliance record. */
export const sampleComplianceRecords = (now: Date): ComplianceRecord[] =>
  sandboxRegistrations().flatMap((registration) => sandboxCompliance(registration, londonDate(now)) ?? []);

/** Stores any number of items. */
export const storeItems = async (
  db: DynamoDBDocumentClient,
  table: string,
  items: readonly object[],
): Promise<void> => {
  for (let start = 0; start < items.length; start += MAX_BATCH) {
    const batch = items.slice(start, start + MAX_BATCH).map((Item) => ({ PutRequest: { Item } }));
    await db.send(new BatchWriteCommand({ RequestItems: { [table]: batch } }));
  }
};

/** Loads the sample vehicles, dated from the day of `now`. Replaces existing records. */
export const loadSampleVehicles = async (db: DynamoDBDocumentClient, names: TableNames, now: Date): Promise<void> => {
  await storeItems(db, names.vehicles, sampleVehicleRecords(now));
  await storeItems(db, names.compliance, sampleComplianceRecords(now));
};

const TOPICS = ['MOT', 'road tax', 'insurance', 'SORN', 'electric vehicles'] as const;

type Texts = Pick<GivenItem, 'title' | 'content' | 'slug' | 'meta_description'>;

/** Ids are the same on every machine, so that examples can name them. */
const makeItems = (word: string, count: number, textsOf: (number: number, topic: string) => Texts): GivenItem[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${Buffer.from(word).toString('hex')}-0000-4000-8000-${String(index + 1).padStart(12, '0')}`,
    domain: `${word}.example`,
    ...textsOf(index + 1, TOPICS[(index + 1) % TOPICS.length] ?? TOPICS[0]),
  }));

/** Content in two domains, enough for several pages, in the order in which the items are created. */
export const SAMPLE_CONTENT: readonly GivenItem[] = [
  ...makeItems('news', 45, (number, topic) => ({
    title: `Motoring news ${number}: ${topic}`,
    content: `What drivers should know about ${topic} this week. This is sample text number ${number}.`,
    slug: `motoring-news-${number}`,
    meta_description: `Sample news about ${topic}.`,
  })),
  ...makeItems('help', 25, (number, topic) => ({
    title: `How do I check ${topic}? (part ${number})`,
    content: `Look up the registration, then read the answer. This is help page number ${number}.`,
    slug: `check-${number}`,
    meta_description: '',
  })),
];

export const loadSampleContent = async (db: DynamoDBDocumentClient, names: TableNames, now: Date): Promise<void> => {
  const content = contentImport(db, names.content);
  for (const item of SAMPLE_CONTENT) await content.importRow(item, { now, deadline: deadlineIn(DEADLINE_MS) });
};

/** A client of a DynamoDB on this machine. The caller destroys it after use. */
export const openDatabase = (endpoint: string): DynamoDBDocumentClient =>
  createDatabase({
    region: 'eu-west-2',
    endpoint,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });

/** Creates the missing tables, fills them with sample data dated from `now`, and returns the demo keys. */
export const prepareSampleDatabase = async (
  endpoint: string,
  now = new Date(),
  dataDirectory?: string,
): Promise<DemoKeys> => {
  const db = openDatabase(endpoint);
  try {
    const created = await createTables(db, LOCAL_TABLE_NAMES);
    if (created.includes('vehicles')) await loadSampleVehicles(db, LOCAL_TABLE_NAMES, now);
    if (created.includes('content')) await loadSampleContent(db, LOCAL_TABLE_NAMES, now);
    return await demoKeys(keyStore(db, LOCAL_TABLE_NAMES.keys), now, dataDirectory);
  } finally {
    db.destroy();
  }
};
