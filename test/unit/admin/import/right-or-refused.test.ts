/**
 * A file is right or refused: `import` and the client's `check` have one reader. The property here: the rows of a file
 * are read as they are written, and no damage ever loses a row, stores a vehicle by half or makes one up.
 */
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FleetRow, readFleet } from '../../../../client/src/command-line/fleet-file.ts';
import { normaliseRegistration } from '../../../../core/vehicles/registration.ts';
import { SEARCHED_ROWS } from '../../../../csv/header.ts';
import { VEHICLE_HEADER, vehicleRow, vehiclesCsv } from '../../../support/import-files.ts';
import { aPolicy, aVehicle } from '../../../support/records.ts';
import { failure, useAdmin } from '../../../support/use-admin.ts';

const admin = useAdmin();
const { load, run, store, stored, findVehicle } = admin;

/** Texts of a table, whose groups have headings. */
const listedTexts = (name: string): string[] =>
  readFileSync(new URL(`../../../fixtures/registrations/${name}.txt`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => line.split(', '));

const NOT_PLATES = listedTexts('not-plates');
const PLATES = listedTexts('plates');

/** What `check` reads of a file, or the sentence with which it ends. */
const checked = (path: string, encoding?: string) =>
  readFleet(path, { encoding, searched: SEARCHED_ROWS }).catch((error: Error) => error.message);

describe('A file', () => {
  const row = (cells = {}) => vehicleRow({ registration: 'KB11AAA', ...cells });
  const csv = (...rows: string[]) => vehiclesCsv(vehicleRow({ registration: 'KB10AAA' }), ...rows);
  const CLOSED = 'the row that begins on line 3 has a cell that begins with a quote, which is not closed';
  const OF_HEADER = CLOSED.replace('line 3', 'line 1');
  const AFTER = 'the row that begins on line 3 has text after the closing quote of a cell';
  const LINE_END = 'line 3 has a line end within a cell';
  const LONG = 'line 3 has more than 100,000 characters';
  const ABOVE = /row [23] names the columns, and row 1 above it seems to be a vehicle: put the names first/;
  const SWALLOWED = 'the header has swallowed a row: put a line end within its cell "last_updatedKB10AAA"';
  const CUT = 'line 3 may be cut off, because the file ends with it';
  const SEVERAL = /several could be registration: "registration", "VRM"\); its header.*; --map COLUMN=NAME says which/;
  const OF_CHECK = /several columns.*: choose one of .* with --col/;
  const ONCE_MORE = 'several could be policy_number: "policy_number", "Policy Number (2)"); its header';
  const JOINED = 'line 3 has text in 13 cells where the header names 11, so nobody knows whose row it is: nothing was';
  const SHIFTED = 'shifted cells: its make, colour, insurer or type is a date';

  /** What `import` refuses, and why `check` refuses the same file too, if it does. */
  it.each<[what: string, csv: string, refusal?: string | RegExp, ofCheck?: string | RegExp]>([
    ['a quote within a cell', csv(row({ model: '12" wheels' }))],
    ['fewer cells, which are blank', csv(row().replace(/,[^,]*$/, ''))],
    ['blank cells beyond the header', csv(`${row()},,`)],
    ['blank cells in columns without a name at the end', csv(`${row()},,`).replace('\n', ',,\n')],
    ['text in one of them, as of a row that was joined', csv(`${row()},,x`).replace('\n', ',,\n'), JOINED],
    ['a registration that looks like a date', csv(row({ registration: '10 MAY' }))],
    [
      'a name of a column in a row, and a delimiter too many in its header',
      csv(row({ registration: 'Reg No' })).replace('registration', ',registration'),
      'line 2 has',
    ],
    ['a title above its header', `Acme, 28 November 2026\n\n${csv(row())}`],
    ['groups of columns above its header', `Vehicle,,,,,Policy,,,,,\n${csv(row())}`],
    ['a table of two columns above its header', `Policy,A1\nYear,2026\n${csv(row())}`],
    ['a vehicle above its header', `KB09AAA,Ford\n${csv(row())}`, ABOVE, ABOVE],
    ['a full row above its header', `,Ford,Ka,2015,Red,P1,Acme\n${csv(row())}`, ABOVE, ABOVE],
    ['a header that has swallowed a row', csv(row()).replace('\n', ''), SWALLOWED, SWALLOWED],
    ['a year at the end of a name of a column', csv(row()).replaceAll('\n', ',1\n').replace(',1', ',claims_FY2025')],
    ['no line end at its end', csv(row()).trimEnd()],
    ['a row at its end that may be cut off before its policy', csv('KB11AAA,Ford,Ka,2015,Re').trimEnd(), CUT],
    ['such a row whose last cell is in quotes', csv('KB11AAA,Ford,Ka,2015,"Red"').trimEnd(), CUT],
    ['a name of a column in a cell that its header lacks', csv(`${row()},Updated,`).replace('\n', ',notes\n')],
    ['short rows without a last line end', vehiclesCsv('KB10A,VW,Up,2015,Red', 'KB11AAA,VW,Up,2015,Red').trimEnd()],
    ['a line end in a used cell', csv(row({ make: '"Ford\nKa"' })), LINE_END],
    ['a line end in the registration', csv(row({ registration: '"KB11\nAAA"' })), LINE_END, LINE_END],
    ['a line end beside the delimiter', csv(row({ make: '"Ford,\nKa"' })), LINE_END, LINE_END],
    ['a line end in a note', `note,${csv(`"a\nb",${row()}`).replace('KB10', 'x,KB10')}`],
    ['two stray quotes', csv(row({ make: '"18 inch' }), row({ make: '18"' })), LINE_END, LINE_END],
    ['a quote that is not closed', csv(row({ make: '"Ford' })), CLOSED, CLOSED],
    ['a quote in its header that is not closed', csv(row()).replace(',make', ',"make'), OF_HEADER, OF_HEADER],
    ['a long cell after a quote', csv(row({ make: `"${'x'.repeat(100_000)}` })), LONG, CLOSED],
    ['the control character U+001F', csv(row({ make: 'a\u001fb' })), 'line 3 has the control character U+001F'],
    ['text after a closing quote', csv(row({ make: '"Ford"s' })), AFTER, AFTER],
    ['two columns of one name', csv(row()).replace('make', 'VRM'), SEVERAL, OF_CHECK],
    ['a column once more, with a number', csv(`${row()},P-2`).replace('\n', ',Policy Number (2)\n'), ONCE_MORE],
    [
      'numbers of rows in place of registrations, which another column has',
      csv(`${row({ registration: '2' })},KB11AAA`)
        .replace(/registration(.*)/, 'Index No$1,My Car')
        .replace(/KB10AAA(.*)/, '1$1,KB10AAA'),
      'no registration has a letter, and column "My Car" has registrations',
    ],
    [
      'the cells of a row one further right, so that its year is in place of the registration',
      [
        'year,registration,make,model,color,policy_number,insurer,policy_type,valid_from,valid_to',
        '2019,KB11AAA,Ford,Ka,Red,P-1,Acme,Comprehensive,2025-01-01,2025-12-31',
        ',2019,KB11AAA,Ford,Ka,Red,P-2,Acme,Comprehensive,2026-01-01\n',
      ].join('\n'),
      'line 3 has shifted cells',
    ],
    ['a blank before its quotes', csv(row().replace(/,([^,]+)/g, ', "$1"'))],
  ])('may have %s, or is refused for it', async (_what, text, ...[refusal, ofCheck]) => {
    const { path, ...result } = await load('vehicles', 'v.csv', text);
    expect(result).toMatchObject(refusal === undefined ? { exitCode: 0 } : failure(refusal));
    const read = await checked(path);
    if (ofCheck === undefined) expect(read).toHaveProperty('rows.length', 2);
    else expect(read).toMatch(ofCheck);
  });

  it('is refused when nobody knows whose row some are, and the message names up to 20 of them', async () => {
    const blank = row({ registration: '' });
    const unreadable: [row: string, clause: string][] = [
      [blank, 'no registration'],
      [row({ registration: '-' }), 'no registration'],
      [row({ registration: 'A/1' }), 'an invalid registration: it contains "/"'],
      [row({ registration: 'Total' }), 'a total in place of its registration'],
      [row({ registration: 'as above' }), 'a word in place of its registration'],
      [row({ registration: 'May-10' }), 'a date in place of its registration'],
      [row({ registration: 'MAKE' }), 'the name of a column in place of its registration'],
      [row({ registration: 'Reg No' }), 'the name of a column in place of its registration'],
      [row({ registration: 'ACME-MUTUAL' }), `${SHIFTED} or its registration`],
      [row({ policy_type: '2026-12-31' }), SHIFTED],
      [row({ insurer: '31/12/2026 0:00' }), SHIFTED],
      [row({ registration: '0 00' }), 'only zeros in place of its registration'],
      [`${row()},x`, 'text in 12 cells where the header names 11'],
      ['KB11AAA,Ford', '2 cells where the header names 11 ('],
    ];
    const rows = [...unreadable.map(([text]) => text), ...Array(11).fill(blank)];
    const { path, ...refused } = await load('vehicles', 'v.csv', csv(...rows));
    const more = '; and 5 more, so nobody knows whose rows they are: nothing was changed; correct them, or accept up';
    expect(refused).toEqual(failure(more));
    expect(refused.stderr).not.toContain('A/1');
    for (const [nth, [, clause]] of unreadable.entries()) {
      expect(refused.stderr).toContain(`line ${nth + 3} has ${clause}`);
    }
    expect(await checked(path)).toHaveProperty('rows.length', 1 + rows.length);
  });

  it('has its registrations by one rule, which knows dates, words and real plates', async () => {
    await admin.clear();
    const texts = [...PLATES, ...NOT_PLATES];
    const keys = new Set(PLATES.map((plate) => normaliseRegistration(plate)));
    const rows = texts.map((registration) => row({ registration }));
    const { path, exitCode } = await load('vehicles', 'v.csv', vehiclesCsv(...rows), '--unreadable-at-most=50%');
    expect(exitCode).toBe(1);
    expect(new Set((await stored()).map(({ registration }) => registration))).toEqual(keys);
    const read = await readFleet(path);
    const isLeftOut = ({ error }: FleetRow) => error === 'NO_REGISTRATION' || error === 'INVALID_REGISTRATION';
    expect(texts.filter((_, nth) => isLeftOut(read.rows[nth] as FleetRow))).toEqual(NOT_PLATES);
    await admin.clear();
    expect(await run(['erase', path])).toEqual(failure(/ has a date in place of its registration, .* more, so/));
  });

  it('may have the number of a policy beside a registration with few characters, in a row with a mistake', async () => {
    const header = 'policy_number,registration,make,model,year,color,insurer,policy_type,valid_from,valid_to';
    const text = `${header}\nP12345,1 ABC,Ford,Ka,twenty,Red,Acme,Comprehensive,2025-01-01,2025-12-31\n`;
    expect(await load('vehicles', 'v.csv', text)).toMatchObject({ exitCode: 1 });
  });

  it('has no row that is its header again, whatever the column is called', async () => {
    const text = csv(row({ registration: 'my cars' })).replace('registration', 'My Cars');
    const sentence = 'line 3 has the name of a column in place of its registration';
    expect(await load('vehicles', 'v.csv', text, '--map=my cars=registration')).toMatchObject(failure(sentence));
  });

  it.each([
    ['a comma in a name without quotes', 'keeper,registration,note\nSMITH, J,CD34EFG,\n', `line 2 has ${SHIFTED}`],
    ['names of rows, which its header lacks', '"registration","note"\n"1","AB12CDE",\n', `line 2 has ${SHIFTED}`],
    ['a row without a blank cell', 'id,keeper,registration,note\n2,CD34EFG,SOLD\n', `line 2 has ${SHIFTED}`],
    ['a table above its header', 'Date,Plate\n2026-01-01,AB12CDE\n\nregistration,make\nCD34EFG,Ford', 'row 2 above'],
    ['a list above its header', 'scrapped,AB12CDE\nregistration,date\nCD34EFG,2026-01-02\n', ABOVE],
    ['a last row that may be cut off', 'registration,reason\nXYZ123,sold\nABC123', CUT],
    ['registrations in two columns', 'registration,,reason\nAB12,CDE,sold\n', 'column beside its registration, which'],
    ['a tab in a list', 'TX11AAA\tFord\n', 'line 1 has a tab, a comma, a semicolon or two blanks', 'e.txt'],
    ['a comma in a list', 'TX11AAA\nTX12BBB, TX13CCC\n', 'line 2 has a tab, a comma', 'e.txt'],
  ])('erases nothing when it has %s', async (_what, text, sentence, name = 'e.csv') => {
    expect(await run(['erase', await admin.file(name, text)])).toEqual(failure(sentence));
  });

  const withLast = (...registrations: string[]) =>
    `make,registration\n${registrations.map((one) => `Ford,${one}`).join('\n')}`;
  it.each<[what: string, text: string, isCut: boolean]>([
    ['the registration may be cut off', withLast('CU10AAA', 'CU1'), true],
    ['the registration is as long as another one', withLast('CU10AAA', 'CU11AAA'), false],
    ['the registration is in quotes', withLast('CU10AAA', '"CU1"'), false],
    ['a line end follows', `${withLast('CU10AAA', 'CU1')}\r`, false],
    ['there is no other column', withLast('CU10AAA', 'CU1').replaceAll(/^\w+,/gm, ''), false],
  ])('that ends with a registration is refused when it may be cut: %s', async (_what, text, isCut) => {
    const path = await admin.file('last.csv', text);
    const cut = 'line 3 may be cut off within its registration, with which the file ends; when it is whole, put a line';
    const result = await run(['remove', 'vehicles', path]);
    expect(result).toMatchObject(isCut ? failure(cut) : { exitCode: 0 });
    expect(await checked(path)).toMatchObject({ rows: [{}, isCut ? { error: 'CUT_OFF' } : {}] });
  });

  const withoutPolicy = (...vehicles: string[]) => vehicles.map((vehicle) => `${vehicle},2019,Red,,,,,,`);
  const ONE_MODEL = withoutPolicy('ME11AAA,Ford,Fiesta', 'ME12AAA,Ford,Fiesta', 'ME13AAA,Ford,Ka');
  const MODELS = withoutPolicy('ME11AAA,VW,Golf', 'ME12AAA,Seat,Leon');
  it.each<[rows: string, without: readonly string[], others: number, isNoticed: boolean]>([
    ['of the model above', ONE_MODEL, 3, true],
    ['of any model, when most rows have none', MODELS, 0, true],
    ['of other models, when few rows have none', MODELS, 2, false],
  ])(
    'may have rows without a policy, which a notice names when cells may be merged: %s',
    async (_rows, without, others, isNoticed) => {
      const rows = Array.from({ length: others }, (_, nth) => row({ registration: `KB1${nth + 1}AAA` }));
      const notice = 'Lines 3 and 4 have no policy below a row that has one: if cells were merged, fill them.';
      const text = csv(...without, ...rows);
      for (const [options, outcome] of [
        [['--dry-run'], 'Dry run: nothing was written.\n'],
        [[], ''],
      ] as const) {
        const { exitCode, stderr } = await load('vehicles', 'v.csv', text, ...options);
        expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: isNoticed ? `${notice}\n${outcome}` : outcome });
      }
    },
  );

  it('may have many rows without a policy, of which the notice names the first 20', async () => {
    const models = Array.from({ length: 22 }, (_, nth) => `ME${nth + 11}AAA,Seat,M${nth}`);
    const { stderr } = await load('vehicles', 'v.csv', csv(...withoutPolicy(...models)));
    expect(stderr).toMatch(/^Lines 3, 4, .*, 22 and 2 more have no policy below a row that has one: /);
  });

  it('of NDJSON is refused for a line that is nested too deeply, however dates are written', async () => {
    const nested = (levels: number) => `{"registration":"DL10AAA","more":${'['.repeat(levels)}${']'.repeat(levels)}}\n`;
    const sentence = 'line 1 is nested more than 1,000 levels deep, so nobody knows';
    for (const dates of ['iso', 'uk']) {
      expect(await load('vehicles', 'v.ndjson', nested(5_000), `--dates=${dates}`)).toMatchObject(failure(sentence));
      expect(await load('vehicles', 'v.ndjson', nested(999), `--dates=${dates}`)).toMatchObject({ exitCode: 1 });
    }
  });
});

