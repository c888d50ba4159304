import { type AttributeValue, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { batchGet } from '../runtime/batch-get.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { logDamage } from '../runtime/log.ts';
import { isVehicleRecord, type VehicleRecord } from './record.ts';

/** A stored vehicle that this code does not understand. */
export class UnreadableVehicleRecord extends Error {
  override readonly name = 'UnreadableVehicleRecord';
}

/** The key of a vehicle's item; the registration must be normalised. */
export const vehicleKey = (registration: string): Record<string, AttributeValue> => ({
  registration: { S: registration },
});

/** A record as the item that holds it. */
export const vehicleItem = (record: VehicleRecord): Record<string, AttributeValue> => marshall(record);

const readVehicleItem = (item: Record<string, AttributeValue>): VehicleRecord | undefined => {
  const record = unmarshall(item);
  return isVehicleRecord(record) ? record : undefined;
};

/** The record in an item. @throws UnreadableVehicleRecord */
export const parseVehicleItem = (item: Record<string, AttributeValue>): VehicleRecord => {
  const record = readVehicleItem(item);
  if (record === undefined) throw new UnreadableVehicleRecord();
  return record;
};

/** Vehicles that were found, and registrations that could not be read and so are neither known nor unknown. */
export interface FoundVehicles {
  readonly found: ReadonlyMap<string, VehicleRecord>;
  readonly unread: ReadonlySet<string>;
}

/** The table of vehicles. Registrations are normalised ones. */
export const vehiclesTable = (db: DynamoDBClient, table: string) => ({
  /** @throws UnreadableVehicleRecord */
  find: async (registration: string): Promise<VehicleRecord | undefined> => {
    const { Item } = await db.send(new GetItemCommand({ TableName: table, Key: vehicleKey(registration) }));
    return Item && parseVehicleItem(Item);
  },

  /**
   * Any number of distinct registrations; a damaged record counts as unread.
   * @throws the first fault when none at all could be read
   */
  findMany: async (registrations: readonly string[], deadline: Deadline): Promise<FoundVehicles> => {
    const { items, unread } = await batchGet(db, [{ table, keys: registrations.map(vehicleKey) }], deadline);
    const found = new Map<string, VehicleRecord>();
    const damaged: Record<string, AttributeValue>[] = [];
    for (const item of items.get(table) ?? []) {
      const record = readVehicleItem(item);
      if (record) found.set(record.registration, record);
      else damaged.push(item);
    }
    if (damaged.length > 0) logDamage('vehicles', damaged.length);
    const notRead = [...damaged, ...(unread.get(table) ?? [])];
    return { found, unread: new Set(notRead.map((key) => key.registration?.S ?? '')) };
  },
});
