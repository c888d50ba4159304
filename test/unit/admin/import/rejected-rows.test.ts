import { readFile, writeFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import {
  COMPLIANCE_HEADER,
  complianceLine,
  VEHICLE_HEADER,
  type VehicleCells,
  vehicleLine,
  vehicleRow,
  vehiclesCsv,
} from '../../../support/import-files.ts';
import { failure, useAdmin } from '../../../support/use-admin.ts';

const { load, run, rejectedLines } = useAdmin();

/** A row of a file, and what each of its reasons contains; no reason for a row that is loaded. */
type FileRow = readonly [text: string, ...reasons: string[]];

/** Rows of a vehicle each, unless their fields have a registration. */
const rowsOf = <Fields extends object>(
  write: (fields: Fields) => string,
  rows: readonly (readonly [fields: Fields, ...reasons: string[]])[],
) => rows.map(([fields, ...reasons], nth): FileRow => [write({ registration: `BAD${nth}`, ...fields }), ...reasons]);

const details = { make: 'Ford', model: 'Fiesta', year: 2019, color: 'Red' };
const policy = { number: 'P-1', insurer: 'Acme', validFrom: '2026-01-01', validTo: '2026-12-31', type: 'Third Party' };
const MAX_POLICIES = 20;
const MANY = Array.from({ length: MAX_POLICIES }, (_, nth) => ({ registration: 'MANY', policy_number: `P-${nth}` }));

/** A vehicle of several rows is rejected whole when one row is. */
const vehicleRows = rowsOf<VehicleCells>(vehicleRow, [
  ...MANY.map((cells): [VehicleCells, string] => [cells, 'rejected with line 22, which is the same vehicle']),
  [{ registration: 'MANY', policy_number: 'P-20' }, 'at most 20'],
  [{ registration: 'WHOLE' }, 'rejected with line 24, which is the same vehicle'],
  [{ registration: 'WHOLE', policy_number: 'P-2', year: 'x' }, 'year: must be'],
  [{ registration: 'DIFFERENT' }, 'rejected with line 26'],
  [{ registration: 'DIFFERENT', policy_number: 'P-2', make: 'Seat' }, 'make: is not the same as on line 25'],
  [{ registration: 'SAME' }, 'rejected with line 28'],
  [{ registration: 'SAME', insurer: 'Other' }, 'policy_number: is the same as on line 27, and the periods overlap'],
  [{ registration: '-' }, 'the row has no registration'],
  [{ year: '1884' }, 'year: must be'],
  [{ year: '2028' }, 'year: must be'],
  [{ model: 'x'.repeat(101) }, 'model: must have at most 100'],
  [{ policy_number: '', valid_to: '' }, 'policy_number: must not', 'valid_to: must not'],
  [{ valid_from: '1 May 2026' }, 'valid_from: must be YYYY-MM-DD'],
  [{ valid_to: '2026-11-31' }, 'valid_to: is not a calendar date'],
  [{ valid_to: '2025-12-31' }, 'valid_to: must not be before valid_from'],
  [{ last_updated: '2026-01-02T03:04:05+01:00' }, 'last_updated: must be'],
  [{ make: 'Fo\u0000rd' }, 'make: must not contain control characters'],
  [{ make: 'Fo\uFFFDrd' }, 'make: has a character that was lost (U+FFFD)'],
  [{ policy_number: '1.23457E11', insurer: '1.2E+11' }, 'policy_number: is a number', 'insurer: is a number that a'],
  [{ policy_number: '######', insurer: 'Err:502' }, 'policy_number: is an error', 'insurer: is an error'],
  [{ insurer: '#NV', color: '#¡DIV/0!' }, 'color: is an error', 'insurer: is an error of a spreadsheet'],
  [{ policy_number: "'0012" }, 'policy_number: begins with the apostrophe of a spreadsheet'],
  [{ model: '=B2', policy_number: '="0012"' }, 'model: is a formula', 'policy_number: is a formula of a spreadsheet'],
  [{ policy_number: '1234567.0', insurer: '(null)' }, 'policy_number: is a number with', 'insurer: is a database'],
  [{ make: '', year: '', color: '' }, 'make: must', 'year: must', 'color: must'],
]);

const vehicleLines: FileRow[] = [
  ['{"registration":', 'the row is not JSON'],
  ['[1]', 'the row is not a JSON object'],
  [vehicleLine({ registration: 'RE ST1' }), 'on line 4 too, with other values'],
  [vehicleLine({ registration: 're-st1', policies: [] }), 'on line 3 too, with other values'],
  [vehicleLine({ registration: 'GOOD', vehicle: { ...details, model: 'a\u2028b' } })],
  [vehicleLine({ registration: 'TWICE' }).replace('"policies"', '"policies":[],$&'), 'the line has a field twice'],
  [
    vehicleLine({ registration: 'ONE' }).replace('"registration"', '"\\u0072egistration" :"TWO",$&'),
    'the row has its registration twice',
  ],
  ...rowsOf(vehicleLine, [
    [{ vehicle: { ...details, model: undefined } }, 'vehicle.model: is missing'],
    [{ colour: 'Red', vehicle: { ...details, wheels: 4 } }, 'colour: is not a field', 'vehicle.wheels: is not'],
    [{ policies: undefined }, 'policies: is missing'],
    [{ vehicle: undefined }, 'vehicle: is missing', 'make: is', 'model: is', 'year: must', 'color: is'],
    [{ registration: 12 }, 'the row has a registration that is no string'],
    [{ policies: {} }, 'policies: must be an'],
    [{ vehicle: { ...details, year: '2019' } }, 'vehicle.year: must be'],
    [{ vehicle: { ...details, make: '\ud800' } }, 'vehicle.make: must be well-formed'],
    [{ vehicle: { ...details, color: 'R\u0085d' } }, 'vehicle.color: must not contain control'],
    [{ policies: [{ ...policy, validTo: '2025-01-01' }] }, 'must not be before'],
    [{ policies: [policy, policy] }, 'policies[1].number: is the same as policies[0]'],
    [{ policies: Array(21).fill(policy) }, 'policies: must have at most 20 entries'],
    [{ lastUpdated: 'yesterday' }, 'lastUpdated: must be a UTC timestamp'],
    [{ policies: [{ ...policy, validTo: 7 }] }, 'policies[0].validTo: must be a string'],
    [{ supplied: {} }, 'supplied: this is a line of an export; only --restore loads it'],
    [{ erased: {} }, 'erased: this is a line of an export'],
    [{ erasureUndone: '' }, 'erasureUndone: this is a line of an export'],
    [JSON.parse('{"__proto__": {"registration": "X"}}'), '__proto__: is not a field'],
  ]),
  [vehicleLine({ registration: 'SAME' }), 'line 27 too; leave one'],
  [vehicleLine({ registration: 'SAME' }).replace('"policies"', '"policies":[],$&'), 'a field twice', 'line 26 too'],
];

const complianceRows: FileRow[] = [
  ['C20,2026-05-06,yes,2026-07-08,,,0', 'mot_due, mot_exempt: only one'],
  ['C21,,no,,,,0', 'mot_due, mot_exempt: one of them', 'tax_paid_until, tax_exempt, sorn: one of them'],
  ['C22,2026-05-06,,,true,true,0', 'tax_paid_until, tax_exempt, sorn: only one'],
  ['C23,2026-05-06,,2026-07-08,maybe,,0', 'tax_exempt: must be true, false'],
  ['C24,2026-02-30,,2026-07-08,,,', 'mot_due: is not a calendar date', 'outstanding_fines: must be'],
  ['C26,2026-05-06', 'the row has 2 cells where the header names 7 (tax_paid_until, tax_exempt, sorn: one of them'],
];

const complianceLines = rowsOf(complianceLine, [
  [{ mot: {} }, 'mot: must have exactly one of dueDate, exempt', 'on line 10 too'],
  [{ roadTax: { sorn: true, paidUntil: '2026-01-01' } }, 'roadTax: must have exactly one'],
  [{ roadTax: { sorn: 'yes', note: 1 } }, 'roadTax.note: is not a field', 'roadTax.sorn: must be true'],
  [{ mot: null, outstandingFines: 1.5 }, 'mot: must be an object', 'mot: must', 'outstandingFines: must be a whole'],
  [{ lastUpdated: '2026-11-22T12:00:30.001Z' }, 'lastUpdated: must not be more than 24 hours in the future'],
  [{ registration: 'AHEAD', lastUpdated: '2026-11-22T12:00:30.000Z' }],
  [{ fines: {} }, 'fines: this is a line of an export; only --restore loads it'],
  [{ registration: undefined }, 'the row has no registration'],
  [{ registration: 'C3\u0000' }, 'the row has an invalid registration: it contains U+0000'],
  [{ registration: 'bad 0', outstandingFines: 'x' }, 'outstandingFines: must be a whole', 'on line 1 too'],
]);

it.each([
  ['vehicles', 'v.csv', [VEHICLE_HEADER], [...vehicleRows, [vehicleRow({ registration: 'REST' })]]],
  ['vehicles', 'v.ndjson', [], vehicleLines],
  ['compliance', 'c.csv', [COMPLIANCE_HEADER], complianceRows],
  ['compliance', 'c.ndjson', [], complianceLines],
] as const)('An import of %s rejects each bad row with every issue: %s', async (kind, name, header, rows) => {
  const text = `\uFEFF${[...header, ...rows.map(([row]) => row)].join('\r\n')}`;
  const { exitCode, path, stdout } = await load(kind, name, text, '--unreadable-at-most', '100%');
  // What a spreadsheet would run is escaped.
  const asWritten = (row: string) => (/^\{.*\}$/.test(row) ? JSON.parse(row) : row.replace(/(^|,)(?=[=-])/g, "$1'"));
  const rejected = rows.flatMap(([row, ...reasons], nth) =>
    reasons.length === 0
      ? []
      : {
          line: nth + 1 + header.length,
          row: asWritten(row),
          reasons: reasons.map((reason) => expect.stringContaining(reason)),
        },
  );
  expect(exitCode).toBe(1);
  expect(await rejectedLines(path)).toEqual(rejected);
  expect(stdout).toMatch(new RegExp(` ${rows.length} +${rows.length - rejected.length} +0 +${rejected.length} `));
});

it.each(['windows-1252', 'macintosh', 'utf-16le'])(
  'A corrected file of rejected rows is imported with the same options: --encoding %s',
  async (encoding) => {
    const csv = vehiclesCsv(vehicleRow({ registration: 'EN10AAA', year: 'x' }));
    const content = encoding === 'utf-16le' ? Buffer.from(`\uFEFF${csv}`, 'utf16le') : csv;
    const { path } = await load('vehicles', `${encoding}.csv`, content, '--encoding', encoding);
    const rejected = `${path}.rejected.csv`;
    await writeFile(rejected, (await readFile(rejected, 'utf8')).replace(',x,', ',2019,'));
    const result = await run(['import', 'vehicles', rejected, '--encoding', encoding]);
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
  },
);

it('An unreadable row is not loaded from the file of rejected rows, because it would replace the other policies', async () => {
  const rows = [vehicleRow({ registration: 'RE10AAA' }), vehicleRow({ registration: 'TBC', policy_number: 'P-2' })];
  const { path } = await load('vehicles', 'r.csv', vehiclesCsv(...rows), '--unreadable-at-most=1');
  const rejected = `${path}.rejected.csv`;
  await writeFile(rejected, (await readFile(rejected, 'utf8')).replace('TBC', 'RE10AAA'));
  const sentence = 'line 2 was unreadable in the original file: correct it there, and load that file';
  expect(await run(['import', 'vehicles', rejected])).toEqual(failure(sentence));
});