describe('The encoding of a file', () => {
  const csv = (make: string) =>
    vehiclesCsv(vehicleRow({ registration: 'ENCODED', make }), vehicleRow({ registration: 'E2' }));
  const latin1 = (make: string) => Buffer.from(csv(make), 'latin1');
  /** UTF-16 without a mark. */
  const utf16 = Buffer.from(csv('Zürich'), 'utf16le');
  const withWrongByte = (text: string) => Buffer.concat([Buffer.from(text), Buffer.from('E3,\xfcb\n', 'latin1')]);
  const cutUtf16 = Buffer.from(`\ufeff${csv('Zürich')}a`, 'utf16le').subarray(0, -1);
  const wrong = (line: number, encoding = 'UTF-8') =>
    new RegExp(`line ${line} has a byte that is not ${encoding}, or U\\+FFFD for one that was lost: correct it`);
  const OTHER = /not to be Windows-1252 either: line 2 .*--encoding, such as macintosh, ibm866 or windows-1250/;

  it.each<[string, Buffer, RegExp, string?]>([
    ['UTF-8 with a wrong byte', withWrongByte(csv('Zürich')), wrong(4)],
    ['UTF-8 with a mark and a wrong byte', withWrongByte(`\ufeff${csv('Zurich')}`), wrong(4)],
    ['UTF-8 with a U+FFFD before a wrong byte', withWrongByte(csv('Zürich \ufffd')), wrong(2)],
    ['UTF-8 with a U+FFFD and a wrong byte only', withWrongByte(csv('\ufffd')), OTHER],
    ['UTF-8 that ends within a character', Buffer.from(`${csv('Zürich')}€`).subarray(0, -1), wrong(4)],
    ['UTF-16 that ends within a character', cutUtf16, wrong(4, 'UTF-16LE')],
    ['Windows-1252 when UTF-8 is given', latin1('Zürich'), wrong(2), 'utf-8'],
    ['DOS', latin1('Z\x81rich'), OTHER],
    ['another one of DOS', latin1('K\x84fer'), OTHER],
  ])('refuses it with its line when it is %s', async (_form, bytes, sentence, ...[encoding]) => {
    const options = encoding === undefined ? [] : ['--encoding', encoding];
    const { path, ...result } = await load('vehicles', 'v.csv', bytes, ...options);
    expect(result).toEqual(failure(sentence));
    expect(await checked(path, encoding)).toMatch(sentence);
  });

  it.each<[string, Buffer, string, string?]>([
    ['Windows-1252', latin1('Z\xfcrich \x80 O\x92Neill'), 'Zürich € O’Neill'],
    ['given macintosh', latin1('Z\x9frich'), 'Zürich', 'x-mac-roman'],
    ['given Windows-1252 that looks like UTF-8', withWrongByte(csv('Zürich')), 'ZÃ¼rich', 'windows-1252'],
    ['given UTF-16 without a mark', utf16, 'Zürich', 'utf-16le'],
    ['given big-endian UTF-16 without a mark', Buffer.from(utf16).swap16(), 'Zürich', 'utf-16be'],
    ['UTF-8 with a final U+001A', Buffer.from(`${csv('Zürich')}\x1a`), 'Zürich'],
  ])('is read: %s', async (_form, bytes, make, ...[encoding]) => {
    const options = encoding === undefined ? [] : ['--encoding', encoding];
    const { path } = await load('vehicles', 'v.csv', bytes, '--unreadable-at-most=1', ...options);
    expect(await findVehicle('ENCODED')).toMatchObject({ vehicle: { make } });
    expect(JSON.stringify(await checked(path, encoding))).toContain(make);
  });

  it.each([
    ['of NDJSON', 'v.ndjson', Buffer.from('\xe4', 'latin1'), 'NDJSON is UTF-8'],
    ['but for its mark', 'v.csv', Buffer.from('\ufeffa', 'utf16le'), 'the byte order mark of utf-16le, not of utf-8'],
  ])('cannot be given %s', async (_how, name, content, sentence) => {
    expect(await load('vehicles', name, content, '--encoding', 'utf-8')).toMatchObject(failure(sentence));
  });
});

