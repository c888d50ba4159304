import { describe, expect, it } from '@jest/globals';
import type { ComplianceRecord } from '../../../core/compliance/record.ts';
import { commandLine } from '../command-line.ts';
import { COMPLIANCE_HEADER, complianceLine } from '../import-files.ts';

const { load, stored, rejectedLines } = commandLine();

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
