import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ComplianceRecord } from '../../../core/compliance/compliance-record.ts';
import type { IntakeEntry } from '../../../core/stage/intake-entry.ts';
import { COMPLIANCE_HEADER, complianceLine, vehicleRow, vehiclesCsv } from '../../support/import-files.ts';
import { aPolicy, aVehicle } from '../../support/records.ts';
import { failure, NOW, runAdminCommand, useAdmin } from '../../support/use-admin.ts';
import { metricsOf, tableOutputs, useAwsServer } from '../../support/use-aws-server.ts';
import { useBucket } from './bucket-server.ts';

/** A time so many minutes ago. */
const ago = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000);
const DAY = 24 * 60;

const CHANGES: IntakeEntry = { prefix: 'updates/acme/', import: 'vehicles', supplier: 'acme', expect: '7d' };
const COMPLETE: IntakeEntry = { ...CHANGES, prefix: 'vehicles/acme/', expect: '26h', complete: true };
const COMPLIANCE: IntakeEntry = { prefix: 'compliance/', import: 'compliance', expect: '2d' };

const { engine, proxy, atCall, file, pathOf, run, store, stored, registrations, clear } = useAdmin();
const aws = useAwsServer();
const bucket = useBucket();

beforeAll(() => {
  Object.assign(process.env, aws.environmentWith(proxy().endpoint), { AWS_ENDPOINT_URL_S3: bucket.endpoint() });
});
beforeEach(async () => {
  aws.messages.length = 0;
  aws.published.length = 0;
  await clear();
});

const csv = (...registrations: string[]): string =>
  vehiclesCsv(...registrations.map((registration) => vehicleRow({ registration })));

const ACME = ['vehicles', '--supplier', 'acme'];

const STACK = ['--stack', 'stack', '--region', 'eu-west-2', '--yes', 'stack'];

const onStack = (...args: string[]) => runAdminCommand([...args, ...STACK], engine().names, { folder: pathOf() });

/** The command that a person runs, on a stack with these entries. */
const byHand = async (entries: readonly IntakeEntry[], whose = ACME, options: readonly string[] = []) => {
  const setting = { bucket: 'files', topic: 'arn:topic', namespace: 'Test', entries };
  aws.stacks.stack = {
    ...tableOutputs(engine().names),
    KeepsData: 'yes',
    IntakeSettings: JSON.stringify(setting),
    ImportMetrics: 'ByHand',
  };
  const result = await onStack('intake', ...whose, ...options);
  const logged = result.stderr.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const lines = logged.filter(({ outcome }) => outcome !== undefined);
  return { ...result, logged, lines, outcomes: lines.map(({ outcome }) => outcome) };
};

/** The command of a build, without `--json`. */
const build = (entries: readonly IntakeEntry[], whose = ACME, options: readonly string[] = []) =>
  byHand(entries, whose, ['--in-build', ...options]);

const NOTHING = { exitCode: 0, outcomes: [] };

/** Puts a file under the prefix of an entry. @returns its version */
const put = (entry: IntakeEntry, name: string, minutes: number, ...registrations: string[]): string =>
  bucket.add(entry.prefix + name, csv(...registrations), ago(minutes));

const reportOf = (name: string, version: string, { prefix } = COMPLETE): string =>
  `reports/${prefix}${createHash('sha256')
    .update(prefix + name)
    .digest('hex')
    .slice(0, 32)}@${version}/`;
const summaryOf = (name: string, version: string, entry = COMPLETE) =>
  JSON.parse(bucket.textOf(`${reportOf(name, version, entry)}summary.json`) ?? 'null');
/** The parts of reports that were put, in order. */
const reports = () => bucket.puts.filter((key) => key.startsWith('reports/'));

