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

/** The record in an item. @throws UnreadableVehicleRecord */
export const parseVehicleItem = (item: Record<string, AttributeValue>): VehicleRecord => {
  const record = unmarshall(item);
  if (!isVehicleRecord(record)) throw new UnreadableVehicleRecord();
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

  /** Any number of distinct registrations; a damaged record counts as unread. @throws the first fault when none at all could be read */
  findMany: async (registrations: readonly string[], deadline: Deadline): Promise<FoundVehicles> => {
    const { items, unread } = await batchGet(db, [{ table, keys: registrations.map(vehicleKey) }], deadline);
    const read = items.get(table) ?? [];
    const damaged = read.filter((item) => !isVehicleRecord(unmarshall(item)));
    if (damaged.length > 0) logDamage('vehicles', damaged.length);
    const records = read.filter((item) => !damaged.includes(item)).map(parseVehicleItem);
    return {
      found: new Map(records.map((record) => [record.registration, record])),
      unread: new Set([...damaged, ...(unread.get(table) ?? [])].map((key) => key.registration?.S ?? '')),
    };
  },
});
