import { existsSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { vehiclesTable } from '../../functions/vehicles/vehicles-table.ts';
import { commandLine } from './command-line.ts';
import { VEHICLE_HEADER, type VehicleCells, vehicleRow, vehiclesCsv } from './vehicle-files.ts';

const { run, file, engine, rejectedLines, pathOf } = commandLine();

const load = async (content: string | Buffer) => {
  const path = await file('vehicles.csv', content);
  return { ...(await run(['import', 'vehicles', path])), path };
};
const find = (registration: string) => vehiclesTable(engine().client, engine().names.vehicles).find(registration);
/** Registrations that no other test uses. */
let used = 0;
const fresh = (): string => {
  used += 1;
  return `T${used}`;
};

describe('import vehicles of a CSV', () => {
  it('stores a vehicle with a policy per row, under its normalised registration', async () => {
    const policies: VehicleCells[] = [{ registration: 'zz 9-a' }, { registration: 'ZZ9A', policy_number: 'P-2' }];
    const result = await load(vehiclesCsv(...policies.map(vehicleRow)));
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    const policy = { insurer: 'Acme Mutual', validFrom: '2026-01-01', validTo: '2026-12-31', type: 'Comprehensive' };
    expect(await find('ZZ9A')).toEqual({
      registration: 'ZZ9A',
      vehicle: { make: 'Ford', model: 'Fiesta', year: 2019, color: 'Red' },
      policies: [
        { number: 'P-1', ...policy },
        { number: 'P-2', ...policy },
      ],
      lastUpdated: '2026-01-02T03:04:05.000Z',
    });
    expect(existsSync(pathOf('vehicles.csv.rejected.ndjson'))).toBe(false);
  });

  it('reads a byte order mark, CRLF, quoted commas, quotes and line feeds, blank lines and columns in any order', async () => {
    const registration = fresh();
    const columns = VEHICLE_HEADER.split(',').reverse().join(',');
    const row = vehicleRow({ registration, make: '"Škoda, ""Auto"""', model: '"Two\r\nlines"' });
    const cells = row
      .match(/"(?:[^"]|"")*"|[^,]+/g)
      ?.reverse()
      .join(',');
    await load(`\uFEFF${columns}\r\n\r\n${cells}\r\n\r\n`);
    expect((await find(registration))?.vehicle).toMatchObject({ make: 'Škoda, "Auto"', model: 'Two\r\nlines' });
  });

  it('takes blank policy columns for a vehicle without a policy, and the age of the file where a row has none', async () => {
    const registration = fresh();
    const blank = { policy_number: '', insurer: '', valid_from: '', valid_to: '', policy_type: '', last_updated: '' };
    const path = await file('vehicles.csv', vehiclesCsv(vehicleRow({ registration, ...blank })));
    await utimes(path, new Date(), new Date('2026-05-06T07:08:09Z'));
    await run(['import', 'vehicles', path]);
    expect(await find(registration)).toMatchObject({ policies: [], lastUpdated: '2026-05-06T07:08:09.000Z' });
  });

  it.each<[string, VehicleCells, string[]]>([
    ['blank registration', { registration: ' - ' }, ['registration: must have 1 to 12']],
    ['year of letters', { year: 'MMXIX' }, ['year: must be']],
    ['year before cars', { year: '1884' }, ['year: must be']],
    ['year after next', { year: '2028' }, ['year: must be']],
    ['text that is too long', { model: 'x'.repeat(101) }, ['model: must have at most 100']],
    ['part of a policy', { policy_number: '', valid_to: '' }, ['policy_number: must not', 'valid_to: must not']],
    ['date of another form', { valid_from: '1/1/2026' }, ['valid_from: must be a date']],
    ['day that does not exist', { valid_to: '2026-11-31' }, ['valid_to: is not a calendar date']],
    ['policy that ends first', { valid_to: '2025-12-31' }, ['valid_to: must not be before valid_from']],
    ['moment of another zone', { last_updated: '2026-01-02T03:04:05+01:00' }, ['last_updated: must be']],
    ['every fault at once', { make: ' ', year: '', color: '' }, ['make: must', 'year: must', 'color: must']],
    ['text after a quote', { make: '"Ford"s' }, ['the row has text after']],
    ['quote in a plain field', { make: 'Fo"rd' }, ['the row has a quote inside']],
    ['too many columns', { make: 'Ford,Ka' }, ['the row has too many columns: 12 where']],
  ])('rejects a %s and loads the rest', async (_case, cells, reasons) => {
    const valid = fresh();
    const bad = vehicleRow({ registration: fresh(), ...cells });
    const { exitCode, path } = await load(vehiclesCsv(bad, vehicleRow({ registration: valid })));
    expect(exitCode).toBe(1);
    expect(await rejectedLines(path)).toEqual([
      { line: 2, reasons: reasons.map((reason) => expect.stringContaining(reason)), row: bad },
    ]);
    expect(await find(valid)).toBeDefined();
  });

  it('rejects bytes that are not UTF-8', async () => {
    const { path } = await load(Buffer.from(vehiclesCsv(vehicleRow({ make: 'Citroën' })), 'latin1'));
    expect(await rejectedLines(path)).toMatchObject([{ line: 2, reasons: [expect.stringContaining('not UTF-8')] }]);
  });

  it('loads the rows after a quote that is never closed', async () => {
    const registrations = Array.from({ length: 50 }, fresh);
    const rows = registrations.map((registration) => vehicleRow({ registration, insurer: '"Cover, Ltd"' }));
    const open = [vehicleRow({ make: '"Ford' }), vehicleRow({ make: '"Seat' })];
    const { stdout, path } = await load(vehiclesCsv(open[0] ?? '', ...rows, open[1] ?? ''));
    expect(await rejectedLines(path)).toMatchObject([
      { line: 2, row: open[0] },
      { line: 53, row: open[1] },
    ]);
    expect(stdout).toMatch(/\b52 +50 +2 /);
  });

  it('replaces an earlier file of refused rows, and removes it when nothing was refused', async () => {
    const path = await file('vehicles.csv', vehiclesCsv(vehicleRow({ registration: fresh() })));
    await writeFile(`${path}.rejected.ndjson`, 'earlier');
    expect((await run(['import', 'vehicles', path])).exitCode).toBe(0);
    expect(existsSync(`${path}.rejected.ndjson`)).toBe(false);
  });
});

