import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '../aws/batch-get.ts';
import type { DynamoItem } from '../aws/database.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { parseStored } from '../schemas/record-schema.ts';
import { hasNoRecord, isErased } from '../vehicles/erasure.ts';
import { type RegistrationKey, storedRegistrationKey } from '../vehicles/registration.ts';
import { InsuranceRecord, VehicleRecord } from '../vehicles/vehicle-record.ts';
import { type FoundRecords, foundRecords, INSURANCE_ATTRIBUTES, recordKey } from '../vehicles/vehicles-table.ts';
import { ComplianceRecord } from './compliance-record.ts';

export interface BulkVerdictRecords {
  readonly vehicles: FoundRecords<InsuranceRecord>;
  readonly compliance: FoundRecords<ComplianceRecord>;
  /** Why some records could not be read, for the log. */
  readonly failure?: unknown;
}

/**
 * Parses what is stored of a vehicle. Leaves out the compliance record of an unknown vehicle: a damaged one would hide
 * that the vehicle is unknown. @throws UnreadableRecord
 */
export const parseVerdictRecords = (vehicle: DynamoItem | undefined, compliance: DynamoItem | undefined) => ({
  vehicle: vehicle && parseStored(VehicleRecord, vehicle),
  compliance: vehicle && compliance && parseStored(ComplianceRecord, compliance),
});

/** The compliance table, read together with the vehicles in the same requests. */
export const complianceTable = (db: DynamoDBDocumentClient, names: { compliance: string; vehicles: string }) => {
  const read = async (registrations: readonly RegistrationKey[], deadline: Deadline, projection?: string) => {
    const reads = [{ table: names.vehicles, projection }, { table: names.compliance }];
    const { items, unread, failure } = await batchGet(db, reads, registrations.map(recordKey), deadline);
    // An erasure is written to both tables at once, but the tables are read at different moments. So a vehicle is
    // erased when either read has found an erasure.
    const erased = new Set([...items.values()].flat().filter(isErased).map(storedRegistrationKey));
    const resultOf = (table: string) => ({
      items: (items.get(table) ?? []).filter((item) => !hasNoRecord(item) && !erased.has(storedRegistrationKey(item))),
      unread: unread.get(table) ?? [],
    });
    return { vehicles: resultOf(names.vehicles), compliance: resultOf(names.compliance), failure };
  };

  return {
    /** @throws UnreadableRecord, or the error of a failed read */
    findWithVehicle: async (registration: RegistrationKey, deadline: Deadline) => {
      const { vehicles, compliance, failure } = await read([registration], deadline);
      if (failure !== undefined) throw failure;
      return parseVerdictRecords(vehicles.items[0], compliance.items[0]);
    },

    /**
     * Both records of any number of distinct registrations.
     * @throws the first error when none could be read
     */
    findManyWithVehicles: async (
      registrations: readonly RegistrationKey[],
      deadline: Deadline,
    ): Promise<BulkVerdictRecords> => {
      const { vehicles, compliance, failure } = await read(registrations, deadline, INSURANCE_ATTRIBUTES);
      return {
        vehicles: foundRecords('vehicles', InsuranceRecord, vehicles),
        compliance: foundRecords('compliance', ComplianceRecord, compliance),
        failure,
      };
    },
  };
};
