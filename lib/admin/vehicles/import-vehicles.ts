import type { VehicleRecord } from '../../../functions/vehicles/record.ts';
import { vehicleItem } from '../../../functions/vehicles/vehicles-table.ts';
import type { ImportKind, ImportRun, RowTaker } from '../import/run.ts';
import { recordLoader } from '../records/record-loader.ts';
import { registrationOf } from '../records/registration-of.ts';
import { VEHICLE_COLUMNS } from './csv-columns.ts';
import { readVehicle } from './csv-vehicle.ts';
import { readVehicleLine } from './ndjson-vehicle.ts';
import { type VehicleGroup, vehicleGroups } from './vehicle-groups.ts';

const loaderOf = (run: ImportRun) => recordLoader<VehicleRecord>(run, 'vehicles', vehicleItem);

const takeLines = (run: ImportRun): RowTaker => {
  const loader = loaderOf(run);
  return {
    take: (row) => loader.settle(registrationOf(row), [row], readVehicleLine(row, run.now, run.fileChanged)),
    finish: loader.finish,
  };
};

const takeGroups = (run: ImportRun): RowTaker => {
  const loader = loaderOf(run);
  const groups = vehicleGroups();
  const settle = (group: VehicleGroup | undefined) =>
    group && loader.settle(group.registration, group.rows, readVehicle(group, run.now, run.fileChanged));
  return {
    take: (row) => settle(groups.add(row)),
    end: () => settle(groups.end()),
    finish: loader.finish,
  };
};

/** Vehicles with their policies: CSV with a row per policy, or NDJSON with a vehicle per line. */
export const vehicles: ImportKind = {
  noun: 'vehicles',
  table: 'vehicles',
  columns: VEHICLE_COLUMNS,
  open: (run) => (run.format === 'csv' ? takeGroups(run) : takeLines(run)),
};
