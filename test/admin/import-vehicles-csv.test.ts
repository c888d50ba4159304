import { existsSync } from 'node:fs';
import { utimes, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { vehiclesTable } from '../../core/vehicles/vehicles-table.ts';
import { commandLine, failure, NOW } from './command-line.ts';
import { VEHICLE_HEADER, type VehicleCells, vehicleRow, vehiclesCsv } from './import-files.ts';

const { run, file, load, engine, rejectedLines } = commandLine();

const loadCsv = (content: string | Buffer) => load('vehicles', 'vehicles.csv', content);
const loadRows = (...rows: VehicleCells[]) => loadCsv(vehiclesCsv(...rows.map(vehicleRow)));
const find = (registration: string) => vehiclesTable(engine().client, engine().names.vehicles).find(registration);
/** Registrations that no other test uses. */
let used = 0;
const fresh = (): string => {
  used += 1;
  return `T${used}`;
};
const NO_POLICY = { policy_number: '', insurer: '', valid_from: '', valid_to: '', policy_type: '' };

describe('import vehicles of a CSV', () => {
  it('stores a vehicle with a policy per row, under its normalised registration', async () => {
    const result = await loadRows({ registration: 'zz 9-a' }, { registration: 'ZZ9A', policy_number: 'P-2' });
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    const policy = { insurer: 'Acme Mutual', validFrom: '2026-01-01', validTo: '2026-12-31', type: 'Comprehensive' };
    expect(await find('ZZ9A')).toEqual({
      registration: 'ZZ9A',
      vehicle: { make: 'Ford', model: 'Fiesta', year: 2019, color: 'Red' },
      policies: ['P-1', 'P-2'].map((number) => ({ number, ...policy })),
      lastUpdated: '2026-01-02T03:04:05.000Z',
    });
  });

  it('reads a byte order mark, CRLF, quoted commas and quotes, blank lines and columns in any order', async () => {
    const registration = fresh();
    const columns = VEHICLE_HEADER.split(',').reverse().join(',');
    const row = vehicleRow({ registration, make: '"Škoda, ""Auto"""', model: '"Two, ""B"""' });
    const cells = row.match(/"(?:[^"]|"")*"|[^,]+/g)?.reverse();
    await loadCsv(`\uFEFF${columns}\r\n\r\n${cells}\r\n\r\n`);
    expect((await find(registration))?.vehicle).toMatchObject({ make: 'Škoda, "Auto"', model: 'Two, "B"' });
  });

  it('stores no policy for blank policy columns, and dates a row without last_updated by the file', async () => {
    const registration = fresh();
    const path = await file('v.csv', vehiclesCsv(vehicleRow({ registration, ...NO_POLICY, last_updated: '' })));
    await utimes(path, new Date(), new Date('2026-05-06T07:08:09Z'));
    await run(['import', 'vehicles', path]);
    expect(await find(registration)).toMatchObject({ policies: [], lastUpdated: '2026-05-06T07:08:09.000Z' });
  });

  it('dates a row without last_updated by the import when the file is from the future', async () => {
    const registration = fresh();
    const path = await file('v.csv', vehiclesCsv(vehicleRow({ registration, last_updated: '' })));
    await utimes(path, NOW, new Date('2027-01-01T00:00:00Z'));
    await run(['import', 'vehicles', path]);
    expect((await find(registration))?.lastUpdated).toBe(NOW.toISOString());
  });

  it('stores a vehicle without a model, as registers have them', async () => {
    const registration = fresh();
    expect(await loadRows({ registration, model: ' ' })).toMatchObject({ exitCode: 0 });
    expect((await find(registration))?.vehicle.model).toBe('');
  });

  it.each<[string, VehicleCells, string[]]>([
    ['blank registration', { registration: ' - ' }, ['registration: must have 1 to 12']],
    ['year of letters', { year: 'MMXIX' }, ['year: must be']],
    ['year before cars', { year: '1884' }, ['year: must be']],
    ['year after next', { year: '2028' }, ['year: must be']],
    ['text that is too long', { model: 'x'.repeat(101) }, ['model: must have at most 100']],
    ['part of a policy', { policy_number: '', valid_to: '' }, ['policy_number: must not', 'valid_to: must not']],
    ['date of another form', { valid_from: '1 May 2026' }, ['valid_from: must be YYYY-MM-DD']],
    ['day that does not exist', { valid_to: '2026-11-31' }, ['valid_to: is not a calendar date']],
    ['policy that ends first', { valid_to: '2025-12-31' }, ['valid_to: must not be before valid_from']],
    ['moment of another zone', { last_updated: '2026-01-02T03:04:05+01:00' }, ['last_updated: must be']],
    ['moment of the year 9999', { last_updated: '9999-01-01T00:00:00Z' }, ['last_updated: must not be more than 24']],
    ['text with a NUL', { make: 'Fo\u0000rd' }, ['make: must not contain control characters']],
    ['text with a tab', { model: 'Fie\tsta' }, ['model: must not contain control characters']],
    ['text of two lines', { insurer: '"Acme\r\nMutual"' }, ['insurer: must not contain control characters']],
    ['row with several issues', { make: ' ', year: '', color: '' }, ['make: must', 'year: must', 'color: must']],
    ['text after a quote', { make: '"Ford"s' }, ['the row has text after']],
    ['quote in a plain field', { make: 'Fo"rd' }, ['the row has a quote inside']],
    ['row of too many columns', { make: 'Ford,Ka' }, ['the row has too many columns: 12 where']],
  ])('rejects a %s and loads the rest', async (_case, cells, reasons) => {
    const [bad, valid] = [{ registration: fresh(), ...cells }, fresh()];
    const { exitCode, path } = await loadRows(bad, { registration: valid });
    expect(exitCode).toBe(1);
    const expected = reasons.map((reason) => expect.stringContaining(reason));
    expect(await rejectedLines(path)).toEqual([{ line: 2, reasons: expected, row: vehicleRow(bad) }]);
    expect(await find(valid)).toBeDefined();
  });

  it('rejects bytes that are not UTF-8', async () => {
    const { path } = await loadCsv(Buffer.from(vehiclesCsv(vehicleRow({ make: 'Citroën' })), 'latin1'));
    expect(await rejectedLines(path)).toMatchObject([{ line: 2, reasons: [expect.stringContaining('not UTF-8')] }]);
  });

  it.each<[string, number, string]>([
    ['to the end of the file', 2, vehicleRow({ make: '"Ford' })],
    [
      'until a later row opens one',
      2,
      [vehicleRow({ make: '"Ford' }), vehicleRow({ make: '"Seat, ""Ibiza""' })].join('\n'),
    ],
    ['after a cell of several lines', 4, vehicleRow({ make: '"Ford\n\nKa"', model: '"Fiesta' })],
    ['by a stray quote', 2, [vehicleRow({ make: '"Ford' }), vehicleRow({ make: '19" wheels' })].join('\n')],
    ['within a megabyte', 2, `${vehicleRow({ make: '"Ford' })}${'\n'.repeat(1_000_001)}`],
  ])('loads nothing when a quote is not closed: %s', async (_case, line, rows) => {
    const registration = fresh();
    expect(await loadCsv(`${VEHICLE_HEADER}\n${rows}\n${vehicleRow({ registration })}\n`)).toMatchObject(
      failure(`error: the quote that opens a field on line ${line} is not closed as it should be; nothing was changed`),
    );
    expect(await find(registration)).toBeUndefined();
  });

  it('removes an earlier file of rejected rows when none was rejected', async () => {
    const path = await file('vehicles.csv', vehiclesCsv(vehicleRow({ registration: fresh() })));
    await writeFile(`${path}.rejected.ndjson`, 'earlier');
    expect((await run(['import', 'vehicles', path])).exitCode).toBe(0);
    expect(existsSync(`${path}.rejected.ndjson`)).toBe(false);
  });
});

