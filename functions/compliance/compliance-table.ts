import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { batchGet } from '../dynamodb/batch-get.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { parseStored } from '../schemas/stored-record.ts';
import { VehicleRecord } from '../vehicles/record.ts';
import { vehicleKey } from '../vehicles/vehicles-table.ts';
import { ComplianceRecord } from './record.ts';

/** The compliance table, read together with the vehicle in one request. */
export const complianceTable = (db: DynamoDBDocumentClient, names: { compliance: string; vehicles: string }) => ({
  /** The registration must be normalised. @throws UnreadableRecord, or the error of a read that failed */
  findWithVehicle: async (registration: string, deadline: Deadline) => {
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
    return {
      vehicle: vehicle && parseStored(VehicleRecord, vehicle),
      compliance: compliance && parseStored(ComplianceRecord, compliance),
    };
  },
});
