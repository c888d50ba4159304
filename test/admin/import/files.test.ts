import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, utimesSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { ComplianceRecord } from '../../../core/compliance/record.ts';
import { forOperation } from '../../support/fault-choosers.ts';
import { CAN_CONTINUE, commandLine, failure, stagingFilesOf } from '../command-line.ts';
import { COMPLIANCE_HEADER, manyVehicles, VEHICLE_HEADER, VEHICLES, vehicleRow, vehiclesCsv } from '../import-files.ts';

const { run, file, load, stored, pathOf, atCall, countedRun, proxy, rejectedLines, writtenItems } = commandLine();

const find = async (registration: string) => (await stored()).find((record) => record.registration === registration);

describe('A CSV', () => {
  const COLUMNS = VEHICLE_HEADER.split(',');
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const header = (csv: string, written: (head: string) => string) => csv.replace(/.*/, written);

  it.each<[string, (csv: string) => string | Buffer]>([
    ['semicolons', (csv) => csv.replaceAll(',', ';')],
    ['tabs', (csv) => csv.replaceAll(',', '\t')],
    ['a sep= line', (csv) => `sep=|\r\n${csv.replaceAll(',', '|')}`],
    ['a sep= line that was saved again', (csv) => `"sep=;"${';'.repeat(10)}\r\n${csv.replaceAll(',', ';')}`],
    ['rows of empty cells', (csv) => csv.replace('\n', `\n${','.repeat(10)}\n`) + ' ,"",,\n'.repeat(3)],
    ['names in capitals, with spaces', (csv) => header(csv, (head) => head.toUpperCase().replaceAll('_', ' '))],
    ['names as in NDJSON', (csv) => header(csv, () => COLUMNS.map(camel).join(','))],
    ['columns in another order', (csv) => csv.replaceAll(/([^\n,]*),([^\n]*)/g, '$2,$1')],
    ['a byte order mark, CRLF and blank lines', (csv) => `\uFEFF${csv.replaceAll('\n', '\r\n\r\n')}`],
    ['quoted commas and quotes', (csv) => csv.replace(',Ford,', ',"Fo,""rd""",')],
  ])('is read with %s', async (shape, written) => {
    const registration = `S${shape.length}`;
    const result = await load('vehicles', 'v.csv', written(vehiclesCsv(vehicleRow({ registration }))));
    expect(result).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.stringMatching(/ 1 +1 +0 /) });
    const make = shape.startsWith('quoted') ? 'Fo,"rd"' : 'Ford';
    const policies = [{ number: 'P-1', validTo: '2026-12-31' }];
    expect(await find(registration)).toMatchObject({ vehicle: { make }, policies });
  });

  const text = vehiclesCsv(vehicleRow());
  it.each<[string, string, string | Buffer, RegExp]>([
    [
      'UTF-16',
      'v.csv',
      Buffer.from(`\uFEFF${text}`, 'utf16le'),
      /is UTF-16: save it as UTF-8, in Excel as "CSV UTF-8": .*/,
    ],
    ['UTF-16 without a mark', 'v.csv', Buffer.from(text, 'utf16le').swap16(), /the file is UTF-16/],
    ['a workbook', 'v.csv', Buffer.from('504b030414000600', 'hex'), /an Excel workbook, not CSV: open it and save/],
    ['a workbook of Excel 97', 'v.csv', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /an Excel workbook/],
    ['a workbook by its name', 'v.xlsx', '', /^error: the file is an Excel workbook, not CSV/],
    ['of a name without a known ending', 'v.txt', '', /^error: the name of the file must end in \.csv/],
    ['empty', 'v.csv', '', /is empty: its first line must name registration, make.* and may name last_updated\n$/],
    ['blank', 'v.csv', '\uFEFF\n\n', /the file is empty/],
    [
      'of other columns',
      'v.csv',
      'Registration,make,MAKE,wheels\n',
      /missing: model.*unknown: "wheels"; there twice: make/,
    ],
  ])('is rejected when it is %s', async (_what, name, content, sentence) => {
    expect(await load('vehicles', name, content)).toMatchObject(failure(sentence));
  });

  it('is rejected with 20 of its unknown columns named, without control characters', async () => {
    const names = ['a\u009b2J', 'b\u202ec', ...Array.from({ length: 2_000 }, (_, index) => index.toString(36))];
    const { stderr } = await load('vehicles', 'h.csv', `${names.join(',')}\n`);
    expect(stderr).toMatch(/unknown: "a\ufffd2J", "b\ufffdc", "0", .*"h" and 1,982 more\)/);
  });

  it('has its rows rejected that are not UTF-8', async () => {
    const { path } = await load(
      'vehicles',
      'v.csv',
      Buffer.from(vehiclesCsv(vehicleRow({ make: 'Citroën' })), 'latin1'),
    );
    expect(await rejectedLines(path)).toMatchObject([{ line: 2, reasons: [expect.stringContaining('not UTF-8')] }]);
  });

  it.each([
    ['v.csv', VEHICLE_HEADER, /^The file has a header and no rows: nothing was loaded\. Add rows/],
    ['v.ndjson', '', /^The file is empty: nothing was loaded/],
  ])('may be without rows, which is said: %s', async (name, content, notice) => {
    const result = await load('vehicles', name, content);
    expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(notice) });
  });
});

