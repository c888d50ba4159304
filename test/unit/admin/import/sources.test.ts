/** The files of real sources: which part of each vehicle every line becomes. */
import { copyFile, readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ComplianceRecord } from '../../../../core/compliance/compliance-record.ts';
import { aVehicle } from '../../../support/records.ts';
import { failure, useAdmin } from '../../../support/use-admin.ts';

const admin = useAdmin();
const { run, file, clear, store, pathOf, proxy, rejectedLines } = admin;

const [BULK, DELTA, RDW] = ['dvsa-bulk.ndjson', 'dvsa-delta.ndjson', 'rdw.csv'].map(
  (name) => `test/fixtures/sources/${name}`,
) as [string, string, string];

beforeEach(async () => {
  await clear();
  await store('vehicles', ...['SR10AAA', 'SR11AAA', 'SR12AAA', 'SR13AAA'].map((one) => aVehicle(one)));
});

/** Later than what the files say. */
const now = new Date('2026-11-29T12:00:00Z');

const counted = async (...args: string[]) => {
  const { stdout, ...result } = await admin.countedRun(['import', 'mot', ...args, '--json'], { now });
  return { ...result, ...(stdout !== '' && JSON.parse(stdout)) };
};

/** Loads a file of DVSA's, or the lines of one. */
const loadDvsa = async (lines: string | readonly object[], ...options: string[]) => {
  const path = pathOf(typeof lines === 'string' ? basename(lines) : 'lines.json');
  if (typeof lines === 'string') await copyFile(lines, path);
  else await file('lines.json', lines.map((line) => JSON.stringify(line)).join('\n'));
  return { path, ...(await counted(path, '--format', 'dvsa', ...options)) };
};

/** The due dates, by registration; of other parts the whole record. */
const stored = async () => {
  const records = await admin.stored<ComplianceRecord>('compliance');
  return Object.fromEntries(
    records.map((record) => [record.registration, record.mot && 'dueDate' in record.mot ? record.mot.dueDate : record]),
  );
};

const AFTER_BULK = { SR10AAA: '2027-03-10', SR12AAA: '2026-09-01', SR13AAA: '2028-04-11' };