describe('A build', () => {
  it('loads what waits, oldest first, and writes the summary last', async () => {
    const second = put(CHANGES, 'a.csv', 1, 'AB12CDE', 'LKW');
    const rows = csv('AB12CDF') + vehicleRow({ registration: 'X1', year: 'x' });
    const first = bucket.add('updates/acme/b.csv', rows, ago(2));
    expect(await build([CHANGES])).toMatchObject({ exitCode: 0, outcomes: ['loaded', 'loaded'] });
    expect(await registrations()).toEqual(['AB12CDE', 'AB12CDF', 'LKW']);
    const [older, newer] = [reportOf('b.csv', first, CHANGES), reportOf('a.csv', second, CHANGES)];
    expect(reports()).toEqual([`${older}rejected.csv`, `${older}summary.json`, `${newer}summary.json`]);
    const file = { name: 'updates/acme/b.csv', version: first, lastModified: ago(2).toISOString() };
    const counts = { outcome: 'loaded', kind: 'vehicles', read: 2, loaded: 1, rejected: 1, notices: [] };
    expect(summaryOf('b.csv', first, CHANGES)).toMatchObject({ ...file, ...counts });
    expect(bucket.textOf(`${older}rejected.csv`)).toContain('X1,Ford');
  });

  it('counts for the alarms and the sources of answers as a load by hand does, until everything is removed', async () => {
    const entries = ['sent', 'given', 'late'].map((supplier) => ({ ...CHANGES, prefix: `${supplier}/`, supplier }));
    bucket.add('sent/a.csv', csv('AB12CDE'), ago(1));
    await build(entries, ['vehicles', '--supplier', 'sent']);
    await onStack('import', 'vehicles', await file('a.csv', csv('AB12CDF')), '--supplier', 'given');
    const sources = async () => JSON.parse((await onStack('lookup', 'NONE', '--json')).stdout).answers;
    const error = { code: 'VEHICLE_NOT_FOUND', sources: { expected: 3, current: 2 } };
    expect(await sources()).toMatchObject({ insurance: { error }, compliance: { error } });
    expect((await onStack('lookup', 'NONE')).stdout).toContain('\nsources       2 of 3 suppliers are current\n');
    const MetricData = { VehiclesLoaded: 1, BecameInsured: 1, NoLongerInsured: 0 };
    const published = [
      { Namespace: 'Test', MetricData: metricsOf('sent', MetricData) },
      { Namespace: 'ByHand', MetricData: metricsOf('given', MetricData) },
    ];
    expect(aws.published).toEqual(published);
    await onStack('remove', 'vehicles', '--all', '--supplier', 'given');
    expect(await sources()).toMatchObject({ insurance: { error: { sources: { current: 1 } } } });
    expect(aws.published).toEqual(published);
  });

  it('loads a file that comes while another is loaded, and the new version of one that is replaced', async () => {
    const first = put(CHANGES, 'a.csv', 3, 'AB12CDE');
    bucket.onDownload((key) => {
      if (key !== 'updates/acme/a.csv') return;
      bucket.onDownload(undefined);
      put(CHANGES, 'a.csv', 2, 'AB12CDF');
      put(CHANGES, 'b.csv', 1, 'AB12CDG');
    });
    expect(await build([CHANGES])).toMatchObject({ outcomes: ['loaded', 'loaded', 'loaded'] });
    expect(await registrations()).toEqual(['AB12CDE', 'AB12CDF', 'AB12CDG']);
    expect(summaryOf('a.csv', first, CHANGES)).toMatchObject({ outcome: 'loaded' });
  });

  it('loads only its own kind and supplier side by side with the others, at its share of the read units', async () => {
    const entries = ['s0', 's1', 's2'].map((supplier) => ({ ...COMPLETE, prefix: `${supplier}/`, supplier }));
    for (const entry of entries) put(entry, 'a.csv', 1, entry.supplier);
    bucket.add('s0/bad.csv', '"', ago(0));
    const builds = await Promise.all(
      entries.map(({ supplier }) => build(entries, ['vehicles', '--supplier', supplier])),
    );
    expect(builds.map(({ outcomes }) => outcomes)).toEqual([['refused', 'loaded'], ['loaded'], ['loaded']]);
    expect(await registrations()).toEqual(['S0', 'S1', 'S2']);
    const scans = proxy().calls.filter(({ operation }) => operation === 'Scan');
    // A tenth of a second of the 3,000 units that three complete entries share.
    expect(new Set(scans.map(({ body }) => JSON.parse(body).Limit))).toEqual(new Set([100]));
  });

  it('loads compressed files of any name, with their reports, until they have more than maxGigabytes unpacked', async () => {
    const rows = (...registrations: string[]) => csv(...registrations) + vehicleRow({ registration: 'X1', year: 'x' });
    bucket.add('updates/acme/a.csv.gz', gzipSync(rows('AB12CDE').replace('registration', 'Kfz')), ago(3));
    bucket.add('updates/acme/b.JSONL.GZ', gzipSync(JSON.stringify(aVehicle('AB12CDF'))), ago(2));
    const many = csv(...Array.from({ length: 1_000 }, (_, nth) => `AB12C${nth}`));
    const version = bucket.add('updates/acme/c.csv.gz', gzipSync(many), ago(1));
    const entry = { ...CHANGES, map: ['Kfz=registration'], maxGigabytes: 1e-5 };
    expect(await build([entry])).toMatchObject({ outcomes: ['loaded', 'loaded', 'refused'] });
    expect(await registrations()).toEqual(['AB12CDE', 'AB12CDF']);
    expect(reports()[0]).toMatch(/\/rejected\.csv$/);
    const tooLarge =
      'it has more than 0.00001 GB, unpacked, the maxGigabytes of its entry; nothing was changed: file.csv.gz';
    expect(summaryOf('c.csv.gz', version, CHANGES)).toMatchObject({ reason: tooLarge });
  });

  it('ignores and counts every object whose name does not end as a file’s, and leaves files of 29 days alone', async () => {
    for (const name of ['a.csv.md5', '_SUCCESS', 'a.csv.zip', 'a.tar.gz', '']) put(COMPLETE, name, 0);
    put(COMPLETE, 'old.csv', 29 * DAY, 'AB12CDF');
    put(COMPLETE, 'a.csv', 1, 'AB12CDE');
    const stdout = expect.stringContaining('other objects ignored: 5\n');
    expect(await build([COMPLETE])).toMatchObject({ outcomes: ['loaded'], stdout });
  });

  it.each([
    'with blanks & + 100%.csv',
    'Kfz-Übersicht 車両.csv',
    '../../escape.csv',
    'tab\tand\u0001control.csv',
    `${'n'.repeat(1_024 - COMPLETE.prefix.length - 4)}.csv`,
  ])('loads a file with any name, once: %#', async (name) => {
    const version = put(COMPLETE, name, 1, 'AB12CDE');
    expect(await build([COMPLETE])).toMatchObject({ outcomes: ['loaded'] });
    expect(summaryOf(name, version)).toMatchObject({ name: COMPLETE.prefix + name, outcome: 'loaded' });
    expect(await build([COMPLETE])).toMatchObject(NOTHING);
  });

  it('has figures of the file alone in the report: two files tell nothing of what others have supplied or what was erased', async () => {
    const policies = Array.from({ length: 20 }, (_, nth) => aPolicy({ number: `Z${nth}` }));
    await store('vehicles', aVehicle('AB12CDE', policies), aVehicle('AB12CDF'), { registration: 'BAD1' });
    put(COMPLETE, 'a.csv', 3, 'AB12CDG', 'AB12CDH', 'AB12CDJ');
    await build([COMPLETE]);
    await run(['erase', '--registration', 'AB12CDG']);
    // AB12CDE has no room for a policy, AB12CDF is insured already, AB12CDG is erased, AB12CDH goes, and BAD1 is
    // damaged.
    const version = put(COMPLETE, 'b.csv', 2, 'AB12CDE', 'AB12CDF', 'AB12CDG', 'AB12CDJ');
    const { lines } = await build([COMPLETE]);
    const figures = { read: 4, loaded: 4, repeated: 0, rejected: 0 };
    const { name, version: _, lastModified, bytes, ...told } = summaryOf('b.csv', version);
    const unknownFormat = { count: 0, first: [] };
    expect(told).toEqual({ outcome: 'loaded', kind: 'vehicles', ...figures, unknownFormat, reasons: [], notices: [] });
    expect(lines).toMatchObject([{ notLoaded: 1, removed: 1, becameInsured: 0, noLongerInsured: 1 }]);
    for (const count of ['erased', 'unchanged']) expect(lines[0]).not.toHaveProperty(count);
    expect(reports().at(-1)).toBe(`${reportOf('b.csv', version)}summary.json`);
    expect(bucket.textOf(`changes/${lines[0]?.load}/not-loaded.txt`)).toBe('AB12CDE\n');
  });

  it('puts what it changes before its writes, where undo finds it, and no supplier', async () => {
    put(COMPLETE, 'a.csv', 3, 'AB12CDE');
    await build([COMPLETE]);
    const before = await stored();
    bucket.add(`${COMPLETE.prefix}b.csv`, csv('AB12CDE', 'AB12CDF').replaceAll('P-1', 'WRONG'), ago(2));
    let atWrite: readonly string[] = [];
    atCall(1, 'PutItem', () => {
      atWrite = bucket.puts.filter((key) => key.startsWith('changes/'));
    });
    const { lines } = await build([COMPLETE]);
    const [{ load }] = lines;
    const key = `changes/${load}/000001.ndjson`;
    expect(atWrite.at(-1)).toBe(key);
    await mkdir(pathOf('load'));
    await writeFile(pathOf('load', '000001.ndjson'), bucket.textOf(key) ?? '');
    const undone = await onStack('undo', pathOf('load'), '--json');
    expect(JSON.parse(undone.stdout)).toMatchObject({ putBack: 2 });
    const withoutRevision = (one: object) => ({ ...one, revision: '' });
    expect((await stored()).map(withoutRevision)).toEqual(before.map(withoutRevision));
  });

  it('leaves copies of a vehicle that is erased later, which erase names', async () => {
    for (const [nth, registration] of ['AB12CDE', 'AB12CDF', 'AB12CDE'].entries()) {
      put(CHANGES, `${nth}.csv`, 9 - nth, registration, `X${nth}`);
    }
    const { lines } = await build([CHANGES]);
    const keyOf = (nth: number) => `changes/${lines[nth]?.load}/000001.ndjson`;
    const erased = await onStack('erase', '--registration', 'ab12 cde', 'X2', '--json');
    expect(JSON.parse(erased.stdout)).toMatchObject({ erased: 2, copies: [keyOf(0), keyOf(2)].toSorted() });
    const again = await onStack('erase', '--registration', 'AB12CDF');
    expect(again.stderr).toContain(`until it expires 14 days after the load, in\n${keyOf(1)}\n`);
    const none = await onStack('erase', '--registration', 'AB12', '--json');
    expect(JSON.parse(none.stdout)).toMatchObject({ notThere: 1, copies: [] });
  });

  const FAILS = 'S3 answered with InvalidRequest';
  const STOPPED = 'it was stopped by Ctrl-C';
  it.each<[when: string, why: string, found: object, ...options: string[]]>([
    ['S3 fails', FAILS, { exitCode: 1, erased: 2, interrupted: false }],
    ['S3 fails', FAILS, { exitCode: 1, erased: 2, interrupted: false, dryRun: true }, '--dry-run'],
    ['Ctrl-C comes in the search', STOPPED, { exitCode: 130, erased: 2, interrupted: true }],
    ['Ctrl-C comes before', STOPPED, { exitCode: 130, interrupted: true }],
  ])('leaves copies that erase may not find, which it says beside its result: %s %s', async (...row) => {
    const [when, why, found, ...options] = row;
    await store('vehicles', aVehicle('AB12CDE'), aVehicle('AB12CDF'));
    await byHand([CHANGES]);
    const error = why === FAILS ? { error: 'InvalidRequest' } : {};
    for (let nth = 0; nth < 20; nth += 1) {
      bucket.add(`changes/a/${nth}.ndjson`, '{"registration":"AB12CDE"}', ago(1), error);
    }
    const interruption = new AbortController();
    const { signal } = interruption;
    if (when === 'Ctrl-C comes in the search') bucket.onDownload(() => interruption.abort());
    if (when === 'Ctrl-C comes before') atCall(1, 'BatchGetItem', () => interruption.abort());
    const args = ['erase', '--registration', 'AB12CDE', 'AB12CDF', ...options, '--json', ...STACK];
    const { exitCode, stdout, stderr } = await runAdminCommand(args, engine().names, { folder: pathOf(), signal });
    const notice = `What loads have changed was not searched to the end for copies: ${why}; the same command searches again.`;
    expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({ ...found, copies: null });
    expect(JSON.parse(stderr)).toEqual({ notice });
  });
});

