/** Rows with wrong quotes, bytes or number of cells: `import` and the client's `check` have one reader. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findColumn, openFleet } from '../../../client/src/command-line/fleet-file.ts';
import type { ENCODINGS } from '../../../csv/encoding.ts';
import { VEHICLE_HEADER, vehicleRow, vehiclesCsv } from '../../support/import-files.ts';
import { failure, useAdmin } from '../../support/use-admin.ts';

const { load, stored, rejectedLines } = useAdmin();

/** What `check` reads of a file, or the sentence with which it ends. */
const checked = async (path: string, encoding?: (typeof ENCODINGS)[number]) => {
  const find = (header: readonly string[]) => findColumn(path, header, undefined);
  try {
    const { rows } = await openFleet(path, find, { encoding });
    return await Array.fromAsync(rows());
  } catch (error) {
    return (error as Error).message;
  }
};

/** One: records.test.ts, the last test here, and for `check` test/client/fleet-file.test.ts. */
describe('Two stray quotes', () => {
  const between = (opening: string, closing: string): string => {
    const cells = [{ color: opening }, {}, {}, { color: closing }];
    return vehiclesCsv(...cells.map((some, nth) => vehicleRow({ registration: `JOIN${nth}`, ...some })));
  };
  it.each([
    ['the first of a row and the last of a later one', between('"18 inch', '18 inch"'), 2],
    ['with a quoted cell between them', between('"18 inch', '19"'), 2],
    ['in the header', `${VEHICLE_HEADER},"note\n${vehicleRow()},x"\n${vehicleRow()},y\n`, 1],
    [
      'around a registration with Ü',
      vehiclesCsv(
        ...[{ color: '"18' }, {}, { color: '18"' }].map((some, nth) =>
          vehicleRow({ registration: `MÜ ${nth}`, ...some }),
        ),
      ),
      2,
    ],
    ['in the last cell', 'note,registration\n"a,JOIN1\nb,JOIN2"\n', 2],
  ])('end import and check with the first row that they would join or hide: %s', async (_name, csv, line) => {
    const { path, ...result } = await load('vehicles', 'v.csv', csv);
    const sentence = `a quote opens a cell on line ${line} or below and is closed only after line ${line + 1}`;
    expect([result, await checked(path)]).toEqual([failure(sentence), expect.stringContaining(sentence)]);
    expect((await stored()).filter(({ registration }) => registration.startsWith('JOIN'))).toEqual([]);
  });

  it.each([
    ['lines that are not rows', vehiclesCsv(vehicleRow({ make: '"Ford,\nof Köln, 2019"' }))],
    ['the first cell of a row', `note,${vehiclesCsv(`"a\nb\nc",${vehicleRow()}`)}`],
    ['a first cell with the delimiter', `note,${vehiclesCsv(`"1 High St,\nLeeds",${vehicleRow()}`)}`],
  ])('are no mistake around %s', async (_where, csv) => {
    const { path } = await load('vehicles', 'v.csv', csv);
    expect(await checked(path)).toHaveLength(1);
  });
});

