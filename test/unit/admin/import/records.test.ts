import { utimes } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { ComplianceRecord } from '../../../../core/compliance/compliance-record.ts';
import {
  COMPLIANCE_HEADER,
  complianceLine,
  VEHICLE_HEADER,
  type VehicleCells,
  vehicleLine,
  vehicleRow,
  vehiclesCsv,
} from '../../../support/import-files.ts';
import { aPolicy } from '../../../support/records.ts';
import { NOW, useAdmin } from '../../../support/use-admin.ts';

const { run, file, load, stored, findVehicle: find, rejectedLines } = useAdmin();

const loadRows = (...rows: VehicleCells[]) => load('vehicles', 'v.csv', vehiclesCsv(...rows.map(vehicleRow)));

const NO_POLICY = { policy_number: '', insurer: '', valid_from: '', valid_to: '', policy_type: '' };

describe('import vehicles of a CSV', () => {
  it('stores a vehicle with a policy per row, under its normalised registration', async () => {
    const result = await loadRows({ registration: 'zz 9-a' }, { registration: 'ZZ9A', policy_number: 'P-2' });
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await find('ZZ9A')).toEqual({
      registration: 'ZZ9A',
      vehicle: { make: 'Ford', model: 'Fiesta', year: 2019, color: 'Red' },
      policies: [aPolicy({ number: 'P-1' }), aPolicy({ number: 'P-2' })],
      lastUpdated: '2026-01-02T03:04:05.000Z',
      revision: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  it('stores no policy for blank columns of a policy, and a vehicle without a model as registers have them', async () => {
    await loadRows({ registration: 'EMPTY1', ...NO_POLICY, model: ' ' });
    expect(await find('EMPTY1')).toMatchObject({ policies: [], vehicle: { model: '' } });
  });

  it.each([
    ['LKW,AB12CDE,nb,BOX,123', '4 registrations have', '123, BOX, LKW, …'],
    ['ABCDEFGHIJKL', '1 registration has', 'ABCDEFGHIJKL'],
  ])('counts and names registrations of no known UK format that it loads: of %s', async (names, count, examples) => {
    const rows = names.split(',').map((registration, nth) => ({ registration, policy_number: `${nth}` }));
    const note = `${count} no known UK format, which is often a mistake: ${examples}\n`;
    expect((await loadRows(...rows)).stdout).toContain(note);
  });

  it('loads a vehicle once whose rows say the same, also in capitals or for each of its drivers', async () => {
    const rows = [{}, { make: 'FORD', color: 'RED' }, { policy_number: 'P-2' }].map(
      (cells, nth) => `${vehicleRow({ registration: 'SAME', ...cells })},${nth}`,
    );
    const { stdout } = await load('vehicles', 'v.csv', [`${VEHICLE_HEADER},driver`, ...rows].join('\n'), '--json');
    expect(JSON.parse(stdout)).toMatchObject({ read: 3, loaded: 1, repeated: 1, rejected: 0 });
    const policies = [{ number: 'P-1' }, { number: 'P-2' }];
    expect(await find('SAME')).toMatchObject({ vehicle: { make: 'Ford' }, policies });
  });

  const years = ['2025', '2026'].map((year) => ({ valid_from: `${year}-01-01`, valid_to: `${year}-12-31` }));
  const policies = years.map(({ valid_from, valid_to }) => aPolicy({ validFrom: valid_from, validTo: valid_to }));
  it.each([
    ['v.csv', vehiclesCsv(...years.map((period) => vehicleRow({ registration: 'RENEWED', ...period })))],
    ['v.ndjson', vehicleLine({ registration: 'RENEWED', policies })],
  ])('stores a policy that was renewed under its number as two: %s', async (name, text) => {
    await run(['remove', 'vehicles', '--registration', 'RENEWED']);
    expect(await load('vehicles', name, text)).toMatchObject({ exitCode: 0 });
    expect((await find('RENEWED'))?.policies).toHaveLength(2);
  });
});

describe('A vehicle of several rows', () => {
  it.each([
    ['1,000 rows', 1_001, ''],
    ['4 MB, which would take 20 times as much memory', 45, 'n'.repeat(90_000)],
  ])('is rejected whole when its rows have over %s', async (_limit, count, note) => {
    const rows = Array.from({ length: count }, () => `${vehicleRow({ registration: 'LARGE', ...NO_POLICY })},${note}`);
    const { path } = await load('vehicles', 'large.csv', `${VEHICLE_HEADER},notes\n${rows.join('\n')}`);
    const rejected = await rejectedLines(path);
    expect(rejected).toHaveLength(count);
    expect(rejected[0]?.reasons).toEqual(['a vehicle has at most 1,000 rows and 4,000,000 characters']);
    expect(await find('LARGE')).toBeUndefined();
  });

  it('has at most 100 reasons for one row', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 150 }, (_, nth) => [`field${nth}`, 1]));
    const { path } = await load('vehicles', 'unknown.ndjson', vehicleLine(unknown));
    expect((await rejectedLines(path))[0]?.reasons).toHaveLength(100);
  });

  it('was last updated at the latest moment of its rows', async () => {
    const times = ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z', ''];
    const rows = times.map((last_updated, nth) => ({ policy_number: `P-${nth}`, last_updated }));
    await loadRows(...rows.map((cells) => ({ registration: 'LATEST', ...cells })));
    expect((await find('LATEST'))?.lastUpdated).toBe('2026-03-01T00:00:00.000Z');
  });
});