describe('The order of files', () => {
  const LATE = 'complete A 6, complete B 4, changes D 3';
  /** Puts files such as `complete A 2`: of that entry, with the vehicle A, 2 minutes ago. BAD is refused. */
  const putAll = (files: string) => {
    for (const [, entry, vehicle = '', minutes] of files.matchAll(/(\w+) (\w+) (\d)/g)) {
      const of = entry === 'complete' ? COMPLETE : CHANGES;
      if (vehicle === 'BAD') bucket.add(`${of.prefix}BAD.csv`, '"', ago(Number(minutes)));
      else put(of, `${vehicle}.csv`, Number(minutes), vehicle);
    }
  };

  it.each([
    ['begins with the newest complete file', '', 'complete A 2, complete B 1', 'loaded superseded', 'B'],
    ['comes to an older one when that is refused', '', 'complete A 2, complete BAD 1', 'refused loaded', 'A'],
    ['comes to it after an earlier build, too', 'complete BAD 1', 'complete A 2', 'loaded', 'A'],
    ['is one for all entries', '', 'changes A 3, complete B 2, changes C 1', 'loaded refused loaded', 'B C'],
    ['has two complete files of one second by name', '', 'complete A 1, complete B 1', 'loaded superseded', 'B'],
    ['has them by name after an earlier build, too', 'complete B 1', 'complete A 1', 'superseded', 'B'],
    ['has a place for late files', 'complete C 5, changes E 2', LATE, 'superseded refused refused', 'C E'],
  ])('%s, so that no older data is put over newer', async (_title, earlier, waiting, outcomes, vehicles) => {
    putAll(earlier);
    await build([CHANGES, COMPLETE]);
    putAll(waiting);
    expect(await build([CHANGES, COMPLETE])).toMatchObject({ outcomes: outcomes.split(' ') });
    expect(await registrations()).toEqual(vehicles.split(' '));
  });

  it('is kept by an object that names the last loaded file, and a report says why a file is not loaded', async () => {
    const old = put(CHANGES, 'a.csv', 2, 'AB12CDE');
    const version = put(COMPLETE, 'b.csv', 1, 'AB12CDF');
    await build([CHANGES, COMPLETE]);
    const reason = 'it is older than the last loaded file of its kind and supplier';
    expect(summaryOf('a.csv', old, CHANGES)).toMatchObject({ outcome: 'refused', reason });
    const time = ago(1).toISOString();
    const place = { name: 'vehicles/acme/b.csv', lastModified: time };
    const last = { ...place, version, lastComplete: place };
    expect(JSON.parse(bucket.textOf('control/loaded/vehicles/acme') ?? '')).toEqual(last);
  });

  it('stays when a load fails, which names no file of the supplier: no correction is loaded before what it corrects', async () => {
    put(COMPLETE, 'AB12CDE.csv', 2, 'AB12CDE');
    put(CHANGES, 'b.csv', 1, 'AB12CDF');
    const withoutTable = ['--tables', 'vehicles=missing'];
    const failed = await build([CHANGES, COMPLETE], ACME, withoutTable);
    expect(failed).toMatchObject(failure('vehicles/acme/: a table is missing in the stack stack in eu-west-2'));
    expect(failed.stderr).not.toContain('AB12CDE');
    expect(bucket.puts).toEqual([]);
    expect(await build([CHANGES, COMPLETE])).toMatchObject({ outcomes: ['loaded', 'loaded'] });
    expect(await registrations()).toEqual(['AB12CDE', 'AB12CDF']);
  });

  it.each(['S3', 'SNS'])('stays when %s fails, which the message names in place of the database', async (service) => {
    const error = { status: 400, code: 'OtherException', message: '' };
    bucket.add('vehicles/acme/a.csv', '', ago(1), service === 'S3' ? { error: error.code } : {});
    if (service === 'SNS') aws.failWith(error);
    expect(await build([COMPLETE])).toMatchObject(failure(`error: ${service} answered with OtherException\n`));
    aws.failWith(undefined);
  });

  it('loads no older file after a crash between the last write and the object that names it', async () => {
    put(COMPLETE, 'new.csv', 1, 'AB12CDF');
    // From the write on nothing reaches the bucket, and the file is then taken out.
    atCall(1, 'PutItem', () => bucket.refusePuts(true));
    expect(await build([COMPLETE])).toMatchObject({ exitCode: 2 });
    expect(await registrations()).toEqual(['AB12CDF']);
    bucket.refusePuts(false);
    bucket.remove('vehicles/acme/new.csv');
    put(COMPLETE, 'old.csv', 2, 'AB12CDE');
    expect(await build([COMPLETE])).toMatchObject({ outcomes: ['superseded'] });
    expect(await registrations()).toEqual(['AB12CDF']);
  });

  it('stops while the last loaded file is not known', async () => {
    bucket.add('control/loaded/vehicles/acme', '{"lastModified":"?"}', ago(5));
    put(COMPLETE, 'a.csv', 2, 'AB12CDE');
    expect(await build([COMPLETE])).toMatchObject(failure('control/loaded/vehicles/acme in the bucket is damaged'));
    expect(await registrations()).toEqual([]);
  });
});

