import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ComplianceRecord } from '../../../../core/compliance/compliance-record.ts';
import { forOperation, onNthCall } from '../../../support/fault-choosers.ts';
import { COMPLIANCE_HEADER } from '../../../support/import-files.ts';
import { useAdmin } from '../../../support/use-admin.ts';

const admin = useAdmin();
const { run, file, clear, pathOf, rejectedLines } = admin;

beforeEach(clear);

const MAY = '2026-05-01T00:00:00.000Z';
const JUNE = '2026-06-01T00:00:00.000Z';

/** Loads the lines of a CSV. @returns the counts */
const load = async (kind: string, lines: readonly string[], ...options: string[]) => {
  const path = await file(`${kind}.csv`, lines.join('\n'));
  const { stdout, ...result } = await run(['import', kind, path, '--json', ...options]);
  return { ...result, path, ...(stdout !== '' && JSON.parse(stdout)) };
};
const loadMot = (rows: readonly string[], ...options: string[]) =>
  load('mot', ['registration,mot_due,last_updated', ...rows], ...options);
const loadTax = (rows: readonly string[], ...options: string[]) =>
  load('tax', ['registration,tax_paid_until,sorn,last_updated', ...rows], ...options);
const loadFines = (rows: readonly string[], ...options: string[]) =>
  load('fines', ['registration,outstanding_fines,last_updated', ...rows], ...options);
const loadCompliance = (rows: readonly string[], ...options: string[]) =>
  load('compliance', [`${COMPLIANCE_HEADER},last_updated`, ...rows], ...options);

/** What is stored of each vehicle, by registration, without what changes with each write. */
const stored = async () => {
  const items = await admin.stored<ComplianceRecord & { revision?: string }>('compliance');
  return Object.fromEntries(items.map(({ registration, revision, ...record }) => [registration, record]));
};

const MOT = { dueDate: '2027-03-14', lastUpdated: MAY };
const TAX = { paidUntil: '2027-01-31', lastUpdated: MAY };
const FINES = { outstanding: 2, lastUpdated: MAY };
const WHOLE = `C1,2027-03-14,,2027-01-31,,,2,${MAY}`;

/** One vehicle with a part from each of three files. */
const loadParts = async () => {
  await loadMot([`C1,2027-03-14,${MAY}`]);
  await loadTax([`C1,2027-01-31,,${MAY}`]);
  await loadFines([`C1,2,${MAY}`]);
};

describe('A file of one part', () => {
  it.each([
    ['mot', { mot: { dueDate: '2027-03-14' } }, { mot: MOT }],
    ['mot', { mot: { exempt: true } }, { mot: { exempt: true, lastUpdated: MAY } }],
    ['tax', { roadTax: { sorn: true } }, { roadTax: { sorn: true, lastUpdated: MAY } }],
    ['fines', { outstandingFines: 2 }, { fines: FINES }],
  ])('may be NDJSON: of %s, %j', async (kind, fields, record) => {
    const line = JSON.stringify({ registration: 'C1', ...fields, lastUpdated: MAY });
    expect(await admin.load(kind, 'part.ndjson', line)).toMatchObject({ exitCode: 0 });
    expect(await stored()).toEqual({ C1: record });
  });

  it('of MOT and tax may have a column for each state, of which a row has exactly one', async () => {
    const mot = await load('mot', ['registration,mot_due,mot_exempt', 'C1,,yes', 'C2,,', 'C3,2027-03-14,Y']);
    expect(mot).toMatchObject({ loaded: 1, rejected: 2, withoutValue: 0 });
    const one = 'mot_due, mot_exempt: one of them must be given';
    const both = 'mot_due, mot_exempt: only one of them may be given';
    expect(await rejectedLines(mot.path)).toMatchObject([{ reasons: [one] }, { reasons: [both] }]);
    const header = 'registration,tax_paid_until,tax_exempt,sorn';
    expect(await load('tax', [header, 'C1,,1,', 'C2,,,'])).toMatchObject({ loaded: 1, rejected: 1, withoutValue: 0 });
    expect(await stored()).toMatchObject({ C1: { mot: { exempt: true }, roadTax: { exempt: true } } });
  });

  it('that leaves a value blank says nothing of the vehicle, which is counted, and is no rejected row', async () => {
    await loadParts();
    expect(await loadMot(['C1,,', 'C2,,'])).toMatchObject({ exitCode: 0, read: 2, withoutValue: 2, rejected: 0 });
    expect(await loadTax(['C1,,N,'])).toMatchObject({ exitCode: 0, withoutValue: 1, rejected: 0 });
    const { stdout } = await admin.load('mot', 'part.ndjson', '{"registration":"C1","mot":null}');
    expect(stdout).toMatch(/rows without a value.*\n +1 +0 +0 +1 +0 /);
    const twice = '{"registration":"C1","mot":{"exempt":true},"mot":null}';
    expect(await admin.load('mot', 'twice.ndjson', twice)).toMatchObject({ exitCode: 1 });
    expect(await loadFines(['C1,,'])).toMatchObject({ withoutValue: 0, rejected: 1 });
    expect(await stored()).toEqual({ C1: { mot: MOT, roadTax: TAX, fines: FINES } });
  });

  it.each([
    ['mot_due,registration', ',AB12CDE', '2027-01-01,AB12CDF'],
    ['registration,mot_due,note', 'AB12CDE,,', '12345,2027-01-01,XY12345'],
  ])('counts as a row of its file when it has no value: %s', async (...lines) => {
    expect(await load('mot', lines)).toMatchObject({ loaded: 1 });
  });

  it('may have a code beside a registration with few characters', async () => {
    expect(await load('mot', ['registration,note,mot_due', '1 ABC,XY12345,'])).toMatchObject({ withoutValue: 1 });
  });

  it('counts with --complete its own parts for the limit, and is refused when no row has a value', async () => {
    const rows = Array.from({ length: 30 }, (_, nth) => `C${nth + 1},2027-03-14,${MAY}`);
    await loadMot(rows);
    await loadTax([`C31,2027-01-31,,${MAY}`]);
    const refused = await loadMot(['C1,,', ...rows.slice(3)], '--complete');
    expect(refused.stderr).toContain('the file lacks 3 of 30 stored records');
    const blank = await loadMot(['C8,,'], '--complete');
    expect(blank.stderr).toContain('no row of the file has a value, and with --complete');
  });
});