describe('Dates as DD/MM/YYYY', () => {
  const cells = { registration: 'UK1', valid_from: '03/05/2026', valid_to: '2/5/2027' };

  it('are read with --dates uk, the day first, beside those as YYYY-MM-DD, and never guessed', async () => {
    const other = ['12/31/2026', '3 May 2026'].map((valid_to, nth) =>
      vehicleRow({ registration: `UK2${nth}`, valid_to }),
    );
    const { path } = await load('vehicles', 'v.csv', vehiclesCsv(vehicleRow(cells), ...other), '--dates', 'uk');
    expect(await find('UK1')).toMatchObject({ policies: [{ validFrom: '2026-05-03', validTo: '2027-05-02' }] });
    const issues = ['is not a calendar date', 'must be DD/MM/YYYY or YYYY-MM-DD'];
    expect(await rejectedLines(path)).toMatchObject(issues.map((issue) => ({ reasons: [`valid_to: ${issue}`] })));
    const compliance = `${COMPLIANCE_HEADER}\nUK1,31/12/2026,,2027-01-02,,,0`.replaceAll(',', ';');
    await load('compliance', 'c.csv', compliance, '--dates', 'uk');
    const found = { mot: { dueDate: '2026-12-31' }, roadTax: { paidUntil: '2027-01-02' } };
    expect(await stored<ComplianceRecord>('compliance')).toMatchObject([found]);
  });
});

describe('The sample files of README', () => {
  it.each([
    ['vehicles', 'vehicles.csv', 1, / +81 +60 +12 /, 12],
    ['compliance', 'compliance.ndjson', 0, / +57 +57 +0 /, 0],
  ])('have good rows of %s, and bad ones for as many reasons', async (kind, name, exitCode, counts, reasons) => {
    const result = await load(kind, name, await readFile(`test/fixtures/samples/${name}`));
    expect(result).toMatchObject({ exitCode, stdout: expect.stringMatching(counts) });
    const rejected = await rejectedLines(result.path);
    expect([rejected.length, new Set(rejected.map((one) => one.reasons.join())).size]).toEqual([reasons, reasons]);
  });
});

describe('The summary of rejected rows', () => {
  it('counts 12,000 wrong dates in one line', async () => {
    const rows = Array.from({ length: 12_000 }, (_, nth) => ({ registration: `D${nth}`, valid_from: '03/05/2026' }));
    const { stderr, path } = await load('vehicles', 'v.csv', vehiclesCsv(...rows.map(vehicleRow)));
    expect(stderr).toBe(
      '12,000 × valid_from must be YYYY-MM-DD, first in line 2: 03/05/2026\n' +
        '         (--dates uk reads DD/MM/YYYY)\n' +
        `12,000 rows were rejected; the reasons are in ${path}.rejected.ndjson\n`,
    );
  });

  it('has the most frequent reason first, at most 20, no registration and no control character', async () => {
    const years = ['\u001b[2J', 'x'.repeat(50), 'z'].map((year) =>
      vehicleRow({ registration: `Y${year.length}`, year }),
    );
    const others = [{ registration: 'SECRET!' }, { registration: 'A1', make: '' }].map(vehicleRow);
    const same = ['A', 'A', 'A'].map((registration) => vehicleRow({ registration, policy_number: 'SAME' }));
    const columns = Array.from({ length: 22 }, (_, index) => `C1${',x'.repeat(index + 11)}`);
    const { stderr } = await load('vehicles', 'v.csv', vehiclesCsv(...others, ...years, ...same, ...columns));
    const lines = stderr.split('\n');
    expect(lines[0]).toBe('3 × year must be a whole number from 1885 to 2027, first in line 4: \ufffd[2J');
    // Reasons that differ in the number of a line only are one.
    expect(lines[1]).toBe('2 × policy_number is the same as on another line, first in line 8: SAME');
    expect(lines).toContain('1 × make must not be blank, first in line 3');
    expect(lines.filter((line) => line.includes(' × '))).toHaveLength(20);
    expect(stderr).toMatch(/^… and \d more reasons\n30 rows were rejected/m);
    expect(stderr).not.toMatch(/SECRET/);
  });
});

