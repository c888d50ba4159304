import type { VehicleRecord } from '../../../functions/vehicles/record.ts';
import { vehicleRow, vehiclesCsv } from '../../admin/import-files.ts';
import { aPolicy, aVehicle } from '../../support/records.ts';
import type { ImportFixture } from './fixture.ts';
import { errorsInTable, storeItems } from './keyed-records.ts';

/** Every so many vehicles one has a bad row, and is rejected whole; one has all rows but its first at the end of the file. */
const BAD_EVERY = 40;
const SCATTERED_EVERY = 30;

const registrationOf = (index: number): string => `KI${index}`;
const policyCount = (index: number): number => 1 + (index % 3);
const isBad = (index: number): boolean => index % BAD_EVERY === BAD_EVERY - 1;
const isScattered = (index: number): boolean => index % SCATTERED_EVERY === SCATTERED_EVERY - 1;
const insurerOf = (index: number): string => `Insurer ${index % 7}`;

const rowsOf = (index: number): string[] =>
  Array.from({ length: policyCount(index) }, (_, policy) =>
    vehicleRow({
      registration: registrationOf(index),
      policy_number: `NEW-${index}-${policy}`,
      insurer: insurerOf(index),
      valid_to: isBad(index) && policy === 0 ? '2026-02-30' : '2026-12-31',
    }),
  );

/** The record that the rows of a vehicle come to. */
const recordOf = (index: number): VehicleRecord => ({
  registration: registrationOf(index),
  vehicle: { make: 'Ford', model: 'Fiesta', year: 2019, color: 'Red' },
  policies: Array.from({ length: policyCount(index) }, (_, policy) =>
    aPolicy({ number: `NEW-${index}-${policy}`, insurer: insurerOf(index) }),
  ),
  lastUpdated: '2026-01-02T03:04:05.000Z',
});

const olderRecord = (index: number): VehicleRecord => ({
  ...aVehicle(registrationOf(index), [aPolicy({ number: 'OLD', validTo: '2025-12-31' })]),
  lastUpdated: '2025-01-01T00:00:00.000Z',
});

/** A CSV of vehicles with one to three rows each, some of them bad and some scattered. */
export const vehicleFixture = (vehicles: number): ImportFixture => {
  const indices = Array.from({ length: vehicles }, (_, index) => index);
  const inPlace = indices.flatMap((index) => rowsOf(index).slice(0, isScattered(index) ? 1 : undefined));
  const atEnd = indices.filter(isScattered).flatMap((index) => rowsOf(index).slice(1));
  const rows = [...inPlace, ...atEnd, vehicleRow({ registration: '?' })];
  const imported = indices.filter((index) => !isBad(index)).map(recordOf);
  /** Refused vehicles keep what is stored of them; the last one is in no file. */
  const untouched = [...indices.filter(isBad), vehicles].map(olderRecord);
  return {
    kind: 'vehicles',
    fileName: 'vehicles.csv',
    text: vehiclesCsv(...rows),
    rows: rows.length,
    records: imported.length,
    storeOlder: (engine) => storeItems(engine, engine.names.vehicles, [...indices, vehicles].map(olderRecord)),
    errorsIn: (engine) => errorsInTable(engine, engine.names.vehicles, imported, untouched),
  };
};
