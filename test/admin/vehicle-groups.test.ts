import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Row } from '../../lib/admin/files/row.ts';
import { MAX_VEHICLE_ROWS, vehicleGroups } from '../../lib/admin/import/vehicles/vehicle-groups.ts';
import { vehicleScan } from '../../lib/admin/import/vehicles/vehicle-scan.ts';

const rowsOf = (registrations: readonly string[]): Row[] =>
  registrations.map((registration, index) => ({
    line: index + 2,
    text: `${registration},é,"\uD83D\uDE97"`,
    isJson: false,
    fields: { registration, make: `make ${index}` },
    issues: registration === 'D' ? ['the row has too few columns'] : [],
  }));

/** The groups of a file, in the order in which they become complete, and the most rows that were held at a time. */
const groupsOf = (rows: readonly Row[]) => {
  const scan = vehicleScan(0);
  for (const row of rows) scan.add(row);
  const groups = vehicleGroups(scan);
  let mostHeld = 0;
  const complete = rows.flatMap((row) => {
    const group = groups.add(row);
    mostHeld = Math.max(mostHeld, groups.heldRows());
    return group ?? [];
  });
  return { complete, mostHeld, heldAtEnd: groups.heldRows(), scatteredRows: scan.scatteredRows() };
};

/** What groups must come to: the rows by registration, ordered by their last ones; an unusable registration stands alone. */
const modelOf = (rows: readonly Row[]): Row[][] => {
  const byVehicle = new Map<string, Row[]>();
  for (const row of rows) {
    const registration = String(row.fields.registration);
    const key = registration === '?' ? `line ${row.line}` : registration;
    byVehicle.set(key, [...(byVehicle.get(key) ?? []), row]);
  }
  return [...byVehicle.values()].toSorted((a, b) => (a.at(-1)?.line ?? 0) - (b.at(-1)?.line ?? 0));
};

/** Rows of vehicles between whose own rows another vehicle's stand. */
const scatteredIn = (registrations: readonly string[]): number => {
  const known = registrations.filter((registration) => registration !== '?');
  const pieces = known.filter((registration, index) => registration !== known[index - 1]);
  return known.filter((registration) => pieces.indexOf(registration) !== pieces.lastIndexOf(registration)).length;
};

describe('The rows of vehicles in a file', () => {
  it('come together by registration in any order, each vehicle once and with its last row', () => {
    const files = fc.array(fc.constantFrom('A', 'B', 'C', 'D', 'E', '?'), { maxLength: 40 });
    fc.assert(
      fc.property(files, (registrations) => {
        const rows = rowsOf(registrations);
        const { complete, mostHeld, heldAtEnd, scatteredRows } = groupsOf(rows);
        expect(complete.map((group) => group.rows)).toEqual(modelOf(rows));
        expect(scatteredRows).toBe(scatteredIn(registrations));
        expect(mostHeld).toBeLessThanOrEqual(scatteredRows);
        expect(heldAtEnd).toBe(0);
      }),
    );
  });

  it('are not held when the file is sorted, however long it is', () => {
    const sorted = Array.from({ length: 30_000 }, (_, index) => `V${Math.floor(index / 3)}`);
    expect(groupsOf(rowsOf(sorted))).toMatchObject({ mostHeld: 0, scatteredRows: 0 });
  });

  it('are held only where they are scattered', () => {
    const sorted = Array.from({ length: 30_000 }, (_, index) => `V${Math.floor(index / 3)}`);
    const { mostHeld, scatteredRows, complete } = groupsOf(rowsOf([...sorted, 'V5', 'V7', 'V9']));
    expect({ mostHeld, scatteredRows }).toEqual({ mostHeld: 9, scatteredRows: 12 });
    expect(complete).toHaveLength(10_000);
  });

  it('are too many when more of them are scattered than are held', () => {
    const scan = vehicleScan(0, 4);
    const rows = rowsOf(['A', 'A', 'B', 'A', 'C', 'A', 'B']);
    for (const row of rows.slice(0, -1)) scan.add(row);
    expect(() => scan.add(rows.at(-1) as Row)).toThrow(/nothing was loaded: sort the file by registration/);
  });

  it('come one by one when a vehicle has more of them than are read', () => {
    const registrations = Array.from({ length: MAX_VEHICLE_ROWS + 1 }, () => 'A');
    const { complete, mostHeld } = groupsOf(rowsOf(['B', ...registrations, 'B']));
    expect(complete.filter(({ hasTooManyRows }) => hasTooManyRows)).toHaveLength(MAX_VEHICLE_ROWS + 1);
    expect(complete.at(-1)).toMatchObject({ registration: 'B', hasTooManyRows: false });
    expect(mostHeld).toBe(0);
  });

  it.each([
    ['a vehicle that was not there before', ['A', 'B', 'C']],
    ['a vehicle that was complete before', ['A', 'B', 'B']],
  ])('are rejected when the file has changed since the scan: %s', (_case, registrations) => {
    const scan = vehicleScan(0);
    for (const row of rowsOf(['A', 'B', 'A'])) scan.add(row);
    const groups = vehicleGroups(scan);
    const rows = rowsOf(registrations);
    expect(() => rows.map(groups.add)).toThrow(/the file has changed/);
  });
});
