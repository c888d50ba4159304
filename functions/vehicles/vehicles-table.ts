import { type DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '../dynamodb/batch-get.ts';
import type { Item } from '../dynamodb/database.ts';
import { logDamage } from '../observability/log.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { parseStored, readStored } from '../schemas/stored-record.ts';
import { type Policy, VehicleRecord } from './record.ts';

/** The key of a vehicle's item; the registration must be normalised. */
export const vehicleKey = (registration: string): Item => ({ registration });

const registrationOf = ({ registration }: Item): string => String(registration);

/** Policies by registration, and the registrations that could not be read: these must not be reported as not found. */
export interface FoundPolicies {
  readonly found: ReadonlyMap<string, readonly Policy[]>;
  readonly unread: ReadonlySet<string>;
  /** The error that some could not be read for, for the log. */
  readonly failure?: unknown;
}

/** The attributes that a bulk request needs: a third of a record. */
const POLICIES_ONLY = 'registration, policies';

/** The table of vehicles. Registrations are normalised ones. */
export const vehiclesTable = (db: DynamoDBDocumentClient, table: string) => ({
  /** @throws UnreadableRecord */
  find: async (registration: string): Promise<VehicleRecord | undefined> => {
    const { Item } = await db.send(new GetCommand({ TableName: table, Key: vehicleKey(registration) }));
    return Item && parseStored(VehicleRecord, Item);
  },

  /**
   * The policies of any number of distinct registrations; a damaged record counts as unread.
   * @throws the first error when none could be read
   */
  findPolicies: async (registrations: readonly string[], deadline: Deadline): Promise<FoundPolicies> => {
    const wanted = { table, keys: registrations.map(vehicleKey), projection: POLICIES_ONLY };
    const { items, unread, failure } = await batchGet(db, [wanted], deadline);
    const found = new Map<string, readonly Policy[]>();
    const damaged: Item[] = [];
    for (const item of items.get(table) ?? []) {
      const policies = readStored(VehicleRecord.properties.policies, item.policies);
      if (policies) found.set(registrationOf(item), policies);
      else damaged.push(item);
    }
    if (damaged.length > 0) logDamage('vehicles', damaged.length);
    const notRead = [...damaged, ...(unread.get(table) ?? [])];
    return { found, unread: new Set(notRead.map(registrationOf)), failure };
  },
});
