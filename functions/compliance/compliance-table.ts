import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '../dynamodb/batch-get.ts';
import type { Item } from '../dynamodb/database.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { readStored } from '../schemas/stored-record.ts';
import type { VehicleRecord } from '../vehicles/record.ts';
import { parseVehicleItem, vehicleKey } from '../vehicles/vehicles-table.ts';
import { ComplianceRecord } from './record.ts';

/** A stored compliance record does not fit its schema. */
export class UnreadableComplianceRecord extends Error {
  override readonly name = 'UnreadableComplianceRecord';
}

const parse = (item: Item): ComplianceRecord => {
  const record = readStored(ComplianceRecord, item);
  if (record === undefined) throw new UnreadableComplianceRecord();
  return record;
};

/** The two records that a verdict needs. */
export interface VerdictSources {
  readonly vehicle: VehicleRecord | undefined;
  readonly compliance: ComplianceRecord | undefined;
}

/** The compliance table, read together with the vehicle in one request. */
export const complianceTable = (db: DynamoDBDocumentClient, names: { compliance: string; vehicles: string }) => ({
  /**
   * The registration must be normalised.
   * @throws UnreadableComplianceRecord, UnreadableVehicleRecord, or the error of a read that failed
   */
  findWithVehicle: async (registration: string, deadline: Deadline): Promise<VerdictSources> => {
    const keys = [vehicleKey(registration)];
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
    return { vehicle: vehicle && parseVehicleItem(vehicle), compliance: compliance && parse(compliance) };
  },
});
