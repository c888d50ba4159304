import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { readFleet } from '../../../client/src/command-line/fleet-file.ts';
import { useFolder } from '../../support/use-folder.ts';

/** The same list by different writers, with a title, formulas, errors, dates, rich text and a sheet that is hidden. */
const WORKBOOKS = join(import.meta.dirname, '../../fixtures/workbooks');
const path = (name: string) => join(WORKBOOKS, name);
const inFolder = useFolder();

const INVALID = { error: 'INVALID_REGISTRATION' };
const ROWS: readonly { line: number; cells: string[]; error?: string }[] = [
  { line: 4, cells: ['AB12 CDE', 'North', '2024-03-01', '5', '1234.5'] },
  { line: 5, cells: ['KR08NIL', 'South', '2023-12-31', '4', '2469'] },
  { line: 6, cells: [' ZZ99ZZZ ', "O'Brien & Söhne <K>", '2020-02-29', '2', '#DIV/0!'] },
  { line: 7, cells: ['20260510', 'number', '', '7', '0.1'], ...INVALID },
  { line: 8, cells: ['2026-05-10', 'date', '', '', ''], ...INVALID },
  { line: 9, cells: ['#N/A', 'error', '', '', ''], ...INVALID },
  { line: 11, cells: ['AB1OCDE', '=1+1 as text', '', 'TRUE', ''] },
  { line: 12, cells: ['Total', '', '', '18', ''], error: 'NO_REGISTRATION' },
];

/** What a writer cannot write: openpyxl no values of formulas, this list of excelize no errors. */
const LOST: Readonly<Record<string, readonly string[]>> = {
  'openpyxl.xlsx': ['KR08NIL', '2469', '#DIV/0!', '#N/A', '18'],
  'excelize.xlsx': ['#DIV/0!', '#N/A'],
};

describe('A workbook', () => {
  const names = readdirSync(WORKBOOKS).filter((name) => name.endsWith('.xlsx'));
  it('has ten writers', () => expect(names).toHaveLength(10));

  it.each(names)('of %s has the rows and cells that its writer shows', async (name) => {
    // Gnumeric hides no sheet in this format.
    const isShown = name === 'gnumeric.xlsx';
    const fleet = await readFleet(path(name), { searched: 20, sheet: isShown ? 'Fleet' : undefined });
    const lost = LOST[name] ?? [];
    const rows = ROWS.map(({ line, cells, error }) => {
      const written = cells.map((cell) => (lost.includes(cell) ? '' : cell));
      return { line, cells: written, ...(error !== undefined && written[0] !== '' && { error }) };
    });
    expect(fleet).toMatchObject({ columnIndex: 0, lineBelowTitle: 3, delimiter: ',', lineEnd: '\r\n' });
    expect(fleet.header).toEqual(['Registration', 'Depot', 'Bought', 'Seats', 'Cost']);
    expect(fleet.sheet).toMatchObject({ name: 'Fleet', hidden: isShown ? [] : ['Sold'] });
    expect(fleet.rows).toEqual(rows);
  });

  it.each<[string, string, object]>([
    [
      'gnumeric.xlsx',
      'has several sheets with a column of registrations: choose one of "Fleet", "Sold" with --sheet.',
      {},
    ],
    ['excel.xlsx', 'has no sheet "Cars": choose one of "Fleet", "Sold" with --sheet.', { sheet: 'Cars' }],
    [
      'openpyxl.xlsx',
      'has no sheet with a column of registrations: choose one of "Fleet", "Übersicht & Notizen" with',
      { column: 'VIN' },
    ],
    ['excel.xlsx', 'has no column "VIN": choose one of "Registration", "Depot"', { column: 'VIN' }],
  ])('whose sheet or column is not clear is refused with the choice: %s', async (name, sentence, options) => {
    await expect(readFleet(path(name), { searched: 20, ...options })).rejects.toThrow(sentence);
  });

  it('that is hidden is read when it is named', async () => {
    const { rows, sheet } = await readFleet(path('by-hand.xlsx'), { sheet: 'Sold' });
    expect([rows, sheet?.hidden]).toEqual([[{ line: 2, cells: ['DG65OLD'] }], []]);
  });

  it.each(['sheetjs.xlsb', 'sheetjs.xls', 'sheetjs.ods'])('of another form is refused: %s', async (name) => {
    await expect(readFleet(path(name))).rejects.toThrow(/ workbook.*: open it and save the sheet as "CSV UTF-8"/);
  });

  it('has no sheet when the file is CSV', async () => {
    await writeFile(inFolder('fleet.csv'), 'registration\nAB12CDE\n');
    const sentence = 'is no Excel workbook (.xlsx): leave out --sheet.';
    await expect(readFleet(inFolder('fleet.csv'), { sheet: 'Fleet' })).rejects.toThrow(sentence);
  });
});