describe('a vehicle of several rows', () => {
  const stays = async (rows: readonly VehicleCells[], reasons: readonly string[]) => {
    const registration = fresh();
    await load(vehiclesCsv(vehicleRow({ registration, policy_number: 'STORED' })));
    const lines = rows.map((cells) => vehicleRow({ registration, ...cells }));
    const { exitCode, path } = await load(vehiclesCsv(...lines, vehicleRow({ registration: fresh() })));
    expect(exitCode).toBe(1);
    const rejected = await rejectedLines(path);
    expect(rejected.map(({ line }) => line)).toEqual(rows.map((_, index) => index + 2));
    for (const [index, reason] of reasons.entries()) expect(rejected[index]?.reasons.join()).toContain(reason);
    expect((await find(registration))?.policies).toMatchObject([{ number: 'STORED' }]);
  };

  it('is rejected whole when one row is bad, and its stored record stays', () =>
    stays([{}, { policy_number: 'P-2', year: 'x' }], ['rejected with line 3', 'year: must be']));

  it('is rejected whole when a row has too few columns but still names it', () =>
    stays([{ policy_number: 'P-2' }, { make: 'Ford,"' }], ['rejected with line 3', 'opens a quoted field']));

  it('is rejected whole when its rows contradict each other', () =>
    stays(
      [{}, { policy_number: 'P-2', make: 'Seat', color: 'Blue' }],
      ['rejected with', 'make: is not the same as on line 2'],
    ));

  it('is rejected whole when two policies have one number', () =>
    stays([{}, {}], ['rejected with', 'policy_number: is the same as on line 2']));

  it('is rejected whole when it has more than 20 policies', () =>
    stays(
      Array.from({ length: 21 }, (_, index) => ({ policy_number: `P-${index}` })),
      ['rejected with line 22'],
    ));

  it('is stored with all its policies when its rows are scattered over the file, in the order of the file', async () => {
    const [one, two] = [fresh(), fresh()];
    const cells: VehicleCells[] = [
      { registration: one },
      { registration: two, policy_number: 'Q-1' },
      { registration: one.toLowerCase(), policy_number: 'P-2' },
      { registration: '?' },
      { registration: two, policy_number: 'Q-2' },
      { registration: one, policy_number: 'P-3' },
    ];
    const { exitCode, stdout } = await load(vehiclesCsv(...cells.map(vehicleRow)));
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/ 6 +2 +1 /)]);
    expect((await find(one))?.policies.map(({ number }) => number)).toEqual(['P-1', 'P-2', 'P-3']);
    expect((await find(two))?.policies.map(({ number }) => number)).toEqual(['Q-1', 'Q-2']);
  });

  it('is rejected whole when a row far from the others is bad, and its stored record stays', async () => {
    const [one, two] = [fresh(), fresh()];
    await load(vehiclesCsv(vehicleRow({ registration: one, policy_number: 'STORED' })));
    const { path } = await load(
      vehiclesCsv(
        vehicleRow({ registration: one }),
        vehicleRow({ registration: two }),
        vehicleRow({ registration: one, policy_number: 'P-2', year: 'x' }),
      ),
    );
    expect(await rejectedLines(path)).toMatchObject([
      { line: 2, reasons: ['rejected with line 4, which is the same vehicle'] },
      { line: 4, reasons: [expect.stringContaining('year: must be')] },
    ]);
    expect((await find(one))?.policies).toMatchObject([{ number: 'STORED' }]);
    expect(await find(two)).toBeDefined();
  });

  it('is rejected whole when it has more rows than are read, even if most of them say nothing of a policy', async () => {
    const registration = fresh();
    const blank = { policy_number: '', insurer: '', valid_from: '', valid_to: '', policy_type: '' };
    const rows = [...Array.from({ length: 1_000 }, () => blank), {}].map((cells) =>
      vehicleRow({ registration, ...cells }),
    );
    const { path } = await load(vehiclesCsv(...rows));
    const rejected = await rejectedLines(path);
    expect(rejected).toHaveLength(1_001);
    expect(rejected[1_000]).toMatchObject({ line: 1_002, reasons: ['a vehicle has at most 1,000 rows'] });
    expect(await find(registration)).toBeUndefined();
  });

  it('takes the latest moment of its rows', async () => {
    const registration = fresh();
    const later = { policy_number: 'P-2', last_updated: '2026-03-01T00:00:00Z' };
    await load(vehiclesCsv(vehicleRow({ registration }), vehicleRow({ registration, ...later })));
    expect((await find(registration))?.lastUpdated).toBe('2026-03-01T00:00:00.000Z');
  });
});