describe('Files of compliance and of its parts', () => {
  const MOT: IntakeEntry = { prefix: 'mot/', import: 'mot', expect: '2d' };
  const putMot = (name: string, minutes: number, due: string) =>
    bucket.add(`mot/${name}.csv`, `registration,mot_due\nAB12CDE,${due}\n`, ago(minutes));
  const putCompliance = (name: string, minutes: number) =>
    bucket.add(`compliance/${name}.ndjson`, complianceLine({ registration: 'AB12CDE' }), ago(minutes));
  const dueDates = async () =>
    (await stored<ComplianceRecord>('compliance')).map(({ mot }) => mot && 'dueDate' in mot && mot.dueDate);

  it.each(['mot', 'compliance'])('are in one order and loaded by one build, also when %s is named', async (kind) => {
    putMot('a', 4, '2027-01-01');
    putCompliance('b', 3);
    putMot('c', 2, '2028-01-01');
    const inOrder = ['mot/', 'compliance/', 'mot/'];
    const { lines } = await build([MOT, COMPLIANCE], [kind]);
    expect(lines.map(({ entry, outcome }) => `${outcome} ${entry}`)).toEqual(inOrder.map((entry) => `loaded ${entry}`));
    expect(await dueDates()).toEqual(['2028-01-01']);
    putCompliance('late', 3);
    expect(await build([MOT, COMPLIANCE], [kind])).toMatchObject({ outcomes: ['refused'] });
    putCompliance('new', 1);
    await build([MOT, COMPLIANCE], [kind]);
    putMot('late', 2, '2027-01-01');
    expect(await build([MOT, COMPLIANCE], [kind])).toMatchObject({ outcomes: ['refused'] });
  });

  it('of DVSA have any name, the same report whether a vehicle is stored or not, and reasons for operators only', async () => {
    await store('vehicles', aVehicle('AB12CDE'), aVehicle('AB12CDF'));
    const entry = { ...MOT, format: 'dvsa' };
    const linesOf = (wrong: string, deleted: string) =>
      [
        { registration: wrong, motTestDueDate: 'x' },
        { registration: deleted, modification: 'DELETED' },
      ].map((line) => JSON.stringify(line));
    const ofStored = bucket.add('mot/stored.ndjson', linesOf('AB12CDE', 'AB12CDF').join('\n'), ago(2));
    const ofOthers = bucket.add('mot/others.ndjson', linesOf('AB12CDG', 'AB12CDH').join('\n'), ago(1));
    const due = ['AB12CDF', 'AB12CDG'].map((one) => `{"registration":"${one}","motTestDueDate":"2027-01-01"}`);
    bucket.add('mot/bulk-light_1.gz', gzipSync(due.join('\n')), ago(0));
    bucket.add('mot/readme.txt', 'x', ago(0));
    const { lines, outcomes } = await build([entry], ['mot']);
    expect(outcomes).toEqual(['loaded', 'loaded', 'loaded']);
    expect(await dueDates()).toEqual(['2027-01-01']);
    expect(aws.published.at(-1)).toMatchObject({ MetricData: [{ MetricName: 'MotLoaded', Value: 2 }] });
    const figures = { bytes: 99, outcome: 'loaded', kind: 'mot', read: 2, loaded: 2, notices: [] };
    for (const [name, version] of [['stored', ofStored] as const, ['others', ofOthers] as const]) {
      const { lastModified, name: _, version: __, ...summary } = summaryOf(`${name}.ndjson`, version, entry);
      expect(summary).toEqual(figures);
    }
    expect(reports().filter((key) => key.includes('rejected'))).toEqual([]);
    const rejected = `changes/${lines[0]?.load}/rejected.ndjson`;
    expect(bucket.textOf(rejected)).toContain('motTestDueDate');
    const erased = await onStack('erase', '--registration', 'AB12CDE', '--json');
    expect(JSON.parse(erased.stdout)).toMatchObject({ copies: [rejected] });
  });

  it.each([
    '{"registration":"ab12 cde","motTestDueDate":"x"}',
    '{"registration" : "AB12CDE","motTestDueDate":"x","motTestDueDate":"x"}',
    '{"registration":"AB12-CDE","motTestDueDa',
  ])('of DVSA leave rejected lines that erase names, however the registration is written: %s', async (line) => {
    await store('vehicles', aVehicle('AB12CDE'), aVehicle('AB12CDF'));
    bucket.add('mot/a.ndjson', `{"registration":"AB12CDF","motTestDueDate":"2027-01-01"}\n${line}`, ago(1));
    await build([{ ...MOT, format: 'dvsa', unreadableAtMost: '1' }], ['mot']);
    const copies = bucket.puts.filter((key) => key.endsWith('/rejected.ndjson'));
    expect(copies).toHaveLength(1);
    const erased = await onStack('erase', '--registration', 'AB12CDE', '--json');
    expect(JSON.parse(erased.stdout)).toMatchObject({ copies });
  });
});