/** A ZIP file with one part. @param size what its directory says of the inflated part */
const zipWith = (name: string, content: Buffer, size: number): Buffer => {
  const data = deflateRawSync(content);
  const local = Buffer.alloc(30);
  local.write('PK\x03\x04\x14\0\0\0\x08\0', 'latin1');
  local.writeUInt32LE(data.length, 18);
  local.writeUInt32LE(size, 22);
  local.writeUInt16LE(name.length, 26);
  const entry = Buffer.alloc(46);
  entry.write('PK\x01\x02\x14\0\x14\0\0\0\x08\0', 'latin1');
  entry.writeUInt32LE(crc32(content), 16);
  entry.writeUInt32LE(data.length, 20);
  entry.writeUInt32LE(size, 24);
  entry.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06\0\0\0\0\x01\0\x01\0', 'latin1');
  end.writeUInt32LE(entry.length + name.length, 12);
  end.writeUInt32LE(local.length + name.length + data.length, 16);
  return Buffer.concat([local, Buffer.from(name), data, entry, Buffer.from(name), end]);
};

it('Every sheet can be chosen, one with a blank name too', async () => {
  const workbook = Buffer.from('<workbook><sheets><sheet name=" "/><sheet name="Fleet"/></sheets></workbook>');
  await writeFile(inFolder('fleet.xlsx'), zipWith('xl/workbook.xml', workbook, workbook.length));
  const sentence = 'has no sheet "Cars": choose one of " ", "Fleet" with --sheet.';
  await expect(readFleet(inFolder('fleet.xlsx'), { sheet: 'Cars' })).rejects.toThrow(sentence);
});

const TOO_LARGE = 'the workbook is too large: save the sheet as "CSV UTF-8"';
const NO_WORKBOOK = 'the file is no Excel workbook (.xlsx), or is damaged';
const whole = readFileSync(path('excel.xlsx'));
const changedAt = (at: number) => {
  const changed = Buffer.from(whole);
  changed.writeUInt8(whole.readUInt8(at) ^ 1, at);
  return changed;
};
const zeros = Buffer.alloc(20_000_000);
it.each<[string, Buffer, string]>([
  ['that is cut off', whole.subarray(0, -100), NO_WORKBOOK],
  ['with another byte in its texts', changedAt(whole.indexOf('xl/sharedStrings.xml') + 120), NO_WORKBOOK],
  ['whose dates would be numbers', changedAt(whole.lastIndexOf('xl/styles.xml')), NO_WORKBOOK],
  ['that is another ZIP', zipWith('notes.txt', Buffer.from('text'), 4), NO_WORKBOOK],
  ['with more bytes than it may have', zipWith('[Content_Types].xml', Buffer.alloc(1), 300_000_001), TOO_LARGE],
  ['with more bytes than its directory says', zipWith('[Content_Types].xml', zeros, 1_000), NO_WORKBOOK],
  ['whose directory says no size', zipWith('[Content_Types].xml', zeros, 0), NO_WORKBOOK],
])('A damaged or hostile workbook is refused %s', async (_what, data, sentence) => {
  await writeFile(inFolder('fleet.xlsx'), data);
  await expect(readFleet(inFolder('fleet.xlsx'))).rejects.toThrow(sentence);
});
