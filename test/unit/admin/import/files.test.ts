import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import {
  manyVehicles,
  VEHICLE_HEADER,
  type VehicleCells,
  vehicleRow,
  vehiclesCsv,
} from '../../../support/import-files.ts';
import { failure, rejectedFilesOf, useAdmin } from '../../../support/use-admin.ts';

const admin = useAdmin();
const { run, file, load, rejectedLines, findVehicle: find } = admin;

/** Names of the column of registrations, as people write them. */
const NAMES = [
  ...['REG', 'Reg. No.', 'registration_number', 'Vehicle Registration', 'Vehicle Reg No', 'VRM', 'vrn', 'Reg Plate'],
  ...['Number Plate', 'Licence plate no.', 'Index No', 'Kennzeichen', 'Amtl. Kennzeichen'],
];

describe('A CSV', () => {
  const header = (csv: string, written: (head: string) => string) => csv.replace(/.*/, written);

  // Every other encoding, delimiter and line end: right-or-refused.test.ts.
  it.each<[string, (csv: string) => string | Buffer]>([
    ['a sep= line', (csv) => `sep=|\r\n${csv.replaceAll(',', '|')}`],
    ['a sep= line that was saved again', (csv) => `"sep=;"${';'.repeat(10)}\r\n${csv.replaceAll(',', ';')}`],
    ['a byte order mark, CRLF and blank lines', (csv) => `\uFEFF${csv.replaceAll('\n', '\r\n\r\n')}`],
    ['rows of empty cells', (csv) => csv.replaceAll('\n', '\n,\n , \n')],
    ['carriage returns, then line feeds', (csv) => csv.replace('\n', '\r')],
    ['each cell quoted', (csv) => csv.replace(/[^,\n]+/g, '"$&"')],
    ['UTF-16, little endian', (csv) => Buffer.from(`\uFEFF${csv.replaceAll(',', '\t')}`, 'utf16le')],
    ['Windows-1252', (csv) => Buffer.from(csv, 'latin1')],
    ['Windows-1252 that ends without a line end', (csv) => Buffer.from(csv.trimEnd(), 'latin1')],
    ...NAMES.map((name): [string, (csv: string) => string] => [
      `the registration as ${name}`,
      (csv) => csv.replace('registration', name),
    ]),
    ['empty cells after the last column', (csv) => csv.replaceAll(/(.)$/gm, '$1,, ')],
    ['names in capitals, with spaces', (csv) => header(csv, (head) => head.toUpperCase().replaceAll('_', ' '))],
    ['columns in another order', (csv) => csv.replaceAll(/([^\n,]*),([^\n]*)/g, '$2,$1')],
    ['other usual names', (csv) => csv.replace('color', 'Colour').replace('valid_to', 'Expiry Date')],
  ])('is read with %s', async (shape, written) => {
    const registration = `S${shape.length}${shape.length % 7}`;
    const csv = vehiclesCsv(vehicleRow({ registration, make: 'José', last_updated: '' }));
    const result = await load('vehicles', 'v.csv', written(csv));
    const stderr = shape.startsWith('Windows') ? 'The file is not UTF-8: it is read as Windows-1252.\n' : '';
    expect(result).toMatchObject({ exitCode: 0, stderr, stdout: expect.stringMatching(/ 1 +1 +0 +0 /) });
    const policies = [{ number: 'P-1', validTo: '2026-12-31' }];
    expect(await find(registration)).toMatchObject({ vehicle: { make: 'José' }, policies });
    await run(['remove', 'vehicles', await file('r.csv', written(csv))]);
    expect(await find(registration)).toBeUndefined();
  });

  it('may have columns that nobody knows, which a notice names, and any name for a column with --map', async () => {
    const text = `${VEHICLE_HEADER},Notes,,"D\u009b2"\n${vehicleRow({ registration: 'MAP' })},a,b,c\n`;
    const mapped = text.replace('registration', 'Kenn=zeichen').replace('color', 'Plate');
    const map = ['--map', 'kenn=zeichen=registration', '--map', 'Plate=color'];
    const stderr = 'Columns that are not used: "Notes", "D\ufffd2". --map COLUMN=NAME says which one a column is.\n';
    expect(await load('vehicles', 'v.csv', mapped, ...map)).toMatchObject({ exitCode: 0, stderr });
    expect(await find('MAP')).toMatchObject({ vehicle: { color: 'Red' } });
  });

  const text = vehiclesCsv(vehicleRow());
  const other = text.replace('registration', 'reg_plate');
  const many = ['a\u009b2J', 'b\u202ec', ...Array.from({ length: 2_000 }, (_, index) => index.toString(36))];
  it.each<[string, string | Buffer, RegExp, ...string[]]>([
    ['UTF-16 without a mark', Buffer.from(text, 'utf16le').swap16(), /is UTF-16 without a byte order mark: save it as/],
    ['a workbook', Buffer.from('504b030414000600', 'hex'), /an Excel workbook, not CSV: open it and save/],
    ['a workbook of Excel 97', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /an Excel workbook/],
    ['empty', '', /is empty: its header must name registration, make.* and may name last_updated\n$/],
    ['of other columns', 'Registration,make,MAKE,wheels\n', /missing: model.*unknown: "wheels"; .*: "make", "MAKE"\)/],
    ['of many others', `${many}\n`, /unknown: "a\ufffd2J", "b\ufffdc", "0", .*"h" and 1,982 more\)/],
    ['given --map plate', other, /argument 'plate' is invalid. Write it as COLUMN=NAME; see --help/, '--map', 'plate'],
    ['mapped to no column', other, /--map: "number" is not one of registration, make,/, '--map', 'plate=number'],
    ['mapped otherwise', other, /\(missing: plate, reg.*; unknown: "reg_plate"\)/, '--map', 'plate=registration'],
  ])('is rejected when it is %s', async (_what, content, sentence, ...options) => {
    expect(await load('vehicles', 'v.csv', content, ...options)).toMatchObject(failure(sentence));
  });

  it('may have titles above its header, with a notice', async () => {
    const text = `Acme fleet\n\n${vehiclesCsv(vehicleRow({ registration: 'TITLED1' }))}`;
    const stderr = 'Line 3 names the columns; what is above it is left out.\n';
    expect(await load('vehicles', 'titled.csv', text)).toMatchObject({ exitCode: 0, stderr });
  });

  it.each([
    ['vehicles', 'v.ndjson', ''],
    ['mot', 'm.ndjson', '\n \n'],
    ['vehicles', 'v.ndjson.gz', gzipSync('')],
  ])('is refused when it is empty or has only blank lines, also in a dry run: %s %s', async (kind, name, text) => {
    const sentence = 'the file is empty: nothing was changed; look for the right file: ';
    for (const options of [[], ['--dry-run']]) {
      expect(await load(kind, name, text, ...options)).toMatchObject(failure(sentence));
    }
  });

  it.each([['vehicles', '--restore'], ['content']])(
    'may be empty when it is an export, which import %s takes',
    async (kind, ...options) => {
      await admin.clear();
      const path = admin.pathOf('empty.ndjson');
      await run(['export', kind, path]);
      expect(await run(['import', kind, path, ...options])).toMatchObject({ exitCode: 0 });
    },
  );

  it('may be without rows, with a notice', async () => {
    const stderr = expect.stringMatching(/^The file has no rows: nothing was loaded/);
    expect(await load('vehicles', 'v.csv', VEHICLE_HEADER)).toMatchObject({ exitCode: 0, stderr });
  });
});