describe('An import', () => {
  it.each([
    ['absent', () => undefined, /^error: there is no such file: .*absent\.csv\n$/],
    ['folder', mkdirSync, /a folder, not a file/],
    ['pipe', (path: string) => execFileSync('mkfifo', [path]), /it must be a file, not a pipe: .*pipe\.csv\n$/],
  ])('is rejected when its file can be read only once or not at all: %s', async (name, make, sentence) => {
    make(pathOf(`${name}.csv`));
    expect(await run(['import', 'vehicles', pathOf(`${name}.csv`)])).toEqual(failure(sentence));
  });

  it('is rejected when somebody writes to its file while it is read, not while it is loaded', async () => {
    const path = await file('v.csv', manyVehicles('GROWS'));
    atCall(1, 'DescribeTable', () => appendFileSync(path, `${vehicleRow()}\n`));
    expect(await countedRun(['import', 'vehicles', path])).toEqual(
      failure(/^error: the file has changed while it was read; run this again/),
    );
    expect([writtenItems(), stagingFilesOf(path)]).toEqual([0, []]);
    atCall(1, 'BatchWriteItem', () => utimesSync(path, new Date(0), new Date(0)));
    expect(await countedRun(['import', 'vehicles', path])).toMatchObject({ exitCode: 0 });
  });

  it('is rejected before it stores anything when the file of rejected rows is a folder, and continued when it becomes one', async () => {
    const path = await file('v.csv', `${manyVehicles('DISK')}${vehicleRow({ registration: '' })}\n`);
    const rejected = `${path}.rejected.ndjson`;
    const sentence = `error: that is a folder, not a file: ${rejected}`;
    await mkdir(rejected);
    expect(await countedRun(['import', 'vehicles', path])).toEqual(failure(`${sentence}\n`));
    expect(writtenItems()).toBe(0);
    await rmdir(rejected);
    atCall(1, 'BatchWriteItem', () => mkdirSync(rejected));
    const next = `; ${VEHICLES} records were loaded before, ${CAN_CONTINUE}\n`;
    expect(await countedRun(['import', 'vehicles', path])).toEqual(failure(`${sentence}${next}`));
    await rmdir(rejected);
    proxy().reset();
    expect(await countedRun(['import', 'vehicles', path])).toMatchObject({ exitCode: 1 });
    expect([writtenItems(), (await rejectedLines(path)).length]).toEqual([0, 1]);
    expect(await readdir(pathOf('.'))).toEqual(['v.csv', 'v.csv.rejected.ndjson']);
  });

  it('removes an earlier file of rejected rows when none was rejected', async () => {
    await writeFile(`${pathOf('v.csv')}.rejected.ndjson`, 'earlier');
    await load('vehicles', 'v.csv', vehiclesCsv(vehicleRow()));
    expect(await readdir(pathOf('.'))).toEqual(['v.csv']);
  });

  it('stores every item when the database leaves half of each batch and throttles others', async () => {
    proxy().inject(forOperation('BatchWriteItem', ({ nth }) => (nth % 5 === 0 ? 'throttle' : 'partial')));
    const result = await countedRun(['import', 'vehicles', await file('v.csv', manyVehicles('BUSY', 100))]);
    expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ 100 +100 +0 /) });
    expect(proxy().calls.map(({ fault }) => fault)).toEqual(expect.arrayContaining(['throttle', 'partial']));
    expect((await stored()).filter(({ registration }) => registration.startsWith('BUSY'))).toHaveLength(100);
  });

  it('shows progress and no content of a row on a terminal, whose modes stay; elsewhere no control character', async () => {
    const csv = manyVehicles('BAR', 30) + vehicleRow({ registration: 'CANARY77', make: '' });
    const path = await file('v.csv', csv);
    const { stdout, stderr } = await run(['import', 'vehicles', path], { showsProgress: true });
    expect(stderr).toMatch(/reading \S+ 100 % {2}31 rows/);
    expect(stderr).toMatch(/vehicles \S+ 100 % {2}31 rows, [\d,]+\/s, 1 rejected, \d+s left/);
    // With which a terminal is told to hide its cursor, or not to wrap lines.
    expect(stderr).not.toContain('\u001b[?');
    expect(stdout + stderr).not.toContain('CANARY77');
    for (const piped of [stdout, (await run(['import', 'vehicles', path])).stderr])
      expect(piped).not.toMatch(/[^\P{Cc}\n]|%/u);
  });
});
