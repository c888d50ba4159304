import type { DynamoItem } from '../../core/aws/database.ts';
import type { LondonDate } from '../../core/runtime/clock.ts';
import { readStored } from '../../core/schemas/record-schema.ts';
import { NAMELESS } from '../../core/stage/outputs.ts';
import { insuranceOn } from '../../core/vehicles/insurance.ts';
import { MAX_POLICIES, type Policy, VehicleDetails, VehicleRecord } from '../../core/vehicles/vehicle-record.ts';
import { type GivenParts, type Part, type Parts, type RecordTarget, wholeTarget } from './record-target.ts';

/** Suppliers of a vehicle. With the policies' limit they keep a record far below the 400 KB of a DynamoDB item. */
const MAX_SUPPLIERS = 20;

export type VehicleBody = Pick<VehicleRecord, 'vehicle' | 'policies'>;

/** What a record stores of each supplier beside its policies, as soon as one supplier has a name. */
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

/** The parts of a vehicle in the order of the suppliers' names; undefined for a damaged vehicle. */
export const readVehicleParts = (item: DynamoItem): Parts<VehicleBody> | undefined => {
  const record = readStored(VehicleRecord, item);
  if (record === undefined) return undefined;
  const { vehicle, policies, lastUpdated } = record;
  const { supplied = { [NAMELESS]: { vehicle, lastUpdated } } } = item;
  const suppliers = (item.policies as readonly { readonly supplier?: unknown }[]).map(
    ({ supplier = NAMELESS }) => supplier,
  );
  const parts = new Map<string, Part<VehicleBody>>();
  for (const [name, value] of Object.entries(supplied ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const details = readStored(SupplierDetails, value);
    if (details === undefined) return undefined;
    const ownPolicies = policies.filter((_, nth) => suppliers[nth] === name);
    parts.set(name, { body: { vehicle: details.vehicle, policies: ownPolicies }, lastUpdated: details.lastUpdated });
  }
  return parts.size > 0 && suppliers.every((name) => parts.has(String(name))) ? parts : undefined;
};

/** Details and last update are those of the latest part; of equally late ones, those of the first by name. */
const joinParts = (parts: Parts<VehicleBody>): Omit<SuppliedVehicle, 'registration'> => {
  const sorted = [...parts].sort(([a], [b]) => (a < b ? -1 : 1));
  const supplied = sorted.map(([name, { body, lastUpdated = '' }]) => ({ name, ...body, lastUpdated }));
  const { vehicle, lastUpdated } = supplied.reduce((latest, one) =>
    one.lastUpdated > latest.lastUpdated ? one : latest,
  );
  const policies = supplied.flatMap(({ name, policies: ownPolicies }) =>
    name === NAMELESS ? ownPolicies : ownPolicies.map((policy) => ({ ...policy, supplier: name })),
  );
  const details = supplied.map((one) => [one.name, { lastUpdated: one.lastUpdated, vehicle: one.vehicle }]);
  const isNameless = parts.size === 1 && parts.has(NAMELESS);
  return { vehicle, policies, lastUpdated, ...(!isNameless && { supplied: Object.fromEntries(details) }) };
};

/** The reason names no supplier: whoever reads why its rows were rejected must not learn who its competitors are. */
const findConflict = (given: GivenParts<VehicleBody>, stored: Parts<VehicleBody>): string | undefined => {
  const parts = [...new Map<string, Pick<Part<VehicleBody>, 'body'>>([...stored, ...given]).values()];
  const count = parts.reduce((sum, { body }) => sum + body.policies.length, 0);
  const hasPolicies = [...given.values()].some(({ body }) => body.policies.length > 0);
  if (hasPolicies && count > MAX_POLICIES) {
    return `a vehicle has at most ${MAX_POLICIES} policies, with those of other suppliers`;
  }
  return parts.length > MAX_SUPPLIERS ? `a vehicle has at most ${MAX_SUPPLIERS} suppliers` : undefined;
};

/** Whether a policy of any of the parts is in force. */
const isInsured = (parts: ReadonlyMap<string, Pick<Part<VehicleBody>, 'body'>>, day: LondonDate): boolean =>
  [...parts.values()].some(({ body }) => insuranceOn(day, body.policies).status === 'IN_FORCE');

export const readSuppliedVehicle = (item: DynamoItem): SuppliedVehicle | undefined => {
  const parts = readVehicleParts(item);
  return parts && { registration: String(item.registration), ...joinParts(parts) };
};

/** The record that one supplier has supplied; null when it has supplied none, undefined for a damaged vehicle. */
export const readSupplierRecord = (item: DynamoItem, supplier: string): object | null | undefined => {
  const parts = readVehicleParts(item);
  const part = parts?.get(supplier);
  if (parts === undefined || part === undefined) return parts && null;
  return { registration: item.registration, ...part.body, lastUpdated: part.lastUpdated };
};

/** Compares and replaces one supplier's part of each vehicle; without a name, the nameless supplier's part. */
export const supplierTarget = (supplier = NAMELESS): RecordTarget<VehicleBody> => ({
  table: 'vehicles',
  replaces: (name) => name === supplier,
  read: readVehicleParts,
  join: joinParts,
  findConflict,
  isInsured,
});

export const WHOLE_VEHICLES = wholeTarget(supplierTarget());