it.each(['vehicles', 'compliance', 'content'])('The example of a file of %s is loaded whole', async (kind) => {
  const csv = await readFile(`examples/files/${kind}.csv`, 'utf8');
  const rows = csv.trim().split('\n').length - 1;
  const stdout = expect.stringMatching(`\n +${rows} +${rows} +0 +0 `);
  expect(await load(kind, `${kind}.csv`, csv)).toMatchObject({ exitCode: 0, stderr: '', stdout });
});

describe('A compressed file', () => {
  /** Each part is a member, as `cat *.gz` makes them. */
  const members = (content: string | Buffer, ...cuts: number[]): Buffer => {
    const bytes = Buffer.from(content);
    return Buffer.concat([0, ...cuts].map((cut, nth) => gzipSync(bytes.subarray(cut, cuts[nth]))));
  };
  const csv = vehiclesCsv(vehicleRow({ registration: 'GZ10AAA', make: 'José' }), vehicleRow({ registration: 'GZ1' }));
  const make = csv.indexOf('José');

  it.each<[name: string, content: Buffer]>([
    ['v.csv.gz', gzipSync(csv)],
    ['V.CSV.GZ', gzipSync(Buffer.from(csv, 'latin1'))],
    // One ends within a character and one within a row, and one is empty.
    ['members.csv.gz', members(csv, make + 4, make + 20, make + 20)],
  ])('is read as what is in it: %s', async (name, content) => {
    await admin.clear();
    expect(await load('vehicles', name, content)).toMatchObject({ exitCode: 0 });
    expect(await find('GZ10AAA')).toMatchObject({ vehicle: { make: 'José' } });
  });

  it('is complete and removed by what is in it, and its rejected rows are in a file beside it', async () => {
    await admin.clear();
    const rows = ['GZ1', 'GZ2', 'GZ3'].map((registration) => vehicleRow({ registration }));
    await load('vehicles', 'v.csv.gz', gzipSync(vehiclesCsv(...rows, vehicleRow({ year: 'x' }))));
    expect(rejectedFilesOf(admin.pathOf('v.csv.gz'))).toEqual([admin.pathOf('v.csv.gz.rejected.csv')]);
    await load('vehicles', 'v.csv.gz', gzipSync(vehiclesCsv(...rows.slice(1))), '--complete');
    expect(await admin.registrations()).toEqual(['GZ2', 'GZ3']);
    expect(await run(['remove', 'vehicles', await file('r.txt.gz', gzipSync('GZ2\n'))])).toMatchObject({ exitCode: 0 });
    expect(await admin.registrations()).toEqual(['GZ3']);
  });

  const whole = members(manyVehicles('GZ', 2_000), 50_000);
  const damaged = Buffer.from(whole);
  damaged[whole.length - 6] = ~(whole.at(-6) ?? 0);
  const CUT = /^error: the compressed file is cut off: copy it again, or compress it again; nothing was changed: /;
  const DAMAGED = /^error: the compressed file is damaged, or it is no gzip file; nothing was changed: /;
  it.each<[what: string, content: string | Buffer, refusal: RegExp]>([
    ['is empty', '', CUT],
    ['ends within a member', whole.subarray(0, -1), CUT],
    ['ends within the second member', members(csv, make).subarray(0, -20), CUT],
    ['ends within the beginning of a member', Buffer.concat([gzipSync(csv), whole.subarray(0, 3)]), CUT],
    ['has a wrong checksum', damaged, DAMAGED],
    ['has text behind it', Buffer.concat([whole, Buffer.from('text')]), DAMAGED],
    ['has a member behind zeros', Buffer.concat([gzipSync(csv), Buffer.alloc(70_000), whole]), DAMAGED],
    ['is not compressed', csv, DAMAGED],
    ['is compressed twice', gzipSync(gzipSync(csv)), /^error: the file is compressed: unpack it first/],
    ['has a workbook', gzipSync(Buffer.from('504b030414000600', 'hex')), /an Excel workbook/],
    ['has a quote that is not closed', gzipSync(`${csv}"`), /^error: the row that begins on line 4 has a cell that/],
  ])('is refused when it %s, and nothing is written', async (_what, content, refusal) => {
    const path = await file('v.csv.gz', content);
    expect(await admin.countedRun(['import', 'vehicles', path, '--complete'])).toEqual(failure(refusal));
    expect(admin.writes()).toEqual([]);
  });
});

