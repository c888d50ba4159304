import { utimes } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import type { ComplianceRecord } from '../../../core/compliance/record.ts';
import { storeItems } from '../../support/engine.ts';
import { aCompliance } from '../../support/records.ts';
import { commandLine, NOW } from '../command-line.ts';
import { COMPLIANCE_HEADER, complianceLine, vehicleLine, vehicleRow, vehiclesCsv } from '../import-files.ts';

const { run, file, load, stored, rejectedLines, engine } = commandLine();

const find = async (registration: string) =>
  (await stored<ComplianceRecord>('compliance')).find((record) => record.registration === registration);
const containing = (reasons: readonly string[]) => reasons.map((reason) => expect.stringContaining(reason));

describe('import compliance of a CSV', () => {
  it.each([
    ['C1 A,2026-05-06,,2026-07-08,,,0', { mot: { dueDate: '2026-05-06' }, roadTax: { paidUntil: '2026-07-08' } }],
    ['C1 A,,TRUE,,yes,no,3', { mot: { exempt: true }, roadTax: { exempt: true }, outstandingFines: 3 }],
    ['C1 A,,Y,,y,N,0', { mot: { exempt: true }, roadTax: { exempt: true } }],
    ['C1 A,,1,,0,1,0', { mot: { exempt: true }, roadTax: { sorn: true } }],
  ])('stores %s', async (row, fields) => {
    expect(await load('compliance', 'c.csv', `${COMPLIANCE_HEADER}\n${row}`)).toMatchObject({ exitCode: 0 });
    expect(await find('C1A')).toMatchObject({ registration: 'C1A', outstandingFines: 0, ...fields });
  });

  /** A row, and its reasons. */
  const badRows: (readonly [string, ...string[]])[] = [
    ['C20,2026-05-06,yes,2026-07-08,,,0', 'mot_due, mot_exempt: only one'],
    ['C21,,no,,,,0', 'mot_due, mot_exempt: one of them', 'tax_paid_until, tax_exempt, sorn: one of them'],
    ['C22,2026-05-06,,,true,true,0', 'tax_paid_until, tax_exempt, sorn: only one'],
    ['C23,2026-05-06,,2026-07-08,maybe,,0', 'tax_exempt: must be true, false'],
    ['C24,2026-02-30,,2026-07-08,,,', 'mot_due: is not a calendar date', 'outstanding_fines: must be'],
    ['C25,2026-05-06,,2026-07-08,,,-1', 'outstanding_fines: must be'],
    ['C26,2026-05-06', 'too few columns'],
  ];

  it('rejects each bad row with every issue', async () => {
    const text = [COMPLIANCE_HEADER, ...badRows.map(([row]) => row)].join('\n');
    const { exitCode, path, stdout } = await load('compliance', 'c.csv', text);
    const rejected = badRows.map(([row, ...reasons], nth) => ({ line: nth + 2, row, reasons: containing(reasons) }));
    expect([exitCode, await rejectedLines(path)]).toEqual([1, rejected]);
    expect(stdout).toMatch(/ 7 +0 +7 /);
  });
});

describe('import compliance of NDJSON', () => {
  it('stores the fields of the line', async () => {
    const fields = { mot: { dueDate: '2026-05-06' }, roadTax: { sorn: true }, outstandingFines: 1 };
    await load('compliance', 'c.ndjson', complianceLine({ registration: 'c-3 n', ...fields }));
    expect(await find('C3N')).toMatchObject({ registration: 'C3N', ...fields });
  });

  /** The fields of a line, and its reasons. */
  const badLines: (readonly [object, ...string[]])[] = [
    [{ mot: {} }, 'mot: must have exactly one of dueDate, exempt'],
    [{ mot: { exempt: false } }, 'mot.exempt: must be true'],
    [{ roadTax: { sorn: true, paidUntil: '2026-01-01' } }, 'roadTax: must have exactly one'],
    [{ roadTax: { sorn: 'yes', note: 1 } }, 'roadTax.note: is not a field', 'roadTax.sorn: must be true'],
    [{ mot: null, outstandingFines: 1.5 }, 'mot: must be an object', 'mot: must', 'outstandingFines: must be a whole'],
    [{ outstandingFines: '1' }, 'outstandingFines: must be a whole'],
    [{ registration: undefined }, 'registration: is missing'],
    [{ registration: 'C3\u0000' }, 'registration: may contain only'],
    [{ registration: 'bad 0', outstandingFines: 'x' }, 'outstandingFines: must be a whole', 'on line 1'],
  ];

  it('rejects each bad line with every issue, and a second line of a vehicle', async () => {
    const lines = badLines.map(([fields], nth) => complianceLine({ registration: `BAD${nth}`, ...fields }));
    const { path } = await load('compliance', 'c.ndjson', lines.join('\n'));
    const rejected = badLines.map(([, ...reasons], nth) => ({ line: nth + 1, reasons: containing(reasons) }));
    expect(await rejectedLines(path)).toMatchObject(rejected);
  });
});

