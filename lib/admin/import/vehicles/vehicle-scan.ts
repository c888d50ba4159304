import { CommandFailure } from '../../command/outcome.ts';
import type { Row } from '../../files/row.ts';
import { firstLines, registrationFingerprint, registrationOf } from '../records/registrations.ts';

/** Rows of scattered vehicles that one file may have: 0.8 kB of memory each while they are held, 200 MB together. */
const MAX_SCATTERED_ROWS = 250_000;

/** What a file has of one vehicle. */
export interface ScannedVehicle {
  /** The line on which its last row begins. */
  readonly lastLine: number;
  readonly rows: number;
}

const doubled = (numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> => {
  const larger = new Uint32Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
};

/**
 * The first reading of a vehicles CSV: finds the last row of each vehicle, so that the second reading knows when it has all
 * of it. Holds numbers only: about 33 bytes a vehicle.
 */
export const vehicleScan = (expectedRows: number, maxScatteredRows = MAX_SCATTERED_ROWS) => {
  /** Each vehicle's number, from 1: its place in the tables below. */
  const numbers = firstLines(expectedRows);
  let lastLines = new Uint32Array(Math.ceil(expectedRows) + 1_024);
  let rowCounts = new Uint32Array(lastLines.length);
  let vehicles = 0;
  /** Vehicles with rows of other vehicles between their own. */
  const scattered = new Set<number>();
  let scatteredRows = 0;
  let previous = 0;

  const numberOf = (registration: string): number => {
    const known = numbers.claim(registrationFingerprint(registration), vehicles + 1);
    if (known !== undefined) return known;
    vehicles += 1;
    if (vehicles === lastLines.length) {
      lastLines = doubled(lastLines);
      rowCounts = doubled(rowCounts);
    }
    return vehicles;
  };

  const countScattered = (vehicle: number, earlierRows: number): void => {
    if (!scattered.has(vehicle)) {
      if (earlierRows === 0 || vehicle === previous) return;
      scattered.add(vehicle);
      scatteredRows += earlierRows;
    }
    scatteredRows += 1;
    if (scatteredRows > maxScatteredRows) {
      throw new CommandFailure(
        'the rows of too many vehicles are scattered over the file, and nothing was loaded: sort the file by registration',
      );
    }
  };

  return {
    /** @throws CommandFailure when more rows are scattered than can be held in memory */
    add: (row: Row): void => {
      const registration = registrationOf(row);
      if (registration === undefined) return;
      const vehicle = numberOf(registration);
      const earlierRows = rowCounts[vehicle] ?? 0;
      countScattered(vehicle, earlierRows);
      rowCounts[vehicle] = earlierRows + 1;
      lastLines[vehicle] = row.line;
      previous = vehicle;
    },

    find: (registration: string): ScannedVehicle | undefined => {
      const vehicle = numbers.find(registrationFingerprint(registration));
      return vehicle === undefined ? undefined : { lastLine: lastLines[vehicle] ?? 0, rows: rowCounts[vehicle] ?? 0 };
    },

    /** Rows of scattered vehicles: no more than these are held at a time. */
    scatteredRows: (): number => scatteredRows,
  };
};

export type VehicleScan = ReturnType<typeof vehicleScan>;