describe('--dates uk', () => {
  const loadUk = (...cells: VehicleCells[]) =>
    load('vehicles', 'v.csv', vehiclesCsv(...cells.map(vehicleRow)), '--dates', 'uk');

  it('reads dates with the day first, beside those as YYYY-MM-DD, and guesses none', async () => {
    const dates = ['2/5/2027', '02.05.2027 0:00', '2027-05-02 00:00:00', '31/02/2026', '3 May 2026', '3-5/2026'];
    const cells = dates.map((valid_to, nth) => ({ registration: `UK${nth}`, valid_from: '03-05-2026', valid_to }));
    const { path } = await loadUk(...cells);
    const policies = [{ validFrom: '2026-05-03', validTo: '2027-05-02' }];
    for (const loaded of ['UK0', 'UK1', 'UK2']) expect(await find(loaded)).toMatchObject({ policies });
    const form = 'must be DD/MM/YYYY or YYYY-MM-DD';
    const issues = ['is not a calendar date', form, form];
    expect(await rejectedLines(path)).toMatchObject(issues.map((issue) => ({ reasons: [`valid_to: ${issue}`] })));
  });

  it.each(['12/31/2026', '12/31/2026 00:00'])('refuses a file with the month first in a date: %s', async (valid_to) => {
    const sentence = 'line 3 has a date with the month first, so --dates uk reads others wrongly: write it as YYYY-MM';
    expect(await loadUk({ policy_number: '12-31-2026' }, { valid_to })).toMatchObject(failure(sentence));
  });
});