describe('A refused file', () => {
  const messageOf = (reason: string, report: string, figures = '') => ({
    topic: 'arn:topic',
    message: `A file under vehicles/acme/ was refused: ${reason}.\nReport: ${report.replace(/\/$/, '')}${figures}`,
  });

  it.each([
    ['an empty one', '', /is empty/],
    ['one without rows', csv(), /no rows/],
    ['one without the columns', `${COMPLIANCE_HEADER}\n`, /column/],
    ['one of which every row is rejected', csv('AB12CDE').replace('2019', 'x'), /^every row was rejected$/],
  ])('has the reason in its report and is not tried again: %s', async (_what, content, reason) => {
    const version = bucket.add('vehicles/acme/a.csv', content, ago(1));
    expect(await build([COMPLETE])).toMatchObject({ exitCode: 0, outcomes: ['refused'] });
    expect(summaryOf('a.csv', version)).toMatchObject({ outcome: 'refused', reason: expect.stringMatching(reason) });
    expect(await build([COMPLETE])).toMatchObject(NOTHING);
  });

  it.each(['AccessDenied', 'InvalidObjectState', 'InvalidRequest', 'KMS.DisabledException'])(
    'may be one that cannot be read, and the next one is loaded: %s',
    async (error) => {
      bucket.add('vehicles/acme/a.csv', 'x', ago(1), { error });
      put(COMPLETE, 'b.csv', 2, 'AB12CDE');
      const refused = { outcome: 'refused', reason: expect.stringMatching(/^it cannot be read/) };
      expect(await build([COMPLETE])).toMatchObject({ lines: [refused, { outcome: 'loaded' }] });
    },
  );

  it.each([
    [undefined, 5e9],
    [0.5, 0.5e9],
  ])('may be one above maxGigabytes, which is not downloaded: %p', async (maxGigabytes, most) => {
    const entry = { ...COMPLETE, ...(maxGigabytes && { maxGigabytes }) };
    bucket.add('vehicles/acme/a.csv', csv('AB12CDE'), ago(2), { bytes: most });
    bucket.add('vehicles/acme/b.csv', '', ago(1), { bytes: most + 1, error: 'SlowDown' });
    expect(await build([entry])).toMatchObject({ outcomes: ['loaded', 'refused'] });
  });

  it('changes nothing when all of its rows are rejected, and the right file before it is loaded', async () => {
    const wanted = Array.from({ length: 21 }, (_, nth) => `AB${10 + nth}CDE`);
    put(COMPLETE, 'a.csv', 4, ...wanted, 'KR08NIL');
    await build([COMPLETE]);
    put(COMPLETE, 'right.csv', 2, ...wanted, 'KR08NIL', 'KR09NIL');
    bucket.add('vehicles/acme/wrong.csv', csv(...wanted).replaceAll('2026-01-01', '01/01/2026'), ago(1));
    expect(await build([COMPLETE])).toMatchObject({ exitCode: 0, outcomes: ['refused', 'loaded'] });
    expect(aws.messages).toHaveLength(1);
    expect(await registrations()).toEqual([...wanted, 'KR08NIL', 'KR09NIL']);
  });

  it('says in the log, and not in the report, that CloudWatch did not get its figures', async () => {
    const version = put(COMPLETE, 'a.csv', 1, 'AB12CDE');
    aws.failWith({ status: 403, code: 'AccessDenied', message: 'not authorized to perform: cloudwatch:PutMetricData' });
    const { stderr } = await build([COMPLETE]);
    aws.failWith(undefined);
    expect(stderr).toContain('the alarms NoImport and NothingLoaded do not know it');
    expect(summaryOf('a.csv', version)).toMatchObject({ outcome: 'loaded', notices: [] });
  });

  it('whose load fails in the middle has the id of that load in the log, beside the id of its repetition', async () => {
    put(COMPLETE, 'a.csv', 1, 'AB12CDE', 'AB12CDF');
    atCall(2, 'PutItem', () => bucket.refusePuts(true));
    const failed = await build([COMPLETE]);
    bucket.refusePuts(false);
    const repeated = await build([COMPLETE]);
    const loads = [...failed.logged, ...repeated.logged].map(({ load }) => load);
    expect(loads).toStrictEqual([expect.any(String), loads[1], loads[1]]);
    expect(loads[0]).not.toBe(loads[1]);
  });

  const THREE = csv('AB12CDE', 'AB12CDF', 'AB12CDG');
  const LACKS = 'it lacks more stored records than removeAtMost allows';
  const LACKED = [/^the file lacks 2 of 3 stored records.*are in missing\.txt\n$/, /^AB12CDF\nAB12CDG\n$/];
  const LOSES = 'more vehicles would no longer be insured than loseCoverAtMost allows';
  const LOST = [/^3 of 3 vehicles .* such as AB12CDE, AB12CDF, AB12CDG, more than the 1 of/];
  it.each([
    [LACKS, csv('AB12CDE'), LACKED],
    [LOSES, THREE.replaceAll('2026-12-31', '2026-02-01'), LOST],
  ])('has no registrations and figures in report and message, but where no supplier reads them: %s', async (...row) => {
    const [reason, text, expected] = row;
    bucket.add('vehicles/acme/a.csv', THREE, ago(2));
    await build([COMPLETE]);
    const version = bucket.add('vehicles/acme/b.csv', text, ago(1));
    const { lines, exitCode } = await build([COMPLETE]);
    expect({ exitCode, reason: summaryOf('b.csv', version).reason }).toEqual({ exitCode: 0, reason });
    const told = [aws.messages, lines, reports().map((key) => bucket.textOf(key))];
    expect(JSON.stringify(told)).not.toMatch(/AB12CD|[23] of/);
    const figures = bucket.puts.filter((key) => /^changes\/[^/]+\/\w+\.txt$/.test(key));
    expect(figures.map(bucket.textOf)).toEqual(expected.map((one) => expect.stringMatching(one)));
    expect(aws.messages).toEqual([messageOf(reason, reportOf('b.csv', version), `\nFigures: ${figures[0]}`)]);
    expect(await registrations()).toHaveLength(3);
  });

  it('has no report until its message was sent, which has no text of the supplier', async () => {
    const version = bucket.add('vehicles/acme/AB12CDE.csv', 'AB12CDE,Ford\n', ago(1));
    process.env.AWS_ENDPOINT_URL_SNS = 'http://127.0.0.1:9';
    expect(await build([COMPLETE])).toMatchObject({ exitCode: 2, outcomes: [] });
    process.env.AWS_ENDPOINT_URL_SNS = aws.endpoint;
    expect(await build([COMPLETE])).toMatchObject({ exitCode: 0, outcomes: ['refused'] });
    const reason = 'its content is not accepted; the report says why';
    expect(aws.messages).toEqual([messageOf(reason, reportOf('AB12CDE.csv', version))]);
  });
});