describe('The encoding of a file', () => {
  const csv = (make: string) =>
    vehiclesCsv(vehicleRow({ registration: 'ENCODED', make }), vehicleRow({ registration: 'E2' }));
  /** UTF-16 without a mark. */
  const utf16 = Buffer.from(csv('Zürich'), 'utf16le');
  const withWrongByte = (bytes: Buffer) => Buffer.concat([bytes, Buffer.from('E3,\xfcb\n', 'latin1')]);
  const cutUtf16 = Buffer.from(`\ufeff${csv('Zürich')}a`, 'utf16le').subarray(0, -1);
  const REFUSED = /(line \d) has a byte that is not (UTF-\S+),/;
  const wrong = (line: number, encoding = 'UTF-8') => [`line ${line}`, encoding];

  it.each<[string, Buffer, string | readonly string[], (typeof ENCODINGS)[number]?]>([
    ['UTF-8 with a wrong byte', withWrongByte(Buffer.from(csv('Zürich'))), wrong(4)],
    ['UTF-8 with a mark and a wrong byte', withWrongByte(Buffer.from(`\ufeff${csv('Zurich')}`)), wrong(4)],
    ['UTF-8 with a U+FFFD before a wrong byte', withWrongByte(Buffer.from(csv('Zürich \ufffd'))), wrong(4)],
    ['UTF-8 that ends within a character', Buffer.from(`${csv('Zürich')}€`).subarray(0, -1), wrong(4)],
    ['UTF-16 that ends within a character', cutUtf16, wrong(4, 'UTF-16LE')],
    ['Windows-1252 when UTF-8 is given', Buffer.from(csv('Zürich'), 'latin1'), wrong(2), 'utf-8'],
    ['Windows-1252', Buffer.from(csv('Z\x80\xfcrich'), 'latin1'), 'Z€ürich'],
    ['given Windows-1252 that looks like UTF-8', withWrongByte(Buffer.from(csv('Zürich'))), 'ZÃ¼rich', 'windows-1252'],
    ['given UTF-16 without a mark', utf16, 'Zürich', 'utf-16le'],
    ['given big-endian UTF-16 without a mark', Buffer.from(utf16).swap16(), 'Zürich', 'utf-16be'],
  ])('is read, or refused with its line: %s', async (_form, bytes, expected, ...[encoding]) => {
    const options = encoding === undefined ? [] : ['--encoding', encoding];
    const { path, stderr, exitCode } = await load('vehicles', 'v.csv', bytes, ...options);
    const read = await checked(path, encoding);
    if (typeof expected === 'string') {
      expect((await stored()).find(({ registration }) => registration === 'ENCODED')?.vehicle.make).toBe(expected);
      expect(JSON.stringify(read)).toContain(expected);
      expect(stderr.includes('is read as Windows-1252')).toBe(encoding === undefined);
    } else {
      const [imported, check] = [stderr, `${read}`].map((sentence) => sentence.match(REFUSED)?.slice(1));
      expect([exitCode, imported, check]).toEqual([2, expected, expected]);
    }
  });

  it('is given for CSV and text files only, and agrees with the mark', async () => {
    expect(await load('vehicles', 'v.ndjson', '', '--encoding', 'utf-8')).toMatchObject(failure('NDJSON is UTF-8'));
    const marked = Buffer.from('\ufeffa', 'utf16le');
    const sentence = 'begins with the byte order mark of utf-16le, not of utf-8';
    expect(await load('vehicles', 'v.csv', marked, '--encoding', 'utf-8')).toMatchObject(failure(sentence));
  });
});

