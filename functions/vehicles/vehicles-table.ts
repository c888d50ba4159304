import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '../dynamodb/batch-get.ts';
import type { Item } from '../dynamodb/database.ts';
import { logDamage } from '../observability/log.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { arePolicies, isVehicleRecord, type Policy, type VehicleRecord } from './record.ts';

/** A stored vehicle that this code does not understand. */
export class UnreadableVehicleRecord extends Error {
  override readonly name = 'UnreadableVehicleRecord';
}

/** The key of a vehicle's item; the registration must be normalised. */
export const vehicleKey = (registration: string): Item => ({ registration });

/** The record in an item. @throws UnreadableVehicleRecord */
export const parseVehicleItem = (item: Item): VehicleRecord => {
  if (!isVehicleRecord(item)) throw new UnreadableVehicleRecord();
  return item;
};

const registrationOf = ({ registration }: Item): string => String(registration);

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
export const vehiclesTable = (db: DynamoDBDocumentClient, table: string) => ({
  /** @throws UnreadableVehicleRecord */
  find: async (registration: string): Promise<VehicleRecord | undefined> => {
    const { Item } = await db.send(new GetCommand({ TableName: table, Key: vehicleKey(registration) }));
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
    const damaged: Item[] = [];
    for (const item of items.get(table) ?? []) {
      const { policies } = item;
      if (arePolicies(policies)) found.set(registrationOf(item), policies);
      else damaged.push(item);
    }
    if (damaged.length > 0) logDamage('vehicles', damaged.length);
    const notRead = [...damaged, ...(unread.get(table) ?? [])];
    return { found, unread: new Set(notRead.map(registrationOf)), failure };
  },
});
