import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type FleetRow, readFleet } from '../../../client/src/command-line/fleet-file.ts';
import { AMBIGUOUS_HEADERS, CSV_FORMS } from '../../support/csv-forms.ts';
import { useFolder } from '../../support/use-folder.ts';

const inFolder = useFolder();

const ENCODED: Record<string, (text: string) => Buffer> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-8 with a mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16, little endian': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16, big endian': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'Windows-1252': (text) => Buffer.from(text, 'latin1'),
};
const lineEnd = fc.constantFrom('\n', '\r', '\r\n');
// A line end refuses the file in the column of registrations, or beside a delimiter: right-or-refused.test.ts.
const cell = fc.array(fc.constantFrom('a', 'b', ' ', 'ü', ',', ';', '\t', '|', '"', '\n', '\r', '\r\n'), {
  maxLength: 5,
});
const row = fc.record({
  kind: fc.oneof({ weight: 4, arbitrary: fc.constant('good') }, fc.constantFrom('blank', 'long', 'short', 'stray')),
  cells: fc.tuple(cell, cell, cell),
  isQuoted: fc.boolean(),
  end: lineEnd,
});
const file = fc.record({
  encoding: fc.constantFrom(...Object.keys(ENCODED)),
  delimiter: fc.constantFrom(',', ';', '\t', '|'),
  // With the longest names the header is longer than what is read at a time.
  padding: fc.constantFrom(0, 0, 70_000),
  column: fc.nat(2),
  end: lineEnd,
  rows: fc.array(row, { maxLength: 12 }),
});

