import type { ImportKind } from '../../file-command/file-command.ts';
import type { StoredRecord } from '../records/put-if-newer.ts';
import { recordPerRow, recordWriting, registrationOf } from '../records/record-per-row.ts';
import { readVehicle } from './csv-vehicle.ts';
import { VEHICLE_COLUMNS } from './csv-vehicle-row.ts';
import { readVehicleLine } from './ndjson-vehicle.ts';

/** Vehicles with their policies: CSV with a row per policy, or NDJSON with a vehicle per line. */
export const vehicles: ImportKind<StoredRecord> = {
  noun: 'vehicles',
  columns: VEHICLE_COLUMNS,
  keyOf: registrationOf,
  read: (group, run) =>
    run.format === 'csv'
      ? readVehicle(group, run)
      : recordPerRow(group, (row, registration) => readVehicleLine(row, registration, run)),
  writing: recordWriting,
};
