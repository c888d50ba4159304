import type { FileRun, RowConsumer } from '../../file-command/file-command.ts';
import type { ImportKind } from '../import-kind.ts';
import { recordLoader, recordPerRow } from '../records/record-loader.ts';
import { readVehicle } from './csv-vehicle.ts';
import { VEHICLE_COLUMNS } from './csv-vehicle-row.ts';
import { readVehicleLine } from './ndjson-vehicle.ts';
import { vehicleGroups } from './vehicle-groups.ts';
import { vehicleScan } from './vehicle-scan.ts';

/** A policy per row, the rows of a vehicle anywhere in the file: read twice, so that no vehicle is stored before its last row. */
const openCsv = async (run: FileRun): Promise<RowConsumer> => {
  const scan = vehicleScan(run.expectedRows);
  for await (const rows of run.readAhead()) for (const row of rows) scan.add(row);
  const groups = vehicleGroups(scan);
  const loader = recordLoader(run);
  return {
    consume: (row) => {
      const group = groups.add(row);
      return group && loader.load(group.rows, readVehicle(group, run));
    },
    finish: loader.finish,
  };
};

/** Vehicles with their policies: CSV with a row per policy, or NDJSON with a vehicle per line. */
export const vehicles: ImportKind = {
  noun: 'vehicles',
  columns: VEHICLE_COLUMNS,
  open: (run) =>
    run.format === 'csv'
      ? openCsv(run)
      : recordPerRow(run, (row, registration) => readVehicleLine(row, registration, run)),
};
