import { describe, expect, it } from '@jest/globals';
import { complianceTable } from '../../core/compliance/compliance-table.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { vehiclesTable } from '../../core/vehicles/vehicles-table.ts';
import { commandLine } from './command-line.ts';
import { VEHICLE_HEADER, vehicleRow, vehiclesCsv } from './import-files.ts';

const { run, file, engine, rejectedLines } = commandLine();

const load = async (content: string | Buffer, ...options: string[]) => {
  const path = await file('v.csv', content);
  return { ...(await run(['import', 'vehicles', path, ...options])), path };
};
const find = (registration: string) => vehiclesTable(engine().client, engine().names.vehicles).find(registration);
const COLUMNS = VEHICLE_HEADER.split(',');
const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

describe('A CSV of a spreadsheet program', () => {
  it.each<[string, string, (csv: string) => string]>([
    ['semicolons', 'S1', (csv) => csv.replaceAll(',', ';')],
    ['tabs', 'S2', (csv) => csv.replaceAll(',', '\t')],
    ['a sep= line', 'S3', (csv) => `sep=|\r\n${csv.replaceAll(',', '|')}`],
    ['a sep= line that was saved again', 'S4', (csv) => `"sep=;"${';'.repeat(10)}\r\n${csv.replaceAll(',', ';')}`],
    ['rows of empty cells', 'S5', (csv) => csv.replace('\n', `\n${','.repeat(10)}\n`) + ' ,"",,\n'.repeat(3)],
    [
      'names in capitals, with spaces',
      'S6',
      (csv) => csv.replace(/.*/, (head) => head.toUpperCase().replaceAll('_', ' ')),
    ],
    ['names as in NDJSON', 'S7', (csv) => csv.replace(/.*/, () => COLUMNS.map(camel).join(','))],
  ])('is read with %s', async (_shape, registration, written) => {
    const result = await load(written(vehiclesCsv(vehicleRow({ registration }))));
    expect(result).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringMatching(/ 1 +1 +0 /) });
    expect(await find(registration)).toMatchObject({ policies: [{ number: 'P-1', validTo: '2026-12-31' }] });
  });

  const text = vehiclesCsv(vehicleRow());
  it.each<[string, string | Buffer, RegExp]>([
    [
      'UTF-16',
      Buffer.from(`\uFEFF${text}`, 'utf16le'),
      /the file is UTF-16: save it as UTF-8, in Excel as "CSV UTF-8": .*v\.csv\n$/,
    ],
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le').swap16(), /the file is UTF-16/],
    ['a workbook', Buffer.from('504b030414000600', 'hex'), /an Excel workbook, not CSV: open it and save/],
    ['a workbook of Excel 97', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /an Excel workbook/],
    ['empty', '', /the file is empty: its first line must name registration, make.* and may name last_updated\n$/],
    ['blank', '\uFEFF\n\n', /the file is empty/],
  ])('is rejected by name when it is %s', async (_what, content, sentence) => {
    expect(await load(content)).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringMatching(sentence) });
  });

  it('is named when it has no rows, and succeeds', async () => {
    expect(await load(VEHICLE_HEADER)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^The file has a header and no rows: nothing was loaded\. Add rows/),
    });
    const empty = await run(['import', 'vehicles', await file('v.ndjson', '')]);
    expect(empty).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^The file is empty: nothing was loaded/),
    });
  });
});

describe('Dates as DD/MM/YYYY', () => {
  const cells = { registration: 'UK1', valid_from: '03/05/2026', valid_to: '2/5/2027' };

  it('are rejected with the option that reads them', async () => {
    const { path, stderr } = await load(vehiclesCsv(vehicleRow(cells)));
    const advice = 'must be YYYY-MM-DD; --dates uk reads DD/MM/YYYY';
    expect(await rejectedLines(path)).toMatchObject([{ reasons: [`valid_from: ${advice}`, `valid_to: ${advice}`] }]);
    expect(stderr).toContain('(--dates uk reads DD/MM/YYYY)');
  });

  it('are read with --dates uk, the day first, beside those as YYYY-MM-DD', async () => {
    expect(await load(vehiclesCsv(vehicleRow(cells)), '--dates', 'uk')).toMatchObject({ exitCode: 0 });
    expect(await find('UK1')).toMatchObject({ policies: [{ validFrom: '2026-05-03', validTo: '2027-05-02' }] });
    const rows = [
      'registration;mot_due;mot_exempt;tax_paid_until;tax_exempt;sorn;outstanding_fines',
      'UK1;31/12/2026;;2027-01-02;;;0',
    ];
    const path = await file('c.csv', rows.join('\n'));
    expect(await run(['import', 'compliance', path, '--dates', 'uk'])).toMatchObject({ exitCode: 0 });
    const table = complianceTable(engine().client, engine().names);
    expect((await table.findWithVehicle('UK1', deadlineIn(5_000))).compliance).toMatchObject({
      mot: { dueDate: '2026-12-31' },
      roadTax: { paidUntil: '2027-01-02' },
    });
  });

  it.each([
    ['12/31/2026', 'is not a calendar date'],
    ['3 May 2026', 'must be DD/MM/YYYY or YYYY-MM-DD'],
  ])('are never guessed: %s', async (valid_to, issue) => {
    const { path } = await load(vehiclesCsv(vehicleRow({ valid_to })), '--dates', 'uk');
    expect(await rejectedLines(path)).toMatchObject([{ reasons: [`valid_to: ${issue}`] }]);
  });
});

describe('The summary of rejected rows', () => {
  it('counts 20,000 wrong dates in one line', async () => {
    const row = vehicleRow({ valid_from: '03/05/2026', registration: 'DATE' });
    const rows = Array.from({ length: 20_000 }, (_, index) => row.replace('DATE', `D${index}`));
    const { stderr, path } = await load(vehiclesCsv(...rows));
    expect(stderr).toBe(
      '20,000 × valid_from must be YYYY-MM-DD, first in line 2: 03/05/2026\n' +
        '         (--dates uk reads DD/MM/YYYY)\n' +
        `20,000 rows were rejected; the reasons are in ${path}.rejected.ndjson\n`,
    );
  });

  it('has the most frequent reason first, at most 20, no registration and no control character', async () => {
    const years = ['\u001b[2J', 'x'.repeat(50), 'z'].map((year) =>
      vehicleRow({ registration: `Y${year.length}`, year }),
    );
    const twice = [vehicleRow({ registration: 'SECRET!' }), vehicleRow({ registration: 'A1', make: '' })];
    const columns = Array.from({ length: 22 }, (_, index) => `C1${',x'.repeat(index + 11)}`);
    const { stderr } = await load(vehiclesCsv(...twice, ...years, ...columns));
    const lines = stderr.split('\n');
    expect(lines[0]).toBe('3 × year must be a whole number from 1885 to 2027, first in line 4: \ufffd[2J');
    expect(lines).toContain('1 × make must not be blank, first in line 3');
    expect(lines.filter((line) => line.includes(' × '))).toHaveLength(20);
    expect(stderr).toMatch(/^… and \d more reasons\n27 rows were rejected/m);
    expect(stderr).not.toMatch(/SECRET/);
  });

  it('joins reasons that differ in a line number only', async () => {
    const lines = ['A', 'A', 'A'].map((registration) => vehicleRow({ registration, policy_number: 'SAME' }));
    const { stderr } = await load(vehiclesCsv(...lines));
    expect(stderr).toContain('2 × policy_number is the same as on another line, first in line 3: SAME\n');
  });
});
