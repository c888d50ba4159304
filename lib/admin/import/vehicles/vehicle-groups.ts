import { CommandFailure } from '../../command/outcome.ts';
import type { Row } from '../../files/row.ts';
import { registrationOf } from '../records/registrations.ts';
import type { VehicleScan } from './vehicle-scan.ts';

/** All rows of one vehicle in the order of the file; a row without a usable registration is alone. */
export interface VehicleGroup {
  readonly registration: string | undefined;
  readonly rows: readonly Row[];
  /** Whether the vehicle has more rows than are read: they come one by one then, to be rejected. */
  readonly hasTooManyRows: boolean;
}

/** A vehicle has at most 20 policies; more rows than this are a mistake and are not kept in memory. */
export const MAX_VEHICLE_ROWS = 1_000;

/** Copies a row that is kept: otherwise it would keep the whole chunk of the file in memory. */
const pack = (row: Row): string => JSON.stringify(row);
const unpack = (text: string): Row => JSON.parse(text) as Row;

/** Puts together the rows of each vehicle, wherever they are in the file. */
export const vehicleGroups = (scan: Pick<VehicleScan, 'find'>) => {
  /** Rows of scattered vehicles whose last row is yet to come. */
  const held = new Map<string, readonly string[]>();
  let heldRows = 0;
  /** The vehicle of the row before, and its rows that followed each other. */
  let current: { readonly registration: string; readonly rows: Row[] } | undefined;

  const hold = (registration: string, rows: readonly Row[]): void => {
    held.set(registration, [...(held.get(registration) ?? []), ...rows.map(pack)]);
    heldRows += rows.length;
  };

  const release = (registration: string): Row[] => {
    const packed = held.get(registration) ?? [];
    held.delete(registration);
    heldRows -= packed.length;
    return packed.map(unpack);
  };

  /** The latest consecutive rows of this vehicle; those of another vehicle are kept for later. */
  const rowsOf = (registration: string): Row[] => {
    if (current?.registration === registration) return current.rows;
    if (current) hold(current.registration, current.rows);
    current = { registration, rows: [] };
    return current.rows;
  };

  return {
    /**
     * The vehicle that this row completes, if it completes one.
     * @throws CommandFailure when the row was not there in the scan
     */
    add: (row: Row): VehicleGroup | undefined => {
      const registration = registrationOf(row);
      if (registration === undefined) return { registration, rows: [row], hasTooManyRows: false };
      const scanned = scan.find(registration);
      if (scanned === undefined || row.line > scanned.lastLine) {
        throw new CommandFailure('the file has changed while it was read; run this again');
      }
      if (scanned.rows > MAX_VEHICLE_ROWS) return { registration, rows: [row], hasTooManyRows: true };
      const rows = rowsOf(registration);
      rows.push(row);
      if (row.line < scanned.lastLine) return undefined;
      current = undefined;
      return { registration, rows: [...release(registration), ...rows], hasTooManyRows: false };
    },

    /** Number of rows that are kept at present. */
    heldRows: (): number => heldRows,
  };
};
