import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { readFleet } from '../../../client/src/command-line/fleet-file.ts';
import { useFolder } from '../../support/use-folder.ts';

/** The forms of a file, which `import` reads with the same reader: test/unit/admin/import/files.test.ts. */
const inFolder = useFolder();

describe('The header of a fleet file', () => {
  const open = async (text: string, options: { headerLine?: number; column?: string } = {}) => {
    const path = inFolder('titles.csv');
    await writeFile(path, text);
    return readFleet(path, { searched: 20, ...options });
  };
  const ROWS = 'Nr;Reg No;Driver\n1;AB12CDE;x\n';
  it.each([
    ['is the first row', ROWS, undefined],
    ['is below titles and empty rows', `Fleet, 2026;;\n;;;;\n\nRegistration;;\n${ROWS}`, 5],
    ['is below a title that has names between other delimiters', `Plate, Reg, VRM;;\n${ROWS}`, 2],
    ['is in row 20', `${'Title;;\n'.repeat(19)}${ROWS}`, 20],
    ['is above a cell with a usual name', 'Nr;Reg No;Driver\n1;AB12CDE;Plate\n', undefined],
    ['is that of a table on a page of a workbook with a `sep=` line, which is no row', `sep=;\nFleet;;\n${ROWS}`, 2],
  ])('%s', async (_where, text, line) => {
    const fleet = await open(text);
    expect(fleet).toMatchObject({ header: ['Nr', 'Reg No', 'Driver'], columnIndex: 1, lineBelowTitle: line });
    expect(fleet.rows).toHaveLength(1);
  });

  it.each<[string, string, string | RegExp, object?]>([
    ['a title above one column', 'Fleet\nKfz\nAB12CDE\n', 'name it with --column, or the line of'],
    ['a vehicle', 'AB12CDE\nKR08NIL\n', 'name it with --column'],
    ['a title above unknown names', 'Fleet;;\nNr;Kfz;Name\n', 'choose one of "Nr", "Kfz", "Name" with'],
    ['row 21', `${'Title;;\n'.repeat(20)}${ROWS}`, 'has no column "registration"'],
    ['an empty row', `;;;;\n${ROWS}`, 'has no row on line 1.', { headerLine: 1 }],
    ['two columns of the name that is given', 'Plate,plate\nX1,X2\n', 'rename one of "Plate"', { column: 'Plate' }],
  ])('is not %s', async (_what, text, sentence, ...[options]) => {
    await expect(open(text, options)).rejects.toThrow(sentence);
  });

  it('is in the line that is named', async () => {
    const fleet = await open('Reg;Driver\nKfz\nAB12CDE\n', { headerLine: 2 });
    expect(fleet).toMatchObject({ header: ['Kfz'], columnIndex: 0, rows: [{ line: 3 }] });
  });
});

describe('A header without a line end', () => {
  const read = async (text: string) => {
    const path = inFolder('swallowed.csv');
    await writeFile(path, text);
    return readFleet(path);
  };
  it.each([
    'registration,asked_onHM21AAA,2026-11-01\nHM22AAA,2026-11-02\n',
    'registration,noteHM 21-AAA,x\n',
    'REGISTRATIONHM21AAA\nHM22AAA\n',
    'registration,ASKED ONHM21AAA,x\nHM22AAA,y\n',
    'registration,noteX1,a\nHM22AAA,b\n',
    'registration,makehm21aaa,Ford\nHM22AAA,Ford\n',
    'registration,make"HM21AAA",Ford\nHM22AAA,Ford\n',
    'make,registration,modelFord,HM21AAA,Ka\nFord,HM22AAA,Ka\n',
    'note,registration,HM21AAA\n,HM22AAA\n',
    'registrationNIL\nHM22AAA\n',
    'make,registration,model,depotFord,HM21AAA,Ka,Leeds\nFord,HM22AAA,Ka,Leeds\n',
    'make,registration,year,Ford,HM21AAA,2015,\nFord,HM22AAA,2015,\n',
    'registration,year,depotNIL,2015,Leeds\nHM22AAA,2016,Leeds\n',
    'registration,model,noteNIL,,WVWZZZ1JZXW000001\nHM22AAA,Ka,FL-0012\n',
    'make,registration,modelFord,HM21AAA,Ka',
    'registration,note\u0085HM21AAA,x\u0085HM22AAA,y\u0085',
  ])('has swallowed a row: %j', async (text) => {
    await expect(read(text)).rejects.toThrow(/the header has swallowed a row: put a line end within its cell "/);
  });

  it.each([
    ...[
      'notes',
      'driver1,driver2',
      'Region,notes',
      'registrationDate,x',
      'Covernote,x',
      'Policyholder,x',
      'Endkunde,x',
      'budget,2025,2026',
    ],
    ...['RegNr2,x', 'REGION,NOTES', 'CO2', 'make,x,y', 'Reg Date,2nd driver'],
  ])('is not thought of where columns are never filled: %s', async (names) => {
    const rows = names === 'notes' ? 'AB12CDE\nAB13CDE\n' : 'AB12CDE,x\nAB13CDE,y\n';
    expect(await read(`registration,${names}\n${rows}`)).toHaveProperty('rows.length', 2);
  });
});

describe('A row without a registration', () => {
  /** Which rows have none. */
  const withoutOne = async (rows: readonly string[]) => {
    const path = inFolder('totals.csv');
    await writeFile(path, `registration,note\n${rows.join('\n')}\n`);
    const read = (await readFleet(path)).rows;
    return rows.filter((_, nth) => read[nth]?.error === 'NO_REGISTRATION');
  };

  it('is no vehicle when it is the last one or has a total beside it', async () => {
    const totals = [',Total', ',Sum 3', ',"summe: 1,200"'];
    expect(await withoutOne(['AB12CDE,x', ...totals, ',y', ',Summer', ',z', ' , '])).toEqual([...totals, ',z']);
  });

  it('has the word of a total in its place, and nothing that may be a plate', async () => {
    const totals = [
      'Total',
      'total:',
      'Sum',
      ' SUMME ',
      'SUMME:2',
      'Total : 1 200',
      '"Total: 1,200.50"',
      'Sum:\u00a03',
    ];
    const plates = ['SUM 123', 'sum123', 'TOTAL 1', 'SUMME 2', 'SUMM', 'TOTAL: AB12CDE', '305'];
    expect(await withoutOne([...totals, ...plates])).toEqual(totals);
  });
});

it('A registration that is spread over a column without a name is invalid, and a remark there is not', async () => {
  const path = inFolder('spread.csv');
  await writeFile(path, 'Kennzeichen;;Fahrer\nB;MW 1234;x\nAB12;CDE;y\nAB12CDE;sold;z\n');
  const errors = (await readFleet(path)).rows.map(({ error }) => error);
  expect(errors).toEqual(['INVALID_REGISTRATION', 'INVALID_REGISTRATION', undefined]);
});