it('The rows of a fleet file are as written, in every encoding, with any line ends, and malformed ones are named', async () => {
  const property = fc.asyncProperty(file, async ({ encoding, delimiter, padding, column, end, rows }) => {
    const needsQuotes = (value: string) => /["\r\n]/.test(value) || value.includes(delimiter);
    const write = (value: string, isQuoted: boolean) =>
      isQuoted || needsQuotes(value) ? `"${value.replaceAll('"', '""')}"` : value;
    const header = [`a${'x'.repeat(padding)}`, 'b'].toSpliced(column, 0, 'registration');
    let text = `${delimiter === '|' ? `sep=|${end}` : ''}${header.join(delimiter)}${end}`;
    const expected: FleetRow[] = [];
    for (const { kind, cells: parts, isQuoted, end: rowEnd } of rows) {
      const line = text.split(/\r\n|\r|\n/).length;
      const texts = parts.map((part) => part.join(''));
      const oneLine = texts.map((text, nth) =>
        nth === column || text.includes(delimiter) ? text.replaceAll(/[\r\n]/g, '') : text,
      );
      const given = kind === 'blank' ? ['', ' ', ''] : oneLine;
      const written = given.map((value) => write(value, isQuoted && kind !== 'blank'));
      // Blanks at the end of a cell without quotes are not read.
      const cells = given.map((value) => (isQuoted || needsQuotes(value) ? value : value.trimEnd()));
      if (kind === 'stray') for (const row of [written, cells]) row.splice(0, 3, 'a', 'x"y', 'b');
      if (kind === 'long') written.push('more');
      if (kind === 'short') [written[0], cells[0]] = ['a', 'a'];
      if (kind === 'short') [written.length, cells.length] = [2, 2];
      text += `${written.join(delimiter)}${rowEnd}`;
      if (kind === 'long') expected.push({ line, cells: [...cells, 'more'], error: 'TOO_MANY_CELLS' });
      else if (cells.some((value) => value.trim() !== '')) expected.push({ line, cells });
    }
    const last = expected.at(-1);
    // What is below the vehicles may be a total.
    if (last && !last.error && !last.cells[column]?.trim())
      expected.splice(-1, 1, { ...last, error: 'NO_REGISTRATION' });
    const path = inFolder('fleet.csv');
    await writeFile(path, ENCODED[encoding]?.(text) ?? '');
    const fleet = await readFleet(path);
    expect(fleet).toMatchObject({ header, columnIndex: column, delimiter, lineEnd: end });
    expect(fleet.rows).toEqual(expected);
  });
  await fc.assert(property, { numRuns: 100 });
});

it.each(CSV_FORMS)('A fleet file with %s is read', async (_form, written) => {
  const path = inFolder('form.csv');
  await writeFile(path, written('registration,owner\nAB12CDE,José\n'));
  const { columnIndex, rows } = await readFleet(path);
  expect([columnIndex, rows.map(({ cells }) => cells.slice(0, 2))]).toEqual([0, [['AB12CDE', 'José']]]);
});

describe('The header of a fleet file', () => {
  const open = async (text: string | Buffer, headerLine?: number) => {
    const path = inFolder('titles.csv');
    await writeFile(path, text);
    return readFleet(path, { searched: 20, headerLine });
  };
  const ROWS = 'Nr;Reg No;Driver\n1;AB12CDE;x\n';
  it.each([
    ['is the first row', ROWS, undefined],
    ['is below titles and empty rows', `Fleet, 2026;;\n;;;;\n\nRegistration;;\n${ROWS}`, 5],
    ['is below a title that has names between other delimiters', `Plate, Reg, VRM;;\n${ROWS}`, 2],
    ['is in row 20', `${'Title;;\n'.repeat(19)}${ROWS}`, 20],
    ['is above a cell with a usual name', 'Nr;Reg No;Driver\n1;AB12CDE;Plate\n', undefined],
    ['is that of a table on a page of a workbook with a `sep=` line', `sep=;\nFleet;;\n${ROWS}`, 3],
  ])('%s', async (_where, text, line) => {
    const fleet = await open(text);
    expect(fleet).toMatchObject({ header: ['Nr', 'Reg No', 'Driver'], columnIndex: 1, lineBelowTitle: line });
    expect(fleet.rows).toHaveLength(1);
  });

  it.each([
    [
      'of a title above one column',
      'Fleet\nKennzeichen\nAB12CDE\n',
      undefined,
      'name it with --column, or the line of',
    ],
    ['of a vehicle', 'AB12CDE\nKR08NIL\n', undefined, 'name it with --column'],
    ['of a title above unknown names', 'Fleet;;\nNr;Kfz;Name\n', undefined, 'choose one of "Nr", "Kfz", "Name" with'],
    ['in row 21', `${'Title;;\n'.repeat(20)}${ROWS}`, undefined, 'has no column "registration"'],
    ['in an empty row', `;;;;\n${ROWS}`, 1, 'has no row on line 1.'],
  ])('is not made %s', async (_what, text, headerLine, sentence) => {
    await expect(open(text, headerLine)).rejects.toThrow(sentence);
  });

  it.each(AMBIGUOUS_HEADERS)('has one column that could be the registration, unlike %s', async (header) => {
    const sentence = /several columns that could be the registration: choose one of "\w.*", "\w+" with --column\.$/;
    await expect(open(header)).rejects.toThrow(sentence);
  });

  it('is in the line that is named', async () => {
    const fleet = await open('Reg;Driver\nKennzeichen\nAB12CDE\n', 2);
    expect(fleet).toMatchObject({ header: ['Kennzeichen'], columnIndex: 0, rows: [{ line: 3 }] });
  });

  it('of an office’s file is in line 4; its total is no vehicle', async () => {
    const office = await readFile(new URL('../../fixtures/files/23-office-file.csv', import.meta.url));
    const { header, rows } = await open(office);
    expect(header).toEqual(['Nr', 'Halle', 'Reg No', 'Fahrer']);
    expect(rows.map(({ line, cells, error }) => [line, cells[2], error])).toEqual([
      [5, 'ab12 cde', undefined],
      [6, 'dg65\u00a0old', undefined],
      [7, 'Summe: 2', 'NO_REGISTRATION'],
    ]);
  });
});

describe('A row without a registration', () => {
  const errorsOf = async (rows: readonly string[]) => {
    const path = inFolder('totals.csv');
    await writeFile(path, `registration,note\n${rows.join('\n')}\n`);
    return (await readFleet(path)).rows.map(({ error }) => error);
  };
  const TOTAL = 'NO_REGISTRATION';

  it('is no vehicle when it is the last one or has a total beside it', async () => {
    const errors = await errorsOf(['AB12CDE,x', ',Total', ',Sum 3', ',"summe: 1,200"', ',y', ',Summer', ',z', ' , ']);
    expect(errors).toEqual([undefined, TOTAL, TOTAL, TOTAL, undefined, undefined, TOTAL]);
  });

  it.each([
    ...['Total', 'TOTAL', 'total:', 'Sum', 'Summe', ' summe ', 'Summe: 2', 'SUMME:2', 'Total: 305', 'Total : 1 200'],
    ...['"Total: 1,200.50"', 'Sum:\u00a03'],
  ])('has the word of a total in its place: %s', async (cell) => {
    expect(await errorsOf([`${cell},x`, 'AB12CDE,'])).toEqual([TOTAL, undefined]);
  });

  it.each(['SUM 123', 'sum123', 'SUM1', 'TOTAL 1', 'TOTAL305', 'SUMME 2', 'SUMM', 'TOTALS', 'TOTAL: AB12CDE', '305'])(
    'is not one with what may be a plate: %s',
    async (cell) => {
      expect(await errorsOf([`${cell},x`, 'AB12CDE,'])).toEqual([undefined, undefined]);
    },
  );
});