describe('By hand', () => {
  it('only starts a build, by an object that no build takes for a file: a supplier’s loads are never two at a time', async () => {
    put(COMPLETE, 'a.csv', 1, 'AB12CDE');
    const warn = jest.spyOn(console, 'warn');
    const stdout = 'A build loads the waiting files of vehicles of acme: a new one, unless one runs.\n';
    expect(await byHand([CHANGES, COMPLETE])).toMatchObject({ exitCode: 0, stdout, outcomes: [] });
    expect({ puts: bucket.puts, stored: await registrations() }).toEqual({ puts: ['updates/acme/start'], stored: [] });
    // The SDK warns about an empty body.
    expect(warn).not.toHaveBeenCalled();
    const ignored = expect.stringContaining('other objects ignored: 0\n');
    expect(await build([CHANGES, COMPLETE])).toMatchObject({ outcomes: ['loaded'], stdout: ignored });
  });

  it('--dry-run lists the files and what would be done with them, and changes nothing', async () => {
    put(COMPLETE, 'a.csv', 3, 'AB12CDE');
    put(COMPLETE, 'b.csv', 2, 'AB12CDE');
    bucket.add('updates/acme/c.csv', '', ago(1), { bytes: 6e9 });
    put(COMPLETE, 'readme.txt', 1);
    const { exitCode, stdout } = await byHand([CHANGES, COMPLETE], ACME, ['--dry-run', '--json']);
    expect({ exitCode, puts: bucket.puts }).toEqual({ exitCode: 0, puts: [] });
    const files = [
      { name: 'vehicles/acme/a.csv', action: 'wait' },
      { name: 'vehicles/acme/b.csv', action: 'load', lastModified: ago(2).toISOString() },
      { name: 'updates/acme/c.csv', action: 'refused', bytes: 6e9 },
    ];
    expect(JSON.parse(stdout)).toMatchObject({ files, ignored: 1 });
    const { stdout: table } = await byHand([CHANGES, COMPLETE], ACME, ['--dry-run']);
    expect(table).toContain('it has more than 5 GB, the maxGigabytes of its entry');
  });

  it('names a kind and supplier that no entry has', async () => {
    expect(await byHand([COMPLETE], ['vehicles'])).toMatchObject(failure('has no entry for vehicles'));
    const other = ['vehicles', '--supplier', 'other'];
    expect(await byHand([COMPLETE], other)).toMatchObject(failure('has no entry for vehicles of other'));
  });

  it('needs a stack with the setting, and a confirmation where data is kept', async () => {
    const noStack = 'name a stack with the setting "intake" with --stack';
    expect(await run(['intake', 'compliance'])).toMatchObject(failure(noStack));
    await byHand([COMPLIANCE], ['compliance'], ['--dry-run']);
    const unconfirmed = ['intake', 'compliance', '--stack', 'stack', '--region', 'eu-west-2'];
    expect(await runAdminCommand(unconfirmed, engine().names)).toMatchObject(failure('confirm it with --yes stack'));
  });
});