describe('import mot --format dvsa', () => {
  it('loads a bulk file and then a delta file as the sources mean them', async () => {
    expect(await loadDvsa(BULK)).toMatchObject({ exitCode: 0, read: 4, loaded: 3, withoutValue: 1, otherVehicles: 0 });
    expect(await stored()).toEqual(AFTER_BULK);
    const [first, second, third] = await admin.stored<ComplianceRecord>('compliance');
    const times = [first, second, third].map((record) => record?.mot?.lastUpdated);
    expect(times).toEqual(['2026-03-11T00:00:00.000Z', '2026-09-03T02:00:00.000Z', '2026-04-12T00:00:00.000Z']);
    await run(['import', 'tax', await file('tax.csv', 'registration,tax_paid_until\nSR13AAA,2027-01-31\n')]);
    const delta = { exitCode: 0, read: 4, loaded: 1, withoutValue: 1, removed: 1, otherVehicles: 1, rejected: 0 };
    expect(await loadDvsa(DELTA)).toMatchObject(delta);
    const SR13AAA = { registration: 'SR13AAA', roadTax: expect.anything(), revision: expect.anything() };
    expect(await stored()).toEqual({ SR10AAA: '2027-11-26', SR12AAA: '2026-09-01', SR13AAA });
  });

  const passed = (year: number) => ({ testResult: 'PASSED', expiryDate: `${year}-03-01T00:00:00Z` });
  const FAILED = { testResult: 'FAILED', expiryDate: '2028-03-01T00:00:00Z' };
  it.each<[string, object, string | undefined]>([
    ['the last date of a test that was passed', { motTests: [passed(2027), passed(2026), FAILED] }, '2027-03-01'],
    ['the due date without such a test', { motTests: [FAILED], motTestDueDate: '2029-01-01' }, '2029-01-01'],
    ['the test where both are given', { motTests: [passed(2027)], motTestDueDate: '2029-01-01' }, '2027-03-01'],
    ['nothing without any', { motTests: null, motTestDueDate: '', manufactureYear: '2020' }, undefined],
    ['nothing without an expiry date', { motTests: [{ testResult: 'PASSED', expiryDate: null }] }, undefined],
  ])('takes %s', async (_rule, fields, dueDate) => {
    expect(await loadDvsa([{ registration: 'SR10AAA', ...fields }])).toMatchObject({ exitCode: 0 });
    expect(await stored()).toEqual(dueDate === undefined ? {} : { SR10AAA: dueDate });
  });

  it.each([
    ['expiryDate: is not a calendar date', { motTests: [{ testResult: 'PASSED', expiryDate: '2027-02-30' }] }],
    ['motTestDueDate: must be YYYY-MM-DD', { motTestDueDate: '2027' }],
    ['motTests: must be an array', { motTests: {}, motTestDueDate: '2027-01-01' }],
    ['modification: must be CREATED, UPDATED, DELETED', { modification: 'MERGED', motTestDueDate: '2027-01-01' }],
    ['last_update_date: must be a UTC timestamp', { lastUpdateDate: 'soon', motTestDueDate: '2027-01-01' }],
  ])('rejects a line with its reason, and the part that is used of it: %s', async (reason, fields) => {
    const { path, ...counts } = await loadDvsa([{ registration: 'SR10AAA', ...fields, make: 'FORD' }]);
    expect(counts).toMatchObject({ exitCode: 1, rejected: 1, loaded: 0 });
    const [rejected] = await rejectedLines(path);
    expect(rejected?.reasons[0]).toContain(reason);
    expect(rejected?.row).not.toHaveProperty('make');
  });

  it('never takes a later due date back with a line of changes, and names the line', async () => {
    await loadDvsa(BULK);
    const line = { registration: 'SR10AAA', motTests: [{ testResult: 'PASSED', expiryDate: '2027-01-01' }] };
    const { path, ...counts } = await loadDvsa([{ ...line, modification: 'UPDATED' }]);
    expect(counts).toMatchObject({ exitCode: 1, loaded: 0, rejected: 1 });
    const reasons = ['the stored due date is later, and a delta never makes it earlier'];
    expect(await rejectedLines(path)).toMatchObject([{ line: 1, reasons, row: line }]);
    expect(await stored()).toEqual(AFTER_BULK);
    expect(await loadDvsa([line])).toMatchObject({ loaded: 1 });
    expect(await stored()).toMatchObject({ SR10AAA: '2027-01-01' });
  });

  it('removes with --if-newer only what is older than the removal', async () => {
    await loadDvsa(BULK);
    const deleted = { registration: 'SR13AAA', modification: 'DELETED' };
    expect(await loadDvsa([{ ...deleted, lastUpdateDate: '2026-04-12' }], '--if-newer')).toMatchObject({ kept: 1 });
    expect(await loadDvsa([{ ...deleted, lastUpdateDate: '2026-04-13' }], '--if-newer')).toMatchObject({ removed: 1 });
  });

  it('takes a file of any name, compressed or not, with lines of a megabyte, and never as a complete file', async () => {
    const line = JSON.stringify({ registration: 'SR10AAA', motTestDueDate: '2027-01-01', x: 'x'.repeat(999_900) });
    const members = [line, `\n${await readFile(BULK, 'utf8')}`].map((text) => gzipSync(text));
    const path = await file('bulk-light_1.gz', Buffer.concat(members));
    expect(await counted(path, '--format', 'dvsa')).toMatchObject({ read: 5, loaded: 2, rejected: 2 });
    const complete = ['import', 'mot', path, '--format', 'dvsa', '--complete'];
    expect(await run(complete)).toEqual(failure('--complete cannot be combined with --format dvsa'));
  });

  it('keeps a line that cannot be read, also when the file has no vehicle that is stored', async () => {
    const path = await file(
      'lines.json',
      '{"registration":"ZZ99ZZZ","motTestDueDate":"2027-01-01"}\n{"registration":"SR10',
    );
    const result = await counted(path, '--format', 'dvsa', '--unreadable-at-most', '1');
    expect(result).toMatchObject({ exitCode: 1, read: 2, rejected: 1, otherVehicles: 1 });
    expect(await rejectedLines(path)).toHaveLength(1);
  });

  it('refuses a file with a line that is not JSON, or has its registration twice', async () => {
    for (const line of ['{"registration":"SR10AAA"', '{"registration":"SR10AAA","registration":"SR11AAA"}']) {
      const path = await file('bad.json', line);
      expect(await run(['import', 'mot', path, '--format', 'dvsa'])).toEqual(failure('nobody knows whose row it is'));
    }
    const twice = '{"registration":"SR10AAA","motTestDueDate":"2027-01-01","motTestDueDate":"2026-01-01"}';
    expect(await counted(await file('twice.json', twice), '--format', 'dvsa')).toMatchObject({ rejected: 1 });
  });

  it.each([
    ['reads', 3, 0],
    ['a scan', 300, 8],
  ])('finds the vehicles that are stored by %s, of a file with %d lines', async (_way, lines, scans) => {
    await run(['erase', '--registration', 'SR11AAA']);
    proxy().reset();
    const others = Array.from({ length: lines - 2 }, (_, nth) => `SR20${String(nth).padStart(3, '0')}`);
    const given = ['SR10AAA', 'SR11AAA', ...others];
    const due = given.map((registration) => ({ registration, motTestDueDate: '2027-01-01' }));
    expect(await loadDvsa(due)).toMatchObject({ read: lines, loaded: 1, otherVehicles: lines - 1 });
    expect(proxy().calls.filter(({ operation }) => operation === 'Scan')).toHaveLength(scans);
  });
});

it('The open data of RDW is loaded with the names of its columns and its dates, and a blank due date is no part', async () => {
  const path = pathOf('rdw.csv');
  await copyFile(RDW, path);
  const map = ['--map', 'kenteken=registration', '--map', 'vervaldatum_apk=mot_due'];
  expect((await counted(path, ...map)).reasons).toMatchObject([{ advice: '--dates compact reads YYYYMMDD', rows: 2 }]);
  const result = await counted(path, '--dates', 'compact', ...map);
  expect(result).toMatchObject({ exitCode: 0, read: 3, loaded: 2, withoutValue: 1, rejected: 0 });
  expect(await stored()).toEqual({ SR20AA: '2027-05-17', SR21AA: '2026-09-20' });
});
