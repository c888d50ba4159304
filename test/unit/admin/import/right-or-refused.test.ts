/**
 * A file is right or refused: `import` and the client's `check` have one reader. The property here: no damage to a file
 * ever loses a row, stores a vehicle by half or makes one up.
 */
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFleet } from '../../../../client/src/command-line/fleet-file.ts';
import { storeItems } from '../../../support/engine.ts';
import { VEHICLE_HEADER, vehicleRow, vehiclesCsv } from '../../../support/import-files.ts';
import { aPolicy, aVehicle } from '../../../support/records.ts';
import { failure, useAdmin } from '../../../support/use-admin.ts';

const admin = useAdmin();
const { load, run, stored, engine } = admin;

/** What `check` reads of a file, or the sentence with which it ends. */
const checked = async (path: string, options: { encoding?: string; column?: string } = {}) => {
  try {
    return (await readFleet(path, options)).rows;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('What a file may have', () => {
  const row = (cells = {}) => vehicleRow({ registration: 'KB11AAA', ...cells });
  const csv = (text: string) => vehiclesCsv(vehicleRow({ registration: 'KB10AAA' }), text);
  const CLOSED = 'the row that begins on line 3 has a cell that begins with a quote, which is not closed';
  const AFTER = 'the row that begins on line 3 has text after the closing quote of a cell';
  const LINE_END = 'line 3 has a line end within a cell';
  const NO_ROW = 'so nobody knows whose row it is: nothing was changed; correct it, or accept up to 1 such row';

  /** What `import` refuses, and the number of rows that `check` reads of the same file or why it refuses it too. */
  it.each<[what: string, csv: string, refusal: string | undefined, checked: number | string]>([
    ['a quote within a cell', csv(row({ model: '12" wheels' })), undefined, 2],
    ['fewer cells, which are blank', csv(row().replace(/,[^,]*$/, '')), undefined, 2],
    ['fewer cells, with another issue', csv('KB11AAA,Ford'), 'line 3 has 2 cells where the header names 11 (', 2],
    ['blank cells beyond the header', csv(`${row()},,`), undefined, 2],
    [
      'text beyond the header',
      csv(`${row()},x`),
      `line 3 has text in 12 cells where the header names 11, ${NO_ROW}`,
      2,
    ],
    ['blank cells in columns without a name at the end', csv(`${row()},,`).replace('\n', ',,\n'), undefined, 2],
    [
      'text in one of them, as of a row that was joined',
      csv(`${row()},,x`).replace('\n', ',,\n'),
      `line 3 has text in 13 cells where the header names 11, ${NO_ROW}`,
      2,
    ],
    ['a blank registration', csv(row({ registration: '' })), `line 3 has no registration, ${NO_ROW}`, 2],
    ['a word for it', csv(row({ registration: 'n/a' })), 'line 3 has an invalid registration: it contains "/"', 2],
    ['another word for it', csv(row({ registration: 'Total' })), 'line 3 has a word in place of its registration', 2],
    ['a date for it', csv(row({ registration: 'May-10' })), 'line 3 has a date in place of its registration', 2],
    ['a registration that looks like a date', csv(row({ registration: '10 MAY' })), undefined, 2],
    ['a line end in a used cell', csv(row({ make: '"Ford\nKa"' })), LINE_END, 2],
    ['a line end in the registration', csv(row({ registration: '"KB11\nAAA"' })), LINE_END, LINE_END],
    ['a line end beside the delimiter', csv(row({ make: '"Ford,\nKa"' })), LINE_END, LINE_END],
    ['two stray quotes', csv(`${row({ make: '"18 inch' })}\n${row({ make: '18"' })}`), LINE_END, LINE_END],
    ['a quote that is not closed', csv(row({ make: '"Ford' })), CLOSED, CLOSED],
    [
      'a long cell after a quote',
      csv(row({ make: `"${'x'.repeat(100_000)}` })),
      'line 3 has more than 100,000 characters',
      CLOSED,
    ],
    ['the control character U+001F', csv(row({ make: 'a\u001fb' })), 'line 3 has the control character U+001F', 2],
    ['text after a closing quote', csv(row({ make: '"Ford"s' })), AFTER, AFTER],
    ['two columns of one name', csv(row()).replace('make', 'VRM'), 'several could be registration', 'several columns'],
  ])('is %s, or it is refused', async (_what, text, refusal, rows) => {
    const { path, ...result } = await load('vehicles', 'v.csv', text);
    expect(result).toMatchObject(refusal === undefined ? { exitCode: 0 } : failure(refusal));
    const read = await checked(path);
    expect(typeof rows === 'number' ? [read.length, typeof read] : read).toEqual(
      typeof rows === 'number' ? [rows, 'object'] : expect.stringContaining(rows),
    );
  });

  it('is a line end in an unused cell without the delimiter, as a note may have one', async () => {
    const { path, exitCode } = await load('vehicles', 'v.csv', `note,${vehiclesCsv(`"a\nb",${vehicleRow()}`)}`);
    expect(exitCode).toBe(0);
    expect(await checked(path)).toMatchObject([{ line: 2 }]);
  });

  it('is one column of the wanted name only', async () => {
    const { path } = await load('vehicles', 'v.csv', 'Plate,plate\nAB12CDE,X1\n');
    expect(await checked(path, { column: 'Plate' })).toContain('several columns that could be the registration');
  });

  it('names up to 20 lines, and how many more', async () => {
    const rows = Array.from({ length: 23 }, () => vehicleRow({ registration: '' }));
    const { stderr } = await load('vehicles', 'v.csv', vehiclesCsv(...rows));
    expect(stderr.match(/line \d+ has no registration/g)).toHaveLength(20);
    expect(stderr).toContain(
      '; and 3 more, so nobody knows whose rows they are: nothing was changed; correct them, or',
    );
  });

  it.each([
    ['TX11AAA\tFord\n', 'line 1 has a tab, a comma, a semicolon or two blanks'],
    ['TX11AAA\nTX12BBB, TX13CCC\n', 'line 2 has a tab, a comma'],
    ['TX11AAA\nTOTAL\n', 'line 2 has a word in place of its registration, so nobody knows whose row it is'],
  ])('is one registration in a line of a list, so that no erasure is done by half: %j', async (text, sentence) => {
    const list = await admin.file('r.txt', text);
    expect(await run(['remove', 'vehicles', list])).toEqual(failure(sentence));
  });
});

describe('The encoding of a file', () => {
  const csv = (make: string) =>
    vehiclesCsv(vehicleRow({ registration: 'ENCODED', make }), vehicleRow({ registration: 'E2' }));
  /** UTF-16 without a mark. */
  const utf16 = Buffer.from(csv('Zürich'), 'utf16le');
  const withWrongByte = (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('E3,\xfcb\n', 'latin1')]);
  const cutUtf16 = Buffer.from(`\ufeff${csv('Zürich')}a`, 'utf16le').subarray(0, -1);
  const wrong = (line: number, encoding = 'UTF-8') =>
    new RegExp(`line ${line} has a byte that is not ${encoding}, or U\\+FFFD for one that was lost: correct it`);
  const OTHER = /not to be Windows-1252 either: line 2 .*--encoding, such as macintosh, ibm866 or windows-1250/;

  it.each<[string, Buffer, string | RegExp, string?]>([
    ['UTF-8 with a wrong byte', withWrongByte(Buffer.from(csv('Zürich'))), wrong(4)],
    ['UTF-8 with a mark and a wrong byte', withWrongByte(Buffer.from(`\ufeff${csv('Zurich')}`)), wrong(4)],
    ['UTF-8 with a U+FFFD before a wrong byte', withWrongByte(Buffer.from(csv('Zürich \ufffd'))), wrong(2)],
    ['UTF-8 with a U+FFFD and a wrong byte only', withWrongByte(Buffer.from(csv('\ufffd'))), OTHER],
    ['UTF-8 that ends within a character', Buffer.from(`${csv('Zürich')}€`).subarray(0, -1), wrong(4)],
    ['UTF-16 that ends within a character', cutUtf16, wrong(4, 'UTF-16LE')],
    ['Windows-1252 when UTF-8 is given', Buffer.from(csv('Zürich'), 'latin1'), wrong(2), 'utf-8'],
    ['Windows-1252', Buffer.from(csv('Z\xfcrich \x80 O\x92Neill'), 'latin1'), 'Zürich € O’Neill'],
    ['DOS', Buffer.from(csv('Z\x81rich'), 'latin1'), OTHER],
    ['another one of DOS', Buffer.from(csv('K\x84fer'), 'latin1'), OTHER],
    ['given macintosh', Buffer.from(csv('Z\x9frich'), 'latin1'), 'Zürich', 'x-mac-roman'],
    ['given Windows-1252 that looks like UTF-8', withWrongByte(Buffer.from(csv('Zürich'))), 'ZÃ¼rich', 'windows-1252'],
    ['given UTF-16 without a mark', utf16, 'Zürich', 'utf-16le'],
    ['given big-endian UTF-16 without a mark', Buffer.from(utf16).swap16(), 'Zürich', 'utf-16be'],
    ['UTF-8 with a final U+001A', Buffer.from(`${csv('Zürich')}\x1a`), 'Zürich'],
  ])('is read, or refused with its line: %s', async (_form, bytes, expected, ...[encoding]) => {
    const options = encoding === undefined ? [] : ['--encoding', encoding];
    const isWithWrongRow = encoding === 'windows-1252' ? ['--unreadable-at-most', '1'] : [];
    const { path, stderr, exitCode } = await load('vehicles', 'v.csv', bytes, ...options, ...isWithWrongRow);
    const read = await checked(path, encoding === undefined ? {} : { encoding });
    if (typeof expected === 'string') {
      expect((await stored()).find(({ registration }) => registration === 'ENCODED')?.vehicle.make).toBe(expected);
      expect(JSON.stringify(read)).toContain(expected);
    } else {
      expect({ exitCode, stderr, read }).toEqual({
        exitCode: 2,
        stderr: expect.stringMatching(expected),
        read: expect.stringMatching(expected),
      });
    }
  });

  it('is given for CSV and text files only, agrees with the mark, and is one that is known', async () => {
    expect(await load('vehicles', 'v.ndjson', '', '--encoding', 'utf-8')).toMatchObject(failure('NDJSON is UTF-8'));
    const marked = Buffer.from('\ufeffa', 'utf16le');
    const sentence = 'begins with the byte order mark of utf-16le, not of utf-8';
    expect(await load('vehicles', 'v.csv', marked, '--encoding', 'utf-8')).toMatchObject(failure(sentence));
    const unknown = 'Write the name of an encoding, such as windows-1252, macintosh or utf-16le';
    expect(await load('vehicles', 'v.csv', marked, '--encoding', 'klingon')).toMatchObject(failure(unknown));
  });
});

/** The nightly check tries 20,000. */
const FILES = Number(process.env.DAMAGED_FILES ?? 60);
/** Milliseconds; a file takes about 30. */
const TIMEOUT = 60_000 + FILES * 200;

describe('A damaged file', () => {
  const VEHICLES = ['AB12 CDE', 'KR08NIL', 'ZZ9A', 'X1'];
  const SPELLINGS: ((registration: string) => string)[] = [
    (registration) => registration,
    (registration) => registration.toLowerCase(),
    (registration) => registration.replace(/^../, '$&-'),
    (registration) => registration.replace(/^../, '$&\u00a0'),
    (registration) => registration.replace(/^../, '$&  '),
    (registration) => registration.replace(/^../, '$&.'),
  ];
  const NO_REGISTRATIONS = [
    '',
    ' ',
    '-',
    'n/a',
    'ditto',
    'As above',
    'NULL',
    '0',
    'TBC',
    'Summe: 2',
    '10-May',
    'Jan-45',
  ];
  /** A row cannot end early or be shifted without an issue: a day and a time are the last cells. */
  const LAST = ['valid_to', 'last_updated'];
  const COLUMNS = ['note', ...VEHICLE_HEADER.split(',').filter((name) => !LAST.includes(name))];
  const PERIODS = [
    { valid_from: '2026-01-01', valid_to: '2026-06-30' },
    { valid_from: '2026-07-01', valid_to: '2026-12-31' },
  ];
  const ENCODINGS: Record<string, (text: string) => Buffer> = {
    'UTF-8': (text) => Buffer.from(text),
    'UTF-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
    'UTF-16': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
    'big-endian UTF-16': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    'Windows-1252': (text) => Buffer.from(text, 'latin1'),
  };
  const old = VEHICLES.map((registration) => ({
    ...aVehicle(registration.replace(' ', '')),
    policies: ['1', '2'].map((number) => aPolicy({ number, validFrom: '2020-01-01', validTo: '2020-12-31' })),
  }));

  const rowOf = fc.record({
    spelling: fc.nat(SPELLINGS.length - 1),
    noRegistration: fc.oneof({ weight: 60, arbitrary: fc.constant('') }, fc.constantFrom(...NO_REGISTRATIONS)),
    hasNone: fc.oneof({ weight: 60, arbitrary: fc.constant(false) }, fc.constant(true)),
    note: fc.constantFrom('', 'plain', 'a "quoted" word', '12" wheels', 'one, two; three', 'tab\tbed', 'a\nb', 'ü'),
    isQuoted: fc.boolean(),
  });
  /** What happens to the text at a place in it, as a share of its length. */
  const damageOf = fc.record({
    kind: fc.constantFrom('quote', 'two quotes', 'delimiter', 'line end', 'remove', 'cut', 'wrong byte'),
    at: fc.double({ min: 0, max: 0.999, noNaN: true }),
    to: fc.double({ min: 0, max: 0.999, noNaN: true }),
  });
  const fileOf = fc.record({
    encoding: fc.constantFrom(...Object.keys(ENCODINGS)),
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    end: fc.constantFrom('\n', '\r\n', '\r'),
    columns: fc.shuffledSubarray(COLUMNS, { minLength: COLUMNS.length }),
    rows: fc.array(rowOf, { minLength: 2 * VEHICLES.length, maxLength: 2 * VEHICLES.length }),
    order: fc.shuffledSubarray([...Array(2 * VEHICLES.length).keys()], { minLength: 2 * VEHICLES.length }),
    damages: fc.array(damageOf, { maxLength: 3 }),
  });

  interface Damaged {
    readonly text: string;
    readonly hasWrongByte: boolean;
  }
  const insert = (text: string, at: number, what: string) => text.slice(0, at) + what + text.slice(at);
  const damage = (
    { text, hasWrongByte }: Damaged,
    { kind, at, to }: { kind: string; at: number; to: number },
    delimiter: string,
    end: string,
  ): Damaged => {
    const place = Math.floor(at * text.length);
    const other = Math.floor(to * text.length);
    if (kind === 'wrong byte') return { text, hasWrongByte: true };
    const structure = [...text].flatMap((character, index) => (`"${delimiter}\r\n`.includes(character) ? index : []));
    const removed = structure[Math.floor(at * structure.length)] ?? 0;
    const damaged: Record<string, () => string> = {
      quote: () => insert(text, place, '"'),
      'two quotes': () => insert(insert(text, Math.max(place, other), '"'), Math.min(place, other), '"'),
      delimiter: () => insert(text, place, delimiter),
      'line end': () => insert(text, place, end),
      remove: () => text.slice(0, removed) + text.slice(removed + 1),
      // A row that was cut off: the rest of the line is missing.
      cut: () => text.slice(0, place) + text.slice(place).replace(/^[^\r\n]*/, ''),
    };
    return { text: damaged[kind]?.() ?? text, hasWrongByte };
  };

  const writeCell = (value: string, isQuoted: boolean, delimiter: string): string =>
    (isQuoted && value !== '') || value.startsWith('"') || /[\r\n]/.test(value) || value.includes(delimiter)
      ? `"${value.replaceAll('"', '""')}"`
      : value;

  beforeEach(async () => {
    await run(['remove', 'vehicles', '--all']);
  });

  it(
    'never loses a row, stores a vehicle by half or makes one up: it is loaded, a row of it rejected, or refused',
    async () => {
      const property = fc.asyncProperty(fileOf, async ({ encoding, delimiter, end, columns, rows, order, damages }) => {
        await storeItems(engine().client, engine().names.vehicles, old);
        const header = [...columns, ...LAST];
        const lines = order.map((nth) => {
          const { spelling, noRegistration, hasNone, note, isQuoted } = rows[nth] as (typeof rows)[number];
          const name = SPELLINGS[spelling]?.(VEHICLES[nth % VEHICLES.length] ?? '') ?? '';
          const cells: Record<string, string> = {
            ...PERIODS[nth < VEHICLES.length ? 0 : 1],
            registration: hasNone ? noRegistration : name,
            policy_number: `P${nth}`,
            note,
            make: encoding === 'UTF-8' ? 'Škoda' : 'Süd',
          };
          const values = vehicleRow().split(',');
          const cell = (column: string) => cells[column] ?? values[VEHICLE_HEADER.split(',').indexOf(column)] ?? '';
          return header.map((column) => writeCell(cell(column), isQuoted, delimiter)).join(delimiter);
        });
        const whole = [header.join(delimiter), ...lines].join(end) + end;
        const text = delimiter === '|' ? `sep=|${end}${whole}` : whole;
        let damaged: Damaged = { text, hasWrongByte: false };
        for (const one of damages) damaged = damage(damaged, one, delimiter, end);
        const isUnreadable = rows.some(({ hasNone }) => hasNone);
        const bytes = ENCODINGS[encoding]?.(damaged.text) ?? Buffer.from('');
        const content = damaged.hasWrongByte ? Buffer.concat([bytes, Buffer.from([0xe3])]) : bytes;
        const path = await admin.file('v.csv', content);

        const { exitCode, stdout, stderr } = await run(['import', 'vehicles', path, '--json']);
        const now = await stored();
        const shown = { text: damaged.text, stdout, stderr };
        const registrations = now.map(({ registration }) => registration);
        const expected = old.map(({ registration }) => registration).toSorted();
        expect({ ...shown, registrations }).toEqual({ ...shown, registrations: expected });
        const years = now.map(({ policies }) => policies.map(({ validFrom }) => validFrom.slice(0, 4)).join());
        const isNew = years.map((year) => year === '2026,2026');
        const halves = years.filter((year, nth) => !isNew[nth] && year !== '2020,2020');
        expect({ ...shown, halves }).toEqual({ ...shown, halves: [] });
        if (exitCode === 2) expect({ ...shown, isNew }).toEqual({ ...shown, isNew: isNew.map(() => false) });
        if (exitCode === 0) expect({ ...shown, isNew }).toEqual({ ...shown, isNew: isNew.map(() => true) });
        const isUndecodable = damaged.hasWrongByte && encoding !== 'Windows-1252';
        if (damages.length === 0 || isUndecodable) {
          const refused = isUnreadable || isUndecodable;
          expect({ ...shown, exitCode }).toEqual({ ...shown, exitCode: refused ? 2 : 0 });
        }

        const read = await checked(path);
        const isLineDamaged = damages.some(({ kind }) => ['line end', 'cut', 'remove', 'wrong byte'].includes(kind));
        if (typeof read !== 'string' && !isLineDamaged)
          expect({ ...shown, rows: read.length }).toEqual({ ...shown, rows: rows.length });

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