describe('A malformed row', () => {
  const COLUMNS = VEHICLE_HEADER.split(',');
  const VEHICLES = ['AB12CDE', 'KR08NIL', 'ZZ9A', 'X1'];
  const rowOf = (registration: string, policy: number, insurer: string, isBlank: boolean): string[] => {
    const cells = { registration, policy_number: `P-${policy}`, insurer, model: '' };
    return vehicleRow({ ...cells, ...(isBlank && { last_updated: '' }) }).split(',');
  };
  const half = ({ length }: string) => Math.ceil(length / 2);
  /** What happens to a row at one of its cells. */
  const DAMAGES: Record<string, (cells: readonly string[], at: number) => string[]> = {
    none: (cells) => [...cells],
    split: (cells, at) =>
      cells.flatMap((cell, nth) => (nth === at ? [cell.slice(0, half(cell)), cell.slice(half(cell))] : [cell])),
    shifted: (cells, at) => cells.toSpliced(at, 0, 'Ltd'),
    joined: (cells, at) => cells.toSpliced(at, 2, cells.slice(at, at + 2).join('')),
    missing: (cells, at) => cells.toSpliced(at, 1),
    'with a stray quote': (cells, at) => cells.with(at, `${cells[at] || 'x'}"`),
    'with a quoted comma and a stray quote': (cells, at) => cells.with(at, `"${cells[at]}, x"x`),
  };
  const damage = fc.record({
    kind: fc.oneof({ weight: 6, arbitrary: fc.constant('none') }, fc.constantFrom(...Object.keys(DAMAGES))),
    at: fc.nat(COLUMNS.length - 1),
    isBlank: fc.boolean(),
  });
  const order = fc.shuffledSubarray(COLUMNS, { minLength: COLUMNS.length });
  const damages = fc.array(damage, { minLength: 2 * VEHICLES.length, maxLength: 2 * VEHICLES.length });

  const insurers = async () => {
    const records = await stored();
    return new Map(records.map((one) => [one.registration, one.policies.map(({ insurer }) => insurer)]));
  };

  it('rejects every vehicle that it names, and no other one: none is ever stored without a policy', async () => {
    const property = fc.asyncProperty(order, damages, async (columns, all) => {
      const inOrder = (cells: readonly string[]) => columns.map((name) => cells[COLUMNS.indexOf(name)] ?? '');
      const csvOf = (rows: readonly (readonly string[])[]) =>
        [columns, ...rows].map((cells) => cells.join()).join('\n');
      const old = VEHICLES.flatMap((registration) =>
        [1, 2].map((policy) => inOrder(rowOf(registration, policy, 'Old', false))),
      );
      expect(await load('vehicles', 'old.csv', csvOf(old))).toMatchObject({ exitCode: 0 });
      const rows = all.map(({ kind, at, isBlank }, nth) => {
        const registration = VEHICLES[nth % VEHICLES.length] ?? '';
        // Without its registration a row names nobody.
        const isNameless = kind === 'missing' && columns[at] === 'registration';
        const cells = inOrder(rowOf(registration, nth < VEHICLES.length ? 1 : 2, 'New', isBlank));
        const damaged = DAMAGES[isNameless ? 'none' : kind]?.(cells, at) ?? [];
        const text = damaged.join('');
        const hasOnlyBlanksTooMany =
          damaged.length > columns.length && damaged.slice(columns.length).every((cell) => cell === '');
        const isMalformed = text.includes('"') || (damaged.length !== columns.length && !hasOnlyBlanksTooMany);
        return { damaged, hasOnlyBlanksTooMany, isMalformed, text };
      });
      const { stdout } = await load('vehicles', 'new.csv', csvOf(rows.map(({ damaged }) => damaged)));
      const now = await insurers();
      for (const [nth, registration] of VEHICLES.entries()) {
        const isNamed = rows.some(
          ({ isMalformed, text }) => isMalformed && text.replace(/\W/g, '').toUpperCase().includes(registration),
        );
        const mayBeShifted = rows.some(({ hasOnlyBlanksTooMany }) => hasOnlyBlanksTooMany);
        // Old: the vehicle was rejected and kept its policies. New: it was loaded.
        const found = now.get(registration) ?? [];
        expect([found.length, stdout]).toEqual([2, stdout]);
        if (!mayBeShifted) expect([nth, ...found]).toEqual([nth, ...(isNamed ? ['Old', 'Old'] : ['New', 'New'])]);
        else expect(new Set(found).size).toBe(1);
      }
    });
    await fc.assert(property, { numRuns: 40 });
  });

  it('says which row and why, and leaves other vehicles alone', async () => {
    const rows = ['GOOD', 'NAMED', 'SHIFTED', 'HALF'].map((registration) => vehicleRow({ registration }));
    const bad = [
      vehicleRow({ make: 'Ford,Ka NAMED' }),
      `Ltd,${vehicleRow({ registration: 'SHIFTED', last_updated: '' })}`,
      vehicleRow({ registration: 'half (old)', policy_number: 'P-2 GOOD' }),
    ];
    const { path } = await load('vehicles', 'v.csv', vehiclesCsv(...rows, ...bad));
    const many = 'the row has too many columns: 12 where the header names 11';
    const shifted = 'line 7 has more cells than the header names, and its cells seem to be shifted';
    expect((await rejectedLines(path)).map(({ line, reasons }) => [line, reasons.at(-1)])).toEqual([
      [3, `rejected with line 6, which may be of this vehicle: ${many}`],
      [4, shifted],
      [5, 'rejected with line 8, which may be of this vehicle: its registration is invalid'],
      [6, many],
      [7, shifted],
      [8, 'registration: contains "(" (U+0028)'],
    ]);
    expect((await stored()).map(({ registration }) => registration)).toContain('GOOD');
  });
});
