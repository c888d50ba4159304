import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '../dynamodb/batch-get.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { parseStored } from '../schemas/record-schema.ts';
import type { RegistrationKey } from '../vehicles/registration.ts';
import { InsuranceRecord, VehicleRecord } from '../vehicles/vehicle-record.ts';
import { type FoundRecords, foundRecords, INSURANCE_ATTRIBUTES, recordKey } from '../vehicles/vehicles-table.ts';
import { ComplianceRecord } from './compliance-record.ts';

/** What verdicts of many vehicles need. */
export interface FoundSources {
  readonly vehicles: FoundRecords<InsuranceRecord>;
  readonly compliance: FoundRecords<ComplianceRecord>;
  /** Why some could not be read, for the log. */
  readonly failure?: unknown;
}

/** The compliance table, read together with the vehicle in one request. */
export const complianceTable = (db: DynamoDBDocumentClient, names: { compliance: string; vehicles: string }) => ({
  /** @throws UnreadableRecord, or the error of a read that failed */
  findWithVehicle: async (registration: RegistrationKey, deadline: Deadline) => {
    const keys = [recordKey(registration)];
    const { items, failure } = await batchGet(
      db,
      [
        { table: names.vehicles, keys },
        { table: names.compliance, keys },
      ],
      deadline,
    );
    if (failure !== undefined) throw failure;
    const [vehicle] = items.get(names.vehicles) ?? [];
    const [compliance] = items.get(names.compliance) ?? [];
    return {
      vehicle: vehicle && parseStored(VehicleRecord, vehicle),
      compliance: compliance && parseStored(ComplianceRecord, compliance),
    };
  },

  /**
   * Both records of any number of distinct registrations, in batches of 100 keys at once.
   * @throws the first error when none could be read
   */
  findManyWithVehicles: async (
    registrations: readonly RegistrationKey[],
    deadline: Deadline,
  ): Promise<FoundSources> => {
    const keys = registrations.map(recordKey);
    const { items, unread, failure } = await batchGet(
      db,
      [
        { table: names.vehicles, keys, projection: INSURANCE_ATTRIBUTES },
        { table: names.compliance, keys },
      ],
      deadline,
    );
    const resultOf = (table: string) => [items.get(table), unread.get(table)] as const;
    return {
      vehicles: foundRecords('vehicles', InsuranceRecord, ...resultOf(names.vehicles)),
      compliance: foundRecords('compliance', ComplianceRecord, ...resultOf(names.compliance)),
      failure,
    };
  },
});
