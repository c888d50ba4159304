import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { DeleteCommand, PutCommand, paginateScan, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { intakeBucket } from '../../admin/intake/bucket.ts';
import { importArguments } from '../../admin/intake/load-file.ts';
import { loadWaitingFiles } from '../../admin/intake/load-waiting.ts';
import type { IntakeSource } from '../../core/stage/stage-schema.ts';
import { environmentOf } from '../support/engine.ts';
import { COMPLIANCE_HEADER, complianceLine, vehicleRow, vehiclesCsv } from '../support/import-files.ts';
import { TEST_PLANS } from '../support/plans.ts';
import { ended } from '../support/use-admin.ts';
import { useEngine } from '../support/use-engine.ts';
import { startBucket, type TestBucket } from './bucket-server.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
/** A time so many minutes ago. */
const ago = (minutes: number): Date => new Date(NOW.getTime() - minutes * 60_000);
const DAY = 24 * 60;

const VEHICLES: IntakeSource = { prefix: 'vehicles/acme/', import: 'vehicles' };
const COMPLETE: IntakeSource = { ...VEHICLES, complete: true };
const COMPLIANCE: IntakeSource = { prefix: 'compliance/', import: 'compliance' };

const engine = useEngine();
let bucket: TestBucket;

beforeAll(async () => {
  bucket = await startBucket();
});
beforeEach(async () => {
  bucket.clear();
  bucket.add('control/erased.txt', [''], ago(100 * DAY));
  for (const registration of await stored()) {
    await engine.client.send(new DeleteCommand({ TableName: engine.names.vehicles, Key: { registration } }));
  }
});
afterAll(() => bucket.stop());

const stored = async (table: 'vehicles' | 'compliance' = 'vehicles'): Promise<string[]> => {
  const pages = paginateScan({ client: engine.client }, { TableName: engine.names[table], ConsistentRead: true });
  return (await Array.fromAsync(pages))
    .flatMap(({ Items = [] }) => Items.map((item) => String(item.registration)))
    .sort();
};

const csv = (...registrations: string[]): string =>
  vehiclesCsv(...registrations.map((registration) => vehicleRow({ registration })));

/** A build, as far as it is none of AWS's. */
const build = async (entries: readonly IntakeSource[] = [VEHICLES], tableNames = engine.names) => {
  const lines: Record<string, unknown>[] = [];
  const allLoaded = await loadWaitingFiles({
    entries,
    bucket: intakeBucket(bucket.client, 'files'),
    deployment: {
      db: engine.client,
      plans: TEST_PLANS,
      tableNames,
      address: 'the engine',
      remedy: '',
      readCaller: async () => 'a test',
    },
    log: (line) => void lines.push(line as Record<string, unknown>),
    now: () => NOW,
  });
  return { allLoaded, outcomes: lines.map(({ outcome }) => outcome), lines };
};

const reportOf = (name: string, version: string, prefix = VEHICLES.prefix): string =>
  `reports/${prefix}${createHash('sha256').update(name).digest('hex').slice(0, 32)}@${version}/`;

const summaryOf = (name: string, version: string) =>
  JSON.parse(bucket.textOf(`${reportOf(name, version)}summary.json`) ?? 'null');

/** Names of the reports’ parts. */
const reports = (): string[] => bucket.keys().filter((key) => key.startsWith('reports/'));

describe('A build', () => {
  it('loads what waits under each prefix, oldest first, and writes the summary last', async () => {
    const second = bucket.add('vehicles/acme/a.csv', [csv('AB12CDE', 'LKW')], ago(1));
    const first = bucket.add(
      'vehicles/acme/b.csv',
      [csv('AB12CDF'), vehicleRow({ registration: 'X1', year: 'x' })],
      ago(2),
    );
    bucket.add('compliance/c.ndjson', [complianceLine({ registration: 'C2' })], ago(3));
    const outcomes = ['loaded', 'loaded', 'loaded'];
    expect(await build([VEHICLES, COMPLIANCE])).toMatchObject({ allLoaded: true, outcomes });
    expect([await stored(), await stored('compliance')]).toEqual([['AB12CDE', 'AB12CDF', 'LKW'], ['C2']]);
    const [older, newer] = [reportOf('vehicles/acme/b.csv', first), reportOf('vehicles/acme/a.csv', second)];
    expect(bucket.puts.filter((key) => key.startsWith('reports/vehicles'))).toEqual([
      `${older}rejected.csv`,
      `${older}summary.json`,
      `${newer}summary.json`,
    ]);
    expect(summaryOf('vehicles/acme/b.csv', first)).toEqual({
      name: 'vehicles/acme/b.csv',
      version: first,
      lastModified: ago(2).toISOString(),
      outcome: 'loaded',
      kind: 'vehicles',
      read: 2,
      loaded: 1,
      unchanged: 0,
      kept: 0,
      removed: 0,
      notThere: 0,
      excepted: 0,
      repeated: 0,
      rejected: 1,
      damaged: 0,
      unknownFormat: { count: 0, first: [] },
      reasons: [expect.anything()],
      notices: [],
      seconds: expect.any(Number),
      rowsPerSecond: expect.any(Number),
    });
    expect(bucket.textOf(`${older}rejected.csv`)).toContain('X1,Ford');
  });

  it('does nothing when no file waits: events come twice, and every hour', async () => {
    bucket.add('vehicles/acme/a.csv', [csv('AB12CDE')], ago(1));
    await build();
    const before = bucket.puts.length;
    expect(await build()).toEqual({ allLoaded: true, outcomes: [], lines: [] });
    expect(bucket.puts.length).toBe(before);
  });

  it('loads a file that comes while another is loaded, and the new version of one that is replaced', async () => {
    const first = bucket.add('vehicles/acme/a.csv', [csv('AB12CDE')], ago(3));
    bucket.onDownload((key) => {
      if (key !== 'vehicles/acme/a.csv') return;
      bucket.onDownload(undefined);
      bucket.add('vehicles/acme/a.csv', [csv('AB12CDF')], ago(2));
      bucket.add('vehicles/acme/b.csv', [csv('AB12CDG')], ago(1));
    });
    expect(await build()).toMatchObject({ outcomes: ['loaded', 'loaded', 'loaded'] });
    expect(await stored()).toEqual(['AB12CDE', 'AB12CDF', 'AB12CDG']);
    expect(summaryOf('vehicles/acme/a.csv', first)).toMatchObject({ outcome: 'loaded' });
  });

  it('takes the time of the file for records without a last update', async () => {
    bucket.add('vehicles/acme/a.csv', [vehiclesCsv(vehicleRow({ registration: 'AB12CDE', last_updated: '' }))], ago(7));
    await build();
    const { Items } = await engine.client.send(new ScanCommand({ TableName: engine.names.vehicles }));
    expect(Items).toMatchObject([{ lastUpdated: ago(7).toISOString() }]);
  });

  it('leaves files of 29 days and folders alone', async () => {
    bucket.add('vehicles/acme/', [''], ago(1));
    bucket.add('vehicles/acme/old.csv', [csv('AB12CDE')], ago(29 * DAY));
    expect(await build()).toMatchObject({ allLoaded: true, outcomes: [] });
  });

  it('reports rejected rows of more than a request should have', async () => {
    const [header, row] = csv('AB12CDE').split('\n') as [string, string];
    const notes = 'n'.repeat(90_000);
    const rows = Array.from({ length: 800 }, (_, n) => [
      `\n${row.replace('AB12CDE', `N${n}`).replace('2019', 'x')},`,
      notes,
    ]);
    const version = bucket.add('vehicles/acme/a.csv', [`${header},notes`, ...rows.flat()], ago(1));
    expect(await build()).toMatchObject({ allLoaded: false, lines: [{ outcome: 'refused', rejected: 800 }] });
    const lines = bucket.textOf(`${reportOf('vehicles/acme/a.csv', version)}rejected.csv`)?.split('\r\n') ?? [];
    expect(lines.slice(1, -1).map((line) => line.replace(/^(\d+),[^,]*/, '$1,').length)).toEqual(
      rows.map(([cells = '', long = ''], n) => `${n + 2},,`.length + cells.length - 1 + long.length),
    );
  });

  it('refuses a file when every row is rejected, so that somebody hears of it', async () => {
    const version = bucket.add('vehicles/acme/a.csv', [csv('AB12CDE').replace('2019', 'x')], ago(1));
    expect(await build()).toMatchObject({ allLoaded: false, outcomes: ['refused'] });
    const summary = { outcome: 'refused', reason: 'every row was rejected', read: 1, rejected: 1, loaded: 0 };
    expect(summaryOf('vehicles/acme/a.csv', version)).toMatchObject(summary);
    expect(await build()).toMatchObject({ allLoaded: true, outcomes: [] });
  });

  it('loads a file of 60 MB', async () => {
    const [header, row] = csv('AB12CDE').split('\n') as [string, string];
    const notes = 'n'.repeat(90_000);
    const rows = Array.from({ length: 700 }, (_, n) => [`\n${row.replace('AB12CDE', `N${n}`)},`, notes]);
    bucket.add('vehicles/acme/a.csv', [`${header},notes`, ...rows.flat()], ago(1));
    expect(await build()).toMatchObject({ lines: [{ outcome: 'loaded', loaded: 700 }] });
  });

  it.each([
    'with blanks & + 100%.csv',
    'Kfz-Übersicht 車両.csv',
    '../../escape.csv',
    'tab\tand\u0001control.csv',
    `${'n'.repeat(1_024 - VEHICLES.prefix.length - 4)}.csv`,
  ])('loads a file with any name, once: %#', async (rest) => {
    const name = VEHICLES.prefix + rest;
    const version = bucket.add(name, [csv('AB12CDE')], ago(1));
    expect(await build()).toMatchObject({ outcomes: ['loaded'] });
    expect(summaryOf(name, version)).toMatchObject({ name, outcome: 'loaded' });
    expect(await build()).toMatchObject({ outcomes: [] });
  });
});

describe('Of complete files', () => {
  it('only the newest is loaded, and the others are superseded', async () => {
    const old = bucket.add('vehicles/acme/a.csv', [csv('AB12CDE')], ago(2));
    const version = bucket.add('vehicles/acme/b.csv', [csv('AB12CDF')], ago(1));
    expect(await build([COMPLETE])).toMatchObject({ allLoaded: true, outcomes: ['superseded', 'loaded'] });
    expect(await stored()).toEqual(['AB12CDF']);
    expect(summaryOf('vehicles/acme/a.csv', old)).toMatchObject({ outcome: 'superseded' });
    expect(JSON.parse(bucket.textOf('control/loaded/vehicles/acme/') ?? '')).toEqual({
      ...{ name: 'vehicles/acme/b.csv', version, lastModified: ago(1).toISOString() },
    });
  });

  it('one that is older than the last one loaded is superseded, whenever it is found', async () => {
    bucket.add('vehicles/acme/b.csv', [csv('AB12CDF')], ago(1));
    await build([COMPLETE]);
    bucket.add('vehicles/acme/a.csv', [csv('AB12CDE')], ago(2));
    expect(await build([COMPLETE])).toMatchObject({ allLoaded: true, outcomes: ['superseded'] });
    expect(await stored()).toEqual(['AB12CDF']);
  });

  it.each(['', 'null', '{}', '{"lastModified":"?"}'])(
    'none is loaded while what names the last one is damaged, which holds up no other prefix: %j',
    async (text) => {
      bucket.add('control/loaded/vehicles/acme/', [text], ago(5));
      bucket.add('vehicles/acme/a.csv', [csv('AB12CDE')], ago(2));
      bucket.add('compliance/c.ndjson', [complianceLine({ registration: 'C3' })], ago(3));
      const { allLoaded, lines } = await build([COMPLETE, COMPLIANCE]);
      expect([allLoaded, lines, await stored()]).toMatchObject([
        false,
        [
          { outcome: 'failed', error: expect.stringContaining('control/loaded/vehicles/acme/ is damaged') },
          { outcome: 'loaded' },
        ],
        [],
      ]);
      bucket.remove('control/loaded/vehicles/acme/');
      expect(await build([COMPLETE])).toMatchObject({ allLoaded: true, outcomes: ['loaded'] });
    },
  );

  it('the report names no damaged record, which may be of another supplier', async () => {
    await engine.client.send(new PutCommand({ TableName: engine.names.vehicles, Item: { registration: 'BAD1' } }));
    const version = bucket.add('vehicles/acme/a.csv', [csv('AB12CDE')], ago(2));
    await build([COMPLETE]);
    expect(summaryOf('vehicles/acme/a.csv', version)).toMatchObject({ outcome: 'loaded', damaged: 1 });
    expect(reports()).toEqual([`${reportOf('vehicles/acme/a.csv', version)}summary.json`]);
  });

  it('one that the guard stops is refused with the registrations that it lacks, and not tried again', async () => {
    bucket.add('vehicles/acme/a.csv', [csv('AB12CDE', 'AB12CDF', 'AB12CDG')], ago(2));
    await build([COMPLETE]);
    const version = bucket.add('vehicles/acme/b.csv', [csv('AB12CDE')], ago(1));
    expect(await build([COMPLETE])).toMatchObject({ allLoaded: false, outcomes: ['refused'] });
    expect(await stored()).toHaveLength(3);
    const { reason } = summaryOf('vehicles/acme/b.csv', version);
    expect(reason).toMatch(
      /^the file lacks 2 of 3 stored records.*nothing was changed.*registrations are in missing\.txt; those in control\/erased\.txt/,
    );
    expect(bucket.textOf(`${reportOf('vehicles/acme/b.csv', version)}missing.txt`)).toBe('AB12CDF\nAB12CDG\n');
    expect(await build([COMPLETE])).toMatchObject({ allLoaded: true, outcomes: [] });
    // The same file put again, with a higher limit, is another version.
    bucket.add('vehicles/acme/b.csv', [csv('AB12CDE')], ago(0));
    await build([{ ...COMPLETE, removeAtMost: '70%' }]);
    expect(await stored()).toEqual(['AB12CDE']);
  });

  it.each([
    ['an empty one', 'a.csv', ''],
    ['one without rows', 'a.csv', csv()],
    ['one with a quote that is not closed', 'a.csv', `${csv()}"AB12CDE\n`],
    ['one without the columns', 'a.csv', `${COMPLIANCE_HEADER}\n`],
    ['one with another ending', 'a.pdf', csv('AB12CDE')],
  ])('%s is refused with the reason', async (_what, name, content) => {
    const version = bucket.add(`vehicles/acme/${name}`, [content], ago(1));
    expect(await build([COMPLETE])).toMatchObject({ allLoaded: false, outcomes: ['refused'] });
    expect(summaryOf(`vehicles/acme/${name}`, version)).toMatchObject({ reason: expect.stringMatching(/^.{20,}$/) });
    expect(await build([COMPLETE])).toMatchObject({ outcomes: [] });
  });
});

describe('A load that fails', () => {
  it.each([
    ['without control/erased.txt', undefined, /no control\/erased\.txt/],
    ['with a damaged one', 'AB12CDE\nnot a registration!\n', /^--except: line 2 has an invalid registration/],
  ])('has no report and is begun again: %s', async (_what, content, error) => {
    bucket.remove('control/erased.txt');
    if (content !== undefined) bucket.add('control/erased.txt', [content], ago(1));
    bucket.add('vehicles/acme/a.csv', [csv('AB12CDE', 'AB12CDF')], ago(1));
    const { allLoaded, lines } = await build();
    expect([allLoaded, lines]).toMatchObject([false, [{ outcome: 'failed', error: expect.stringMatching(error) }]]);
    expect([await stored(), reports()]).toEqual([[], []]);
    bucket.add('control/erased.txt', ['AB12CDE\n'], ago(0));
    expect(await build()).toMatchObject({ allLoaded: true, outcomes: ['loaded'] });
    expect(await stored()).toEqual(['AB12CDF']);
  });

  it('has no report when the database fails, and later files of its prefix wait', async () => {
    bucket.add('vehicles/acme/a.csv', [csv('AB12CDE')], ago(2));
    bucket.add('vehicles/acme/b.csv', [csv('AB12CDF')], ago(1));
    const { lines } = await build([VEHICLES], { ...engine.names, vehicles: 'missing' });
    expect(lines).toMatchObject([{ outcome: 'failed', error: expect.stringContaining('does not have the tables') }]);
    expect(reports()).toEqual([]);
    expect(await build()).toMatchObject({ outcomes: ['loaded', 'loaded'] });
  });
});

it('An entry has the options of the command line', () => {
  const limits = { removeAtMost: '2%', unreadableAtMost: '5' };
  const entry: IntakeSource = { ...COMPLETE, supplier: 'acme', dates: 'uk', encoding: 'macintosh', ...limits };
  expect(importArguments(entry, 'FILE', 'ERASED').join(' ')).toBe(
    'import vehicles FILE --except ERASED --supplier acme --complete --remove-at-most 2% --unreadable-at-most 5 --encoding macintosh --dates uk',
  );
  expect(importArguments(COMPLIANCE, 'FILE', 'ERASED').join(' ')).toBe('import compliance FILE --except ERASED');
});

describe('The program', () => {
  const run = (environment: NodeJS.ProcessEnv) =>
    ended(
      spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'bin/intake.ts'], {
        env: { PATH: process.env.PATH, ...environment },
      }),
    );

  it('ends with 2 when a file was not loaded, and writes neither registrations nor names of files', async () => {
    bucket.add(
      'vehicles/acme/AB12CDE.csv',
      [csv('AB12CDE', 'LKW', 'AB12CDF'), vehicleRow({ registration: 'AB12CDG', year: 'x' })],
      ago(2),
    );
    bucket.add('vehicles/acme/AB12CDH.csv', ['AB12CDJ,AB12CDK\nAB12CDL\n'], ago(1));
    const { exitCode, stdout, stderr } = await run({
      ...environmentOf(engine),
      AWS_ENDPOINT_URL_S3: bucket.endpoint,
      AWS_ENDPOINT_URL_CLOUDWATCH: 'http://127.0.0.1:9',
      ...{ STACK: 'stack', CONFIRMED_STACK: 'stack', METRICS_NAMESPACE: 'Test', INTAKE_BUCKET: 'files' },
      INTAKE: JSON.stringify([VEHICLES]),
    });
    expect([exitCode, stderr]).toEqual([2, '']);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { outcome: 'loaded', read: 4, loaded: 3, rejected: 1 },
      { outcome: 'refused' },
    ]);
    for (const secret of ['AB12CD', 'LKW', 'Ford', '.csv']) expect(stdout).not.toContain(secret);
  });

  it('names the variables that it lacks', async () => {
    expect(await run({ AWS_REGION: 'eu-west-2' })).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining('STACK, CONFIRMED_STACK, METRICS_NAMESPACE, INTAKE_BUCKET, INTAKE'),
    });
  });
});
