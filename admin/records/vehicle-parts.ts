import type { DynamoItem } from '../../core/dynamodb/database.ts';
import { readStored } from '../../core/schemas/record-schema.ts';
import { MAX_POLICIES, type Policy, VehicleDetails, VehicleRecord } from '../../core/vehicles/vehicle-record.ts';
import { NAMELESS, type Part, type Parts, type RecordForm, wholeForm } from './record-form.ts';

/** Suppliers of a vehicle. With the policies' limit they keep a record far below the 400 KB of a DynamoDB item. */
const MAX_SUPPLIERS = 20;

/** What one supplier says of a vehicle. */
interface VehicleBody {
  readonly vehicle: VehicleDetails;
  readonly policies: readonly Policy[];
}

/** What a record keeps of each supplier beside its policies, once one of them has a name. */
export const SupplierDetails = {
  type: 'object',
  required: ['lastUpdated', 'vehicle'],
  properties: { lastUpdated: VehicleRecord.properties.lastUpdated, vehicle: VehicleDetails },
} as const;

/** A vehicle as it is stored and exported: with its suppliers, unless it only has the one without a name. */
export interface SuppliedVehicle extends VehicleRecord {
  readonly policies: readonly (Policy & { readonly supplier?: string })[];
  readonly supplied?: Readonly<Record<string, Pick<VehicleRecord, 'lastUpdated' | 'vehicle'>>>;
}

/** In the order of the suppliers' names; undefined for a damaged vehicle. */
const readParts = (item: DynamoItem): Parts<VehicleBody> | undefined => {
  const record = readStored(VehicleRecord, item);
  if (record === undefined) return undefined;
  const { vehicle, policies, lastUpdated } = record;
  const { supplied = { [NAMELESS]: { vehicle, lastUpdated } } } = item;
  const suppliers = (item.policies as readonly { readonly supplier?: unknown }[]).map(
    ({ supplier = NAMELESS }) => supplier,
  );
  const parts = new Map<string, Part<VehicleBody>>();
  for (const [name, value] of Object.entries(supplied ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const said = readStored(SupplierDetails, value);
    if (said === undefined) return undefined;
    const own = policies.filter((_, nth) => suppliers[nth] === name);
    parts.set(name, { body: { vehicle: said.vehicle, policies: own }, lastUpdated: said.lastUpdated });
  }
  return parts.size > 0 && suppliers.every((name) => parts.has(String(name))) ? parts : undefined;
};

/** Details and last update are the latest ones; of equally late ones the first supplier's by name. */
const joinParts = (parts: Parts<VehicleBody>): Omit<SuppliedVehicle, 'registration'> => {
  const sorted = [...parts].sort(([a], [b]) => (a < b ? -1 : 1));
  const said = sorted.map(([name, { body, lastUpdated = '' }]) => ({ name, ...body, lastUpdated }));
  const { vehicle, lastUpdated } = said.reduce((latest, one) => (one.lastUpdated > latest.lastUpdated ? one : latest));
  const policies = said.flatMap(({ name, policies: own }) =>
    name === NAMELESS ? own : own.map((policy) => ({ ...policy, supplier: name })),
  );
  const supplied = said.map((one) => [one.name, { lastUpdated: one.lastUpdated, vehicle: one.vehicle }]);
  const isNameless = parts.size === 1 && parts.has(NAMELESS);
  return { vehicle, policies, lastUpdated, ...(!isNameless && { supplied: Object.fromEntries(supplied) }) };
};

/** No names: a supplier that reads why its rows were rejected must not learn who its competitors are. */
const findConflict = ({ policies }: VehicleBody, others: Parts<VehicleBody>): string | undefined => {
  const stored = [...others.values()].reduce((sum, { body }) => sum + body.policies.length, 0);
  if (policies.length > 0 && stored + policies.length > MAX_POLICIES) {
    return `a vehicle has at most ${MAX_POLICIES} policies, and ${stored} of other suppliers are there already`;
  }
  if (others.size < MAX_SUPPLIERS) return undefined;
  return `a vehicle has at most ${MAX_SUPPLIERS} suppliers, and ${others.size} others are there already`;
};

/** A stored vehicle with its suppliers; undefined for a damaged one. */
export const readSupplied = (item: DynamoItem): SuppliedVehicle | undefined => {
  const parts = readParts(item);
  return parts && { registration: String(item.registration), ...joinParts(parts) };
};

/** What one supplier says of a vehicle, as a record; null without anything, undefined for a damaged vehicle. */
export const readSupplier = (item: DynamoItem, supplier: string): object | null | undefined => {
  const parts = readParts(item);
  const own = parts?.get(supplier);
  if (parts === undefined || own === undefined) return parts && null;
  return { registration: item.registration, ...own.body, lastUpdated: own.lastUpdated };
};

/** Compares and replaces one supplier's part of each vehicle; without a name, the nameless supplier's part. */
export const supplierForm = (supplier = NAMELESS): RecordForm<VehicleBody> => ({
  table: 'vehicles',
  supplier,
  read: readParts,
  join: joinParts,
  conflict: findConflict,
});

/** Vehicles that are replaced whole, with all of their suppliers. */
export const WHOLE_VEHICLES = wholeForm('vehicles', readSupplied);
