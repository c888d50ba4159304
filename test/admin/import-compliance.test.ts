import { utimes } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { complianceTable } from '../../core/compliance/compliance-table.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { commandLine, NOW } from './command-line.ts';

const { run, file, load, engine, rejectedLines } = commandLine();

const HEADER = 'registration,mot_due,mot_exempt,tax_paid_until,tax_exempt,sorn,outstanding_fines';
const find = async (registration: string) =>
  (await complianceTable(engine().client, engine().names).findWithVehicle(registration, deadlineIn(5_000))).compliance;

describe('import compliance of a CSV', () => {
  it.each([
    ['C1 A,2026-05-06,,2026-07-08,,,0', { mot: { dueDate: '2026-05-06' }, roadTax: { paidUntil: '2026-07-08' } }],
    ['C1 A,,TRUE,,yes,no,3', { mot: { exempt: true }, roadTax: { exempt: true }, outstandingFines: 3 }],
    ['C1 A,,1,,0,1,0', { mot: { exempt: true }, roadTax: { sorn: true } }],
  ])('stores %s', async (row, fields) => {
    expect(await load('compliance', 'c.csv', `${HEADER}\n${row}`)).toMatchObject({ exitCode: 0 });
    expect(await find('C1A')).toMatchObject({ registration: 'C1A', outstandingFines: 0, ...fields });
  });

  it.each([
    ['C2,2026-05-06,yes,2026-07-08,,,0', ['mot_due, mot_exempt: only one']],
    ['C2,,no,,,,0', ['mot_due, mot_exempt: one of them', 'tax_paid_until, tax_exempt, sorn: one of them']],
    ['C2,2026-05-06,,,true,true,0', ['tax_paid_until, tax_exempt, sorn: only one']],
    ['C2,2026-05-06,,2026-07-08,maybe,,0', ['tax_exempt: must be true, false']],
    ['C2,2026-02-30,,2026-07-08,,,', ['mot_due: is not a calendar date', 'outstanding_fines: must be']],
    ['C2,2026-05-06,,2026-07-08,,,-1', ['outstanding_fines: must be']],
    ['C2,2026-05-06', ['too few columns']],
  ])('rejects %s', async (row, reasons) => {
    const { exitCode, path } = await load('compliance', 'c.csv', `${HEADER}\n${row}`);
    expect(exitCode).toBe(1);
    const rejected = { line: 2, row, reasons: reasons.map((reason) => expect.stringContaining(reason)) };
    expect(await rejectedLines(path)).toEqual([rejected]);
    expect(await find('C2')).toBeUndefined();
  });
});

describe('import compliance of NDJSON', () => {
  const record = { mot: { dueDate: '2026-05-06' }, roadTax: { sorn: true }, outstandingFines: 1 };
  const line = (fields: object) => JSON.stringify({ registration: 'C3', ...record, ...fields });

  it('stores the fields of the line', async () => {
    await load('compliance', 'c.ndjson', line({ registration: 'c-3 n' }));
    expect(await find('C3N')).toMatchObject({ registration: 'C3N', ...record });
  });

  it.each<[object, string[]]>([
    [{ mot: {} }, ['mot: must have exactly one of dueDate, exempt']],
    [{ mot: { exempt: false } }, ['mot.exempt: must be true']],
    [{ roadTax: { sorn: true, paidUntil: '2026-01-01' } }, ['roadTax: must have exactly one']],
    [{ roadTax: { sorn: 'yes', note: 1 } }, ['roadTax.note: is not a field', 'roadTax.sorn: must be true']],
    [{ mot: null, outstandingFines: 1.5 }, ['mot: must be an object', 'outstandingFines: must be a whole']],
    [{ outstandingFines: '1' }, ['outstandingFines: must be a whole']],
    [{ registration: undefined }, ['registration: is missing']],
    [{ registration: 'C3\u0000' }, ['registration: may contain only']],
    [{ lastUpdated: '9999-01-01T00:00:00Z' }, ['lastUpdated: must not be more than 24 hours']],
  ])('rejects %j', async (fields, reasons) => {
    const [rejected] = await rejectedLines((await load('compliance', 'c.ndjson', line(fields))).path);
    for (const reason of reasons) expect(rejected?.reasons.join('\n')).toContain(reason);
    expect(await find('C3')).toBeUndefined();
  });

  it('rejects a second line of the same vehicle', async () => {
    const { path } = await load(
      'compliance',
      'c.ndjson',
      `${line({ registration: 'C4' })}\n${line({ registration: 'c 4' })}`,
    );
    expect(await rejectedLines(path)).toMatchObject([{ line: 2, reasons: [expect.stringContaining('on line 1')] }]);
  });
});

describe('The age of an imported compliance record', () => {
  const TIME = '2026-05-01T08:00:00Z';
  const row = 'C5,2026-05-06,,2026-07-08,,,0';
  const json = (fields: object) =>
    JSON.stringify({
      registration: 'C5',
      mot: { exempt: true },
      roadTax: { sorn: true },
      outstandingFines: 0,
      ...fields,
    });

  it.each([
    ['CSV', 'c.csv', `${HEADER},last_updated\n${row},${TIME}`],
    ['NDJSON', 'c.ndjson', json({ lastUpdated: TIME })],
  ])('is that of the file’s own column or field: %s', async (_format, name, text) => {
    await load('compliance', name, text);
    expect((await find('C5'))?.lastUpdated).toBe('2026-05-01T08:00:00.000Z');
  });

  it.each([
    ['a CSV without the column', 'c.csv', `${HEADER}\n${row}`],
    ['a blank cell', 'c.csv', `${HEADER},last_updated\n${row},`],
    ['NDJSON without the field', 'c.ndjson', json({})],
  ])('is the modification time of the file for %s', async (_what, name, text) => {
    const path = await file(name, text);
    await utimes(path, NOW, new Date(TIME));
    await run(['import', 'compliance', path]);
    expect((await find('C5'))?.lastUpdated).toBe('2026-05-01T08:00:00.000Z');
  });

  it('is the time of the import when the file is from the future', async () => {
    const path = await file('c.ndjson', json({}));
    await utimes(path, NOW, new Date('2027-01-01T00:00:00Z'));
    await run(['import', 'compliance', path]);
    expect((await find('C5'))?.lastUpdated).toBe(NOW.toISOString());
  });

  it('is at most 24 hours in the future', async () => {
    const ahead = { lastUpdated: '2026-11-22T12:00:30.000Z' };
    expect(await load('compliance', 'c.ndjson', json(ahead))).toMatchObject({ exitCode: 0 });
    expect(await find('C5')).toMatchObject(ahead);
    const { path } = await load('compliance', 'd.csv', `${HEADER},last_updated\n${row},2026-11-22T12:00:30.001Z`);
    expect(await rejectedLines(path)).toMatchObject([
      { reasons: ['last_updated: must not be more than 24 hours in the future'] },
    ]);
  });

  it('stays unknown for null', async () => {
    await load('compliance', 'c.ndjson', json({ lastUpdated: null }));
    expect(await find('C5')).not.toHaveProperty('lastUpdated');
  });

  it.each(['yesterday', 7])('is rejected when it is %j', async (lastUpdated) => {
    const { exitCode } = await load('compliance', 'c.ndjson', json({ lastUpdated }));
    expect(exitCode).toBe(1);
  });
});