describe('--dates compact', () => {
  it('reads YYYYMMDD of vehicles, beside YYYY-MM-DD, and nothing else', async () => {
    const dates = ['20270502', '2027-05-02', '20270502 00:00:00', '20270230', '02052027', '2027052', '02/05/2027'];
    dates.push('00260502', '19700101');
    const cells = dates.map((valid_to, nth) => ({ registration: `CO${nth}`, valid_from: '20260503', valid_to }));
    const csv = vehiclesCsv(...cells.map(vehicleRow));
    const { path } = await load('vehicles', 'v.csv', csv, '--dates', 'compact');
    const policies = [{ validFrom: '2026-05-03', validTo: '2027-05-02' }];
    for (const loaded of ['CO0', 'CO1', 'CO2']) expect(await find(loaded)).toMatchObject({ policies });
    const [day, form] = ['is not a calendar date', 'must be YYYYMMDD or YYYY-MM-DD'];
    const none = 'must be after 1900-01-01 and not 1970-01-01, which stand for no date';
    const issues = [day, day, form, form, none, none];
    expect(await rejectedLines(path)).toMatchObject(issues.map((issue) => ({ reasons: [`valid_to: ${issue}`] })));
  });
});

it('The summary of rejected rows has the most frequent of at most 20 reasons first, no registration and no control character', async () => {
  const dates = Array.from({ length: 12_000 }, (_, nth) => ({ registration: `D${nth}`, valid_from: '03/05/2026' }));
  const years = ['\u001b[2J', 'x'.repeat(50), 'z'].map((year) => ({ registration: `Y${year.length}`, year }));
  const others = [{ registration: 'SECRET!' }, { registration: 'A1', make: '' }];
  const same = [1, 2, 3].map((nth) => ({ registration: 'A', policy_number: 'SAME', insurer: `I${nth}` }));
  const columns = Array.from({ length: 22 }, (_, index) => `C1${',x'.repeat(index + 11)}`);
  const rows = [...others, ...years, ...same, ...dates].map(vehicleRow);
  const { stderr, path } = await load('vehicles', 'v.csv', vehiclesCsv(...rows, ...columns), '--unreadable-at-most=1%');
  const lines = stderr.split('\n');
  expect(lines.slice(0, 4)).toEqual([
    '12,000 × valid_from must be YYYY-MM-DD, first in line 10: 03/05/2026',
    '         (--dates uk reads DD/MM/YYYY)',
    '     3 × year must be a whole number from 1885 to 2027, first in line 4: \ufffd[2J',
    // Reasons that differ in the number of a line only are one.
    '     2 × policy_number is the same as on another line, and the periods overlap, first in line 8: SAME',
  ]);
  expect(lines).toContain('     1 × make must not be blank, first in line 3');
  expect(lines.filter((line) => line.includes(' × '))).toHaveLength(20);
  expect(stderr).toMatch(/^… and \d more reasons$/m);
  expect(stderr).toContain(`\n12,030 rows were rejected; the reasons are in ${path}.rejected.csv\n`);
  expect(stderr).not.toMatch(/SECRET/);
});