describe('A vehicle of several rows', () => {
  const other = { registration: 'OTHER1' };

  it.each<[string, VehicleCells[], string[]]>([
    [
      'one row is bad',
      [{}, { policy_number: 'P-2', year: 'x' }],
      ['rejected with line 3, which is the same vehicle', 'year: must be'],
    ],
    [
      'a bad row is far from the others',
      [{}, { registration: 'NEAR1' }, { policy_number: 'P-2', year: 'x' }],
      ['rejected with line 4', 'year: must be'],
    ],
    [
      'a row has too many columns but still names it',
      [{ policy_number: 'P-2' }, { make: 'Ford,' }],
      ['rejected with line 3', 'too many columns'],
    ],
    [
      'a row has a stray quote but still names it',
      [{ policy_number: 'P-2' }, { make: 'Fo"rd' }],
      ['rejected with line 3', 'a quote inside a field'],
    ],
    [
      'its rows contradict each other',
      [{}, { policy_number: 'P-2', make: 'Seat', color: 'Blue' }],
      ['rejected with', 'make: is not the same as on line 2'],
    ],
    ['two policies have one number', [{}, {}], ['rejected with', 'policy_number: is the same as on line 2']],
    [
      'it has more than 20 policies',
      Array.from({ length: 21 }, (_, n) => ({ policy_number: `P-${n}` })),
      ['rejected with line 22'],
    ],
  ])('is rejected whole when %s, and its stored record stays', async (_case, cells, reasons) => {
    const registration = fresh();
    await loadRows({ registration, policy_number: 'STORED' });
    const rows = cells.map((each) => ({ registration, ...each }));
    const { exitCode, path } = await loadRows(...rows, other);
    expect(exitCode).toBe(1);
    const rejected = await rejectedLines(path);
    expect(rejected.map(({ line }) => line)).toEqual(
      rows.flatMap((row, index) => (row.registration === registration ? [index + 2] : [])),
    );
    for (const [index, reason] of reasons.entries()) expect(rejected[index]?.reasons.join()).toContain(reason);
    expect((await find(registration))?.policies).toMatchObject([{ number: 'STORED' }]);
    expect(await find('OTHER1')).toBeDefined();
  });

  it('is stored with all its policies when its rows are scattered over the file, in the order of the file', async () => {
    const [one, two] = [fresh(), fresh()];
    const { exitCode, stdout } = await loadRows(
      { registration: one },
      { registration: two, policy_number: 'Q-1' },
      { registration: one.toLowerCase(), policy_number: 'P-2' },
      { registration: '?' },
      { registration: two, policy_number: 'Q-2' },
      { registration: one, policy_number: 'P-3' },
    );
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/ 6 +2 +1 /)]);
    expect((await find(one))?.policies.map(({ number }) => number)).toEqual(['P-1', 'P-2', 'P-3']);
    expect((await find(two))?.policies.map(({ number }) => number)).toEqual(['Q-1', 'Q-2']);
  });

  it('is rejected whole when it has over 1,000 rows, even if most of them have no policy', async () => {
    const registration = fresh();
    const blank = Array.from({ length: 1_000 }, () => ({ registration, ...NO_POLICY }));
    const rejected = await rejectedLines((await loadRows(...blank, { registration })).path);
    expect(rejected).toHaveLength(1_001);
    expect(rejected[1_000]).toMatchObject({ line: 1_002, reasons: ['a vehicle has at most 1,000 rows'] });
    expect(await find(registration)).toBeUndefined();
  });

  it('was last updated at the latest moment of its rows', async () => {
    const registration = fresh();
    await loadRows({ registration }, { registration, policy_number: 'P-2', last_updated: '2026-03-01T00:00:00Z' });
    expect((await find(registration))?.lastUpdated).toBe('2026-03-01T00:00:00.000Z');
  });
});