it('import compliance loads rows once that say the same, such as one for each keeper', async () => {
  const rows = ['A', 'B'].map((keeper) => `C2,2026-05-06,,2026-07-08,,,0,${keeper}`);
  const { stdout } = await load('compliance', 'c.csv', [`${COMPLIANCE_HEADER},keeper`, ...rows].join('\n'), '--json');
  expect(JSON.parse(stdout)).toMatchObject({ read: 2, loaded: 1, repeated: 1, rejected: 0 });
  await run(['remove', 'compliance', '--registration', 'C2']);
});

it.each([
  ['C1 A,2026-05-06,,2026-07-08,,,0', { mot: { dueDate: '2026-05-06' }, roadTax: { paidUntil: '2026-07-08' } }],
  ['C1 A,,TRUE,,y,N,3', { mot: { exempt: true }, roadTax: { exempt: true }, fines: { outstanding: 3 } }],
  ['C1 A,,1,,0,Yes,0', { mot: { exempt: true }, roadTax: { sorn: true } }],
])('import compliance stores the row %s', async (row, fields) => {
  expect(await load('compliance', 'c.csv', `${COMPLIANCE_HEADER}\n${row}`)).toMatchObject({ exitCode: 0 });
  const records = await stored<ComplianceRecord>('compliance');
  expect(records).toMatchObject([{ registration: 'C1A', fines: { outstanding: 0 }, ...fields }]);
});

describe('The last update of an imported record', () => {
  const TIME = '2026-05-01T08:00:00Z';
  const FUTURE = '2027-01-01T00:00:00Z';
  const OLD = '2025-01-01T00:00:00Z';
  const C1 = 'C1,,yes,,,yes,0';

  it.each([
    ['its column', 'c.csv', `${COMPLIANCE_HEADER},last_updated\n${C1},${TIME}`, FUTURE, TIME],
    ['its field', 'c.ndjson', complianceLine({ lastUpdated: TIME }), FUTURE, TIME],
    ['a CSV without the column', 'c.csv', `${COMPLIANCE_HEADER}\n${C1}`, TIME, TIME],
    ['NDJSON without the field', 'c.ndjson', complianceLine(), TIME, TIME],
    ['a file of the future', 'c.ndjson', complianceLine(), FUTURE, NOW.toISOString()],
    ['null', 'c.ndjson', complianceLine({ lastUpdated: null }), TIME, undefined],
  ])('is the one of the record, else of the file: %s', async (_of, name, text, time, expected) => {
    const before = { mot: { dueDate: '2026-01-01' }, roadTax: { exempt: true }, outstandingFines: 9, lastUpdated: OLD };
    await load('compliance', 'before.ndjson', complianceLine(before));
    const path = await file(name, text);
    await utimes(path, NOW, new Date(time));
    await run(['import', 'compliance', path]);
    const record = (await stored<ComplianceRecord>('compliance')).find(({ registration }) => registration === 'C1');
    const times = [record?.mot, record?.roadTax, record?.fines].map((part) => part?.lastUpdated);
    expect(times).toEqual(Array(3).fill(expected && new Date(expected).toISOString()));
  });
});

const OLDER = '2026-05-01T08:00:00.000Z';
const NEWER = '2026-05-01T08:00:00.001Z';

const SUMMARIES = {
  loaded: /^rows read +compliance loaded +unchanged +rows rejected.*\n +1 +1 +0 +0 /,
  kept: /^rows read +compliance loaded +unchanged +kept +rows rejected.*\n +1 +0 +0 +1 +0 /,
};
it.each<[stored: string | null | undefined, given: string | null, outcome: 'loaded' | 'kept']>([
  [OLDER, NEWER, 'loaded'],
  [OLDER, OLDER, 'kept'],
  [NEWER, OLDER, 'kept'],
  [OLDER, '2026-05-01T08:00:00.0015+00:00', 'loaded'],
  [NEWER, '2026-05-01T08:00:00Z', 'kept'],
  [null, OLDER, 'loaded'],
  [null, null, 'kept'],
  [OLDER, null, 'kept'],
  [undefined, null, 'loaded'],
])('import --if-newer on a record of %p, one of %p is %s', async (before, lastUpdated, outcome) => {
  await run(['remove', 'compliance', '--registration', 'C1']);
  if (before !== undefined) await load('compliance', 'before.ndjson', complianceLine({ lastUpdated: before }));
  const line = complianceLine({ lastUpdated, outstandingFines: 7 });
  expect((await load('compliance', 'c.ndjson', line, '--if-newer')).stdout).toMatch(SUMMARIES[outcome]);
  const fines = expect.objectContaining({ outstanding: outcome === 'loaded' ? 7 : 0 });
  expect(await stored('compliance')).toContainEqual(expect.objectContaining({ registration: 'C1', fines }));
});

it('import --if-newer rejects rows without a last update of their own', async () => {
  const rows = [vehicleRow({ registration: 'NEWER' }), vehicleRow({ registration: 'NOTIME', last_updated: ' ' })];
  const { path, stdout } = await load('vehicles', 'v.csv', vehiclesCsv(...rows), '--if-newer', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ loaded: 1, rejected: 1 });
  expect(await rejectedLines(path)).toMatchObject([
    { line: 3, reasons: ['last_updated: must be given with --if-newer'] },
  ]);
});