it('An entry has the options of the command line, and its files the time at which they were put', async () => {
  put(COMPLETE, 'a.csv', 2, 'AB12CDE', 'AB12CDF');
  await build([COMPLETE]);
  const row = { registration: 'AB12CDG', make: 'Citroën', valid_from: '01/02/2026', last_updated: '' };
  const csv = vehiclesCsv(vehicleRow(row), vehicleRow({ registration: 'TBC' })).replace('registration', 'Kfz');
  bucket.add(`${COMPLETE.prefix}b.csv`, csv, ago(1));
  const limits = { removeAtMost: '3', loseCoverAtMost: '3', unreadableAtMost: '1' };
  const options = { dates: 'uk', encoding: 'x-mac-roman', map: ['KFZ=registration'], ...limits };
  expect(await build([{ ...COMPLETE, ...options }])).toMatchObject({ outcomes: ['loaded'] });
  const policies = [{ validFrom: '2026-02-01', supplier: 'acme' }];
  const lastUpdated = ago(1).toISOString();
  expect(await stored()).toMatchObject([{ vehicle: { make: 'Citro√´n' }, policies, lastUpdated }]);
});

it.each([{ encoding: 'x-mac-roman' }, { map: ['KFZ=registration'] }])(
  'An entry with %j, which is about files of CSV, loads NDJSON too',
  async (option) => {
    const line = JSON.stringify(aVehicle('AB12CDE'));
    bucket.add(`${CHANGES.prefix}a.ndjson`, line, ago(1));
    expect(await build([{ ...CHANGES, ...option }])).toMatchObject({ outcomes: ['loaded'] });
  },
);
