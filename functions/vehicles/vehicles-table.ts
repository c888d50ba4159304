import { type AttributeValue, type DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import { batchGet } from '../dynamodb/batch-get.ts';
import { logDamage } from '../observability/log.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { policiesIn } from './policy-items.ts';
import { isVehicleRecord, type Policy, type VehicleRecord } from './record.ts';

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

/** Policies by registration, and registrations that could not be read and so are neither known nor unknown. */
export interface FoundPolicies {
  readonly found: ReadonlyMap<string, readonly Policy[]>;
  readonly unread: ReadonlySet<string>;
  /** Why some could not be read, for the operator. */
  readonly failure?: unknown;
}

/** What a bulk request needs of a vehicle: a third of its record. */
const POLICIES_ONLY = 'registration, policies';

/** The table of vehicles. Registrations are normalised ones. */
export const vehiclesTable = (db: DynamoDBClient, table: string) => ({
  /** @throws UnreadableVehicleRecord */
  find: async (registration: string): Promise<VehicleRecord | undefined> => {
    const { Item } = await db.send(new GetItemCommand({ TableName: table, Key: vehicleKey(registration) }));
    return Item && parseVehicleItem(Item);
  },

  /**
   * The policies of any number of distinct registrations; a damaged record counts as unread.
   * @throws the first fault when none at all could be read
   */
  findPolicies: async (registrations: readonly string[], deadline: Deadline): Promise<FoundPolicies> => {
    const wanted = { table, keys: registrations.map(vehicleKey), projection: POLICIES_ONLY };
    const { items, unread, failure } = await batchGet(db, [wanted], deadline);
    const found = new Map<string, readonly Policy[]>();
    const damaged: Record<string, AttributeValue>[] = [];
    for (const item of items.get(table) ?? []) {
      const policies = policiesIn(item);
      if (policies) found.set(item.registration?.S ?? '', policies);
      else damaged.push(item);
    }
    if (damaged.length > 0) logDamage('vehicles', damaged.length);
    const notRead = [...damaged, ...(unread.get(table) ?? [])];
    return { found, unread: new Set(notRead.map((key) => key.registration?.S ?? '')), failure };
  },
});