describe('A file of compliance', () => {
  const MARK = { fromCompliance: true };

  it('replaces with --if-newer each part that is older', async () => {
    await loadParts();
    await loadMot([`C1,2028-03-14,${JUNE}`]);
    const row = `C1,2027-03-15,,2027-02-01,,,0,${JUNE}`;
    expect(await loadCompliance([row], '--if-newer')).toMatchObject({ loaded: 1, kept: 0 });
    const own = { lastUpdated: JUNE, ...MARK };
    const mot = { dueDate: '2028-03-14', lastUpdated: JUNE };
    expect(await stored()).toEqual({
      C1: { mot, roadTax: { paidUntil: '2027-02-01', ...own }, fines: { outstanding: 0, ...own } },
    });
    expect(await loadCompliance([row], '--if-newer')).toMatchObject({ loaded: 0, kept: 1 });
  });

  it('counts as loaded when it has replaced some of the parts, and the response to that is lost', async () => {
    await loadMot([`C1,2028-03-14,${JUNE}`]);
    const path = await file('c.csv', `${COMPLIANCE_HEADER},last_updated\n${WHOLE}\n`);
    admin.proxy().inject(forOperation('PutItem', onNthCall(1, 'resetAfter')));
    const { stdout } = await admin.countedRun(['import', 'compliance', path, '--if-newer', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ loaded: 1, kept: 0 });
  });

  it('counts with --complete only what such a file has loaded last', async () => {
    await loadCompliance([WHOLE, WHOLE.replace('C1', 'C2'), WHOLE.replace('C1', 'C3')]);
    await loadMot([`C2,2027-03-14,${MAY}`, `C4,2027-03-14,${MAY}`]);
    expect((await loadCompliance([WHOLE], '--complete')).stderr).toContain('the file lacks 2 of 3 stored records');
    const options = ['--complete', '--remove-at-most=2'];
    expect(await loadCompliance([WHOLE], ...options, '--dry-run')).toMatchObject({ unchanged: 1, removed: 2 });
  });
});

/** Removals of a part, erasures and whole exports: test/races/stored-records-model.test.ts. */
describe('What is stored of several parts', () => {
  it('is as it was after --restore: what the export lacks goes, and a second time nothing changes', async () => {
    await loadMot([`C1,2027-03-14,${MAY}`]);
    const path = pathOf('export.ndjson');
    await run(['export', 'compliance', path]);
    await loadTax([`C1,2027-01-31,,${MAY}`]);
    const restore = ['import', 'compliance', path, '--restore'];
    expect(await admin.json(restore)).toMatchObject({ loaded: 1, rejected: 0 });
    expect(await stored()).toEqual({ C1: { mot: MOT } });
    expect(await admin.json(restore)).toMatchObject({ loaded: 0, unchanged: 1 });
  });

  it('is restored with --if-newer part by part, and keeps the parts that the export lacks', async () => {
    await loadMot([`C1,2027-03-14,${JUNE}`]);
    await loadTax([`C1,2027-01-31,,${MAY}`]);
    const line = { registration: 'C1', mot: { exempt: true, lastUpdated: MAY }, fines: FINES };
    await admin.load('compliance', 'export.ndjson', JSON.stringify(line), '--restore', '--if-newer');
    expect(await stored()).toEqual({ C1: { mot: { ...MOT, lastUpdated: JUNE }, roadTax: TAX, fines: FINES } });
  });
});