/** The nightly check tries 20,000. */
const FILES = Number(process.env.DAMAGED_FILES ?? 60);
/** Milliseconds; a file takes about 30. */
const TIMEOUT = 60_000 + FILES * 200;

describe('A damaged file', () => {
  const VEHICLES = ['AB12CDE', 'KR08NIL', 'X1', 'ZZ9A'];
  const ROWS = 2 * VEHICLES.length;
  /** Also the colour and the insurer of the row. */
  const NO_REGISTRATIONS = ['', ' ', '-', 'ditto', 'As above', '0', 'Summe: 2', 'RED', 'Acme-Mutual', ...NOT_PLATES];
  const NOTES = ['', ' a ', 'a "quoted" word', '12" wheels', 'one, two; three', 'tab\tbed', 'a\nb', 'a\r\nb', 'ü'];
  /** With it a row is longer than what is read at a time. */
  const LONG_NOTE = 'x'.repeat(70_000);
  /** A row cannot end early or be shifted without an issue: a day and a time are the last cells. */
  const LAST = ['valid_to', 'last_updated'];
  const NAMES = VEHICLE_HEADER.split(',');
  const COLUMNS = ['note', ...NAMES.filter((name) => !LAST.includes(name))];
  const ENCODED: Readonly<Record<string, (text: string) => Buffer>> = {
    'UTF-8': (text) => Buffer.from(text),
    'UTF-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
    'UTF-16, little endian': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    'UTF-16, big endian': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    // As Latin-1, but for the en dash.
    'Windows-1252': (text) => Buffer.from(text.replaceAll('–', '\x96'), 'latin1'),
  };
  /** The first row of each vehicle has one, the second row the other. */
  const [FIRST, SECOND] = [{ valid_to: '2026-06-30' }, { valid_from: '2026-07-01' }];
  const OLD = ['1', '2'].map((number) => aPolicy({ number, validFrom: '2020-01-01', validTo: '2020-12-31' }));

  /** Of one in sixty. */
  const seldom = <Value>(usual: fc.Arbitrary<Value>, other: fc.Arbitrary<Value>) =>
    fc.oneof({ weight: 60, arbitrary: usual }, other);
  const place = fc.double({ min: 0, max: 0.999, noNaN: true });
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  const DAMAGES = ['quote', 'two quotes', 'delimiter', 'line end', 'remove', 'cut', 'wrong byte'];
  const damageOf = (...kinds: string[]) => fc.record({ kind: fc.constantFrom(...kinds), at: place, to: place });
  const fileOf = fc.record({
    encoding: fc.constantFrom(...Object.keys(ENCODED)),
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    end: lineEnd,
    columns: fc.shuffledSubarray(COLUMNS, { minLength: COLUMNS.length }),
    rows: fc.array(
      fc.record({
        noRegistration: seldom<string | undefined>(fc.constant(undefined), fc.constantFrom(...NO_REGISTRATIONS)),
        note: seldom(fc.constantFrom(...NOTES), fc.constant(LONG_NOTE)),
        isQuoted: fc.boolean(),
        end: lineEnd,
      }),
      { minLength: ROWS, maxLength: ROWS },
    ),
    endsWithRegistration: fc.boolean(),
    order: fc.shuffledSubarray([...Array(ROWS).keys()], { minLength: ROWS }),
    /** What happens to the text at a place in it, as a share of its length. */
    damages: fc.oneof(
      { weight: 3, arbitrary: fc.array(damageOf(...DAMAGES), { maxLength: 3 }) },
      fc.tuple(damageOf('swallowed row', 'last row')),
    ),
  });
  type File = typeof fileOf extends fc.Arbitrary<infer Value> ? Value : never;

  /** The text of a file, and what is read of it. */
  const writtenFile = ({ encoding, delimiter, end, columns, rows, order, damages, endsWithRegistration }: File) => {
    // Only some damages are noticed where a registration may end early.
    const isLast = endsWithRegistration && damages.every(({ kind }) => ['swallowed row', 'last row'].includes(kind));
    const header = isLast
      ? [...columns.filter((name) => name !== 'registration'), ...LAST, 'registration']
      : [...columns, ...LAST];
    let text = `${delimiter === '|' ? `sep=|${end}` : ''}${header.join(delimiter)}${end}`;
    const read: { line: number; cells: string[] }[] = [];
    for (const nth of order) {
      const { noRegistration, note, isQuoted, ...row } = rows[nth] as File['rows'][number];
      const registration = noRegistration ?? VEHICLES[nth % VEHICLES.length] ?? '';
      const period = nth < VEHICLES.length ? FIRST : SECOND;
      const make = encoding === 'UTF-8' ? 'Škoda' : 'Süd';
      const values = vehicleRow({ registration, make, policy_number: `P${nth}`, ...period }).split(',');
      const given = header.map((name) => (name === 'note' ? note : (values[NAMES.indexOf(name)] ?? '')));
      const isWrittenInQuotes = (cell: string) =>
        (isQuoted && cell !== '') || cell.startsWith('"') || /[\r\n]/.test(cell) || cell.includes(delimiter);
      const written = given.map((cell) => (isWrittenInQuotes(cell) ? `"${cell.replaceAll('"', '""')}"` : cell));
      read.push({ line: read.length + 2, cells: given });
      text += written.join(delimiter) + row.end;
    }
    return { text, read: { header, delimiter, lineEnd: end, rows: read } };
  };

  const damage = (text: string, { kind, at, to }: File['damages'][number], { delimiter, end }: File): string => {
    const [first, last] = [Math.min(at, to), Math.max(at, to)].map((share) => Math.floor(share * text.length));
    const [before, middle, after] = [text.slice(0, first), text.slice(first, last), text.slice(last)];
    const damaged: Record<string, () => string> = {
      quote: () => `${before}"${middle}${after}`,
      'two quotes': () => `${before}"${middle}"${after}`,
      delimiter: () => before + delimiter + middle + after,
      'line end': () => before + end + middle + after,
      remove: () => before + (middle + after).replace(new RegExp(`["\\r\\n${delimiter}]`), ''),
      // A row that was cut off: the rest of the line is missing.
      cut: () => before + (middle + after).replace(/^[^\r\n]*/, ''),
      // A header without its line end.
      'swallowed row': () => text.replace(/^(sep=\|(?:\r\n|\r|\n))?([^\r\n]*)(?:\r\n|\r|\n)/, '$1$2'),
      // The file ends within its last cell.
      'last row': () => text.trimEnd().replace(/.(?:[\p{L}\d]{0,5})$/u, ''),
    };
    return damaged[kind]?.() ?? text;
  };

  /** Each stored vehicle is as before, or as in the whole file. */
  const states = async () => {
    const known: Record<string, string> = { '2020 2020': 'old', '2026 2026': 'new' };
    const years = (await stored()).map(({ registration, policies }): [string, string] => [
      registration,
      policies.map(({ validFrom }) => validFrom.slice(0, 4)).join(' '),
    ]);
    return Object.fromEntries(years.map(([registration, both]) => [registration, known[both] ?? 'by half']));
  };
  /** By exit code. */
  const RIGHT_STATES = [/^new$/, /^(old|new)$/, /^old$/];

  beforeEach(admin.clear);

  it(
    'never loses a row, stores a vehicle by half or makes one up: it is loaded, a row of it rejected, or refused',
    async () => {
      let files = 0;
      const property = fc.asyncProperty(fileOf, async (file) => {
        await store('vehicles', ...VEHICLES.map((one) => ({ ...aVehicle(one), policies: OLD })));
        const { encoding, rows, damages } = file;
        const whole = writtenFile(file);
        const text = damages.reduce((damaged, one) => damage(damaged, one, file), whole.text);
        const bytes = ENCODED[encoding]?.(text) ?? Buffer.from('');
        const hasWrongByte = damages.some(({ kind }) => kind === 'wrong byte');
        // A name of its own: before a load writes its changes file, it reads all that an earlier one has left.
        files += 1;
        const path = await admin.file(
          `${files}.csv`,
          hasWrongByte ? Buffer.concat([bytes, Buffer.from([0xe3])]) : bytes,
        );

        const result = await run(['import', 'vehicles', path, '--json']);
        const shown = { text, ...result };
        const right = expect.stringMatching(RIGHT_STATES[result.exitCode] ?? /no such exit code/);
        const rightStates = Object.fromEntries(VEHICLES.map((one) => [one, right]));
        expect({ ...shown, states: await states() }).toEqual({ ...shown, states: rightStates });
        const isUnreadable = rows.some(({ noRegistration }) => noRegistration !== undefined);
        const isUndecodable = hasWrongByte && encoding !== 'Windows-1252';
        if (damages.length === 0 || isUndecodable) {
          expect(shown).toEqual({ ...shown, exitCode: isUnreadable || isUndecodable ? 2 : 0 });
        }

        const read = await checked(path);
        const movesRows = damages.some(({ kind }) =>
          ['line end', 'cut', 'remove', 'wrong byte', 'swallowed row'].includes(kind),
        );
        if (damages.length === 0) expect(read).toMatchObject(whole.read);
        else if (typeof read !== 'string' && !movesRows) {
          expect({ ...shown, rows: read.rows.length }).toEqual({ ...shown, rows: ROWS });
        }

        const removal = await run(['remove', 'vehicles', path, '--json']);
        const left = (await stored()).length;
        const { notThere = 0 } = removal.exitCode === 0 ? JSON.parse(removal.stdout) : {};
        // A name that a damage made another one is named as not there.
        const isRight = removal.exitCode === 2 ? left === VEHICLES.length : left === 0 || notThere > 0;
        expect({ ...shown, removal, isRight }).toEqual({ ...shown, removal, isRight: true });
      });
      await fc.assert(property, { numRuns: FILES });
    },
    TIMEOUT,
  );
});