describe('The last update of an imported record', () => {
  const TIME = '2026-05-01T08:00:00Z';
  const FUTURE = '2027-01-01T00:00:00Z';
  const C1 = 'C1,,yes,,,yes,0';

  it.each([
    ['its column', 'c.csv', `${COMPLIANCE_HEADER},last_updated\n${C1},${TIME}`, FUTURE, TIME],
    ['its field', 'c.ndjson', complianceLine({ lastUpdated: TIME }), FUTURE, TIME],
    ['a CSV without the column', 'c.csv', `${COMPLIANCE_HEADER}\n${C1}`, TIME, TIME],
    ['a blank cell', 'c.csv', `${COMPLIANCE_HEADER},last_updated\n${C1},`, TIME, TIME],
    ['NDJSON without the field', 'c.ndjson', complianceLine(), TIME, TIME],
    ['a file of the future', 'c.ndjson', complianceLine(), FUTURE, NOW.toISOString()],
    ['null', 'c.ndjson', complianceLine({ lastUpdated: null }), TIME, undefined],
    ['a vehicles CSV', 'v.csv', vehiclesCsv(vehicleRow({ registration: 'C1', last_updated: '' })), TIME, TIME],
    ['a line', 'v.ndjson', vehicleLine({ registration: 'C1', lastUpdated: undefined }), TIME, TIME],
  ])(
    'is that of the record, else of the file, at most that of the import: %s',
    async (_of, name, text, time, expected) => {
      const kind = name.startsWith('v') ? 'vehicles' : 'compliance';
      const path = await file(name, text);
      await utimes(path, NOW, new Date(time));
      await run(['import', kind, path]);
      const [record] = await stored<{ lastUpdated?: string }>(kind);
      expect(record?.lastUpdated).toBe(expected && new Date(expected).toISOString());
    },
  );

  it('is at most 24 hours in the future', async () => {
    const ahead = ['2026-11-22T12:00:30.000Z', '2026-11-22T12:00:30.001Z'];
    const lines = ahead.map((lastUpdated, nth) => complianceLine({ registration: `AHEAD${nth}`, lastUpdated }));
    const { path } = await load('compliance', 'c.ndjson', lines.join('\n'));
    const reasons = ['lastUpdated: must not be more than 24 hours in the future'];
    expect(await rejectedLines(path)).toMatchObject([{ line: 2, reasons }]);
  });
});

describe('import --if-newer', () => {
  const OLDER = '2026-05-01T08:00:00.000Z';
  const NEWER = '2026-05-01T08:00:00.001Z';

  /** The last update of the stored record, undefined for none, and of the file; whether the file's record is stored. */
  const records: (readonly [string | null | undefined, string | null, boolean])[] = [
    [OLDER, NEWER, true],
    [OLDER, OLDER, false],
    [NEWER, OLDER, false],
    [OLDER, '2026-05-01T08:00:00.0015+00:00', true],
    [NEWER, '2026-05-01T08:00:00Z', false],
    [OLDER, '2026-05-01T08:00:00Z', false],
    [null, OLDER, true],
    [null, null, false],
    [OLDER, null, false],
    [undefined, OLDER, true],
    [undefined, null, true],
  ];

  it('replaces older records and those without an age by records that have one, and no others', async () => {
    const nameOf = (nth: number) => `NEW${10 + nth}`;
    const before = records.flatMap(([lastUpdated], nth) =>
      lastUpdated === undefined ? [] : { ...aCompliance(nameOf(nth)), ...(lastUpdated !== null && { lastUpdated }) },
    );
    await storeItems(engine().client, engine().names.compliance, before);
    const lines = records.map(([, lastUpdated], nth) =>
      complianceLine({ registration: nameOf(nth), lastUpdated, outstandingFines: 7 }),
    );
    const path = await file('c.ndjson', lines.join('\n'));
    const counts = /^rows read +compliance loaded +kept +rows rejected.*\n +11 +5 +6 +0 /;
    expect((await run(['import', 'compliance', path, '--if-newer'])).stdout).toMatch(counts);
    const own = (await stored<ComplianceRecord>('compliance')).filter(({ registration }) => /^NEW/.test(registration));
    const isReplaced = own.map(({ outstandingFines }) => outstandingFines === 7);
    expect(records.map(([before, given], nth) => [before, given, isReplaced[nth]])).toEqual(records);
  });
});