describe('An import', () => {
  const TOO_LONG =
    /^error: the name is too long, so give the file that is read a shorter one: .*x\.csv\.changes\.ndjson\n$/;
  const write = (content: string | Buffer) => (path: string) => writeFileSync(path, content);
  const writeBadRow = (path: string) => writeFileSync(path, vehiclesCsv(vehicleRow({ year: 'x' })));
  it.each<[string, (path: string) => unknown, RegExp]>([
    ['absent.csv', () => undefined, /^error: there is no such file: .*absent\.csv\n$/],
    ['folder.csv', mkdirSync, /a folder, not a file/],
    ['pipe.csv', (path) => execFileSync('mkfifo', [path]), /it must be a file, not a pipe: .*pipe\.csv\n$/],
    ['file.csv', write(gzipSync('')), /^error: the file is compressed: unpack it first/],
    ['file.csv.tar.gz', write(gzipSync('')), /^error: the name of the file must end in \.csv or \.ndjson, which \.gz/],
    ['file.txt', write('AB12CDE'), /^error: the name of the file must end in \.csv/],
    [`${'x'.repeat(240)}.csv`, writeBadRow, TOO_LONG],
  ])('is rejected for a file that cannot be imported: %s', async (name, make, sentence) => {
    make(admin.pathOf(name));
    expect(await run(['import', 'vehicles', admin.pathOf(name)])).toEqual(failure(sentence));
  });

  it('names the right line of a file that is read in parts, one of which ends between CR and LF', async () => {
    // The blank in front makes every part end after a CR.
    const { stderr } = await load('vehicles', 'v.ndjson', ` ${'\r\n'.repeat(40_000)}{}`);
    expect(stderr).toContain('line 40001');
  });

  it('is rejected when somebody writes to its file while it is read, not while it is loaded', async () => {
    const path = await file('v.csv', manyVehicles('GROWS'));
    const grow = () => appendFileSync(path, `${vehicleRow()}\n`);
    const signal = Object.defineProperty(new AbortController().signal, 'aborted', { get: () => void grow() });
    const sentence = /^error: the file has changed while it was read; run this again/;
    expect(await admin.countedRun(['import', 'vehicles', path], { signal })).toEqual(failure(sentence));
    expect(admin.writes()).toEqual([]);
    await file('v.csv', manyVehicles('GROWS'));
    admin.atCall(1, 'PutItem', grow);
    expect(await admin.countedRun(['import', 'vehicles', path])).toMatchObject({ exitCode: 0 });
  });

  it('writes its rejected rows, with formulas escaped, as a CSV that can be corrected and imported until none is left', async () => {
    const formulas = { make: "'=1+1", model: '-5', color: '+1', insurer: '@x' };
    const rows = [
      vehicleRow({ registration: 'R1', year: 'x', ...formulas }),
      vehicleRow({ registration: 'R2', make: '"Ro""ver"', valid_to: 'soon' }),
      vehicleRow({ registration: 'R3', make: 'Ford;Ka', model: 'Fie"sta', insurer: '' }),
      vehicleRow({ registration: 'R4', year: 'y' }),
      vehicleRow({ registration: 'R4', policy_number: 'P-2' }),
    ];
    const csv = [`${VEHICLE_HEADER},=note`, ...rows.map((row) => `${row},=cmd`)].join('\n');
    const path = await file('v.csv', `sep=|\r\n${csv.replaceAll(',', '|')}`);
    const textOf = (nth: number) => readFile(rejectedFilesOf(path).at(nth) ?? path, 'utf8');
    const load = async (...corrections: readonly (readonly [string, string])[]) => {
      const latest = await textOf(-1);
      await writeFile(
        path,
        corrections.reduce((text, [wrong, right]) => text.replace(wrong, right), latest),
      );
      const { exitCode, stderr } = await run(['import', 'vehicles', path]);
      expect(stderr).toContain('Columns that are not used: "=note".');
      return exitCode === 0 ? 0 : (await rejectedLines(path)).length;
    };
    expect(await load()).toBe(5);
    expect(await textOf(0)).toContain("|'=note\r\n");
    expect(await textOf(0)).toContain("|R1|''=1+1|'-5|x|'+1|P-1|'@x|");
    expect(await load(['|x|', '|2019|'], ['soon', '2026-12-31'])).toBe(3);
    expect(await load(['|P-1||', '|P-1|Acme|'])).toBe(2);
    expect(await load(['|y|', '|2019|'])).toBe(0);
    expect(rejectedFilesOf(path)).toHaveLength(3);
    const { insurer, ...details } = formulas;
    expect(await find('R1')).toMatchObject({ vehicle: details, policies: [{ insurer }] });
    expect(await find('R2')).toMatchObject({ vehicle: { make: 'Ro"ver' } });
    expect(await find('R3')).toMatchObject({ vehicle: { model: 'Fie"sta' } });
    expect(await find('R4')).toMatchObject({ policies: [{ number: 'P-1' }, { number: 'P-2' }] });
  });

  it('shows progress and no content of a row on a terminal, whose modes stay; elsewhere no control character', async () => {
    const csv = manyVehicles('BAR', 2_000) + vehicleRow({ registration: 'CANARY77', make: '' });
    const args = ['import', 'vehicles', await file('v.csv.gz', gzipSync(csv)), '--dry-run'];
    const { stdout, stderr } = await run(args, { showsProgress: true });
    expect(stderr).toMatch(/100 %: reading, 2,001 rows/);
    expect(stderr).toMatch(/100 %: vehicles, 2,001 rows, [\d,]+\/s, 1 rejected/);
    // Of the bytes of the compressed file.
    expect(Math.max(...[...stderr.matchAll(/(\d+) %/g)].map(([, share]) => Number(share)))).toBe(100);
    // With which a terminal is told to hide its cursor, or not to wrap lines.
    expect(stderr).not.toContain('\u001b[?');
    expect(stdout + stderr).not.toContain('CANARY77');
    for (const piped of [stdout, (await run(args)).stderr]) expect(piped).not.toMatch(/[^\P{Cc}\n]|%/u);
  });
});
