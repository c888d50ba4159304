import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '../aws/batch-get.ts';
import type { DynamoItem } from '../aws/database.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { logDamage } from '../runtime/log.ts';
import { parseStored, type RecordOf, type RecordSchema, readStored } from '../schemas/record-schema.ts';
import type { TableId } from '../tables.ts';
import { hasNoRecord } from './erasure.ts';
import { type RegistrationKey, storedRegistrationKey } from './registration.ts';
import { InsuranceRecord, VehicleRecord } from './vehicle-record.ts';

/** The primary key of a record in the tables of vehicles and of compliance, from its `RegistrationKey`. */
export const recordKey = (registration: string): DynamoItem => ({ registration });

/** Records, and the registrations that could not be read, which must not be reported as not found. */
export interface FoundRecords<Found> {
  readonly found: ReadonlyMap<RegistrationKey, Found>;
  readonly unread: ReadonlySet<RegistrationKey>;
}

/**
 * Parses the items of a batch. A damaged item is logged, and counts as unread. An item without a record counts as not
 * found.
 */
export const foundRecords = <const Schema extends RecordSchema>(
  table: TableId,
  schema: Schema,
  { items, unread }: { readonly items: readonly DynamoItem[]; readonly unread: readonly DynamoItem[] },
): FoundRecords<RecordOf<Schema>> => {
  const found = new Map<RegistrationKey, RecordOf<Schema>>();
  const damaged: DynamoItem[] = [];
  for (const item of items) {
    if (hasNoRecord(item)) continue;
    const record = readStored(schema, item);
    if (record) found.set(storedRegistrationKey(item), record);
    else damaged.push(item);
  }
  if (damaged.length > 0) logDamage(table, damaged.length);
  return { found, unread: new Set([...damaged, ...unread].map(storedRegistrationKey)) };
};

export const INSURANCE_ATTRIBUTES = [...Object.keys(InsuranceRecord.properties), 'erased', 'erasureUndone'].join(', ');

export const vehiclesTable = (db: DynamoDBDocumentClient, table: string) => ({
  /** @throws UnreadableRecord */
  find: async (registration: RegistrationKey): Promise<VehicleRecord | undefined> => {
    const { Item } = await db.send(new GetCommand({ TableName: table, Key: recordKey(registration) }));
    return Item && !hasNoRecord(Item) ? parseStored(VehicleRecord, Item) : undefined;
  },

  /**
   * The policies of any number of distinct registrations, and why some could not be read, for the log.
   * @throws the first error when none could be read
   */
  findMany: async (registrations: readonly RegistrationKey[], deadline: Deadline) => {
    const reads = [{ table, projection: INSURANCE_ATTRIBUTES }];
    const { items, unread, failure } = await batchGet(db, reads, registrations.map(recordKey), deadline);
    const read = { items: items.get(table) ?? [], unread: unread.get(table) ?? [] };
    return { ...foundRecords('vehicles', InsuranceRecord, read), failure };
  },
});
