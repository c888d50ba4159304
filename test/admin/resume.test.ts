import { existsSync } from 'node:fs';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { contentTable } from '../../functions/content/content-table.ts';
import { deadlineIn } from '../../functions/runtime/deadline.ts';
import { contentExport } from '../../lib/content-maintenance/content-export.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { forOperation } from '../support/fault-choosers.ts';
import { NOW, runCommand } from './command-line.ts';
import { journalOf, readJournalOf, stoppableCommandLine } from './stopped-runs.ts';
import { manyVehicles, POLICIES, VEHICLES, vehicleRow, vehiclesCsv } from './vehicle-files.ts';

const { run, file, engine, countedRun, interruptedRun, killedRun, proxy, writtenItems } = stoppableCommandLine();

const policyCounts = async (prefix: string): Promise<number[]> => {
  const { client, names } = engine();
  const pages = await Array.fromAsync(paginateScan({ client }, { TableName: names.vehicles }));
  return pages
    .flatMap(({ Items = [] }) => Items)
    .filter(({ registration }) => registration?.startsWith(prefix))
    .map(({ policies }) => policies?.length ?? 0);
};

describe('An import of vehicles that Ctrl-C stopped', () => {
  it('has no vehicle half, and continues without writing any again', async () => {
    const path = await file('v.csv', manyVehicles('CTRL'));
    const stopped = await interruptedRun(['import', 'vehicles', path], 3, 'BatchWriteItem');
    expect(stopped).toMatchObject({ exitCode: 130, stderr: expect.stringMatching(/--resume continues/) });
    const before = await policyCounts('CTRL');
    expect(new Set(before)).toEqual(new Set([POLICIES]));
    expect(before.length).toBeLessThan(VEHICLES);
    expect(await readJournalOf(path)).toMatchObject({ point: { line: expect.any(Number), pending: [] } });

    const resumed = await countedRun(['import', 'vehicles', path, '--resume']);
    expect(resumed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/rows skipped/) });
    expect(await policyCounts('CTRL')).toEqual(Array.from({ length: VEHICLES }, () => POLICIES));
    expect(writtenItems()).toBe(VEHICLES);
    expect(existsSync(`${path}.import.json`)).toBe(false);
  });
});

describe('A resumed import', () => {
  const resume = (path: string, kind = 'vehicles') => ['import', kind, path, '--resume'];

  it('can be stopped and resumed itself', async () => {
    const path = await file('v.csv', manyVehicles('TWICE'));
    await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
    const written = writtenItems();
    const { startedAt } = await readJournalOf(path);
    proxy().reset();
    const stopped = await interruptedRun(resume(path), 1, 'BatchWriteItem');
    expect(stopped).toMatchObject({ exitCode: 130, stderr: expect.stringMatching(/--resume continues/) });
    expect((await readJournalOf(path)).startedAt).toBe(startedAt);
    expect(await countedRun(resume(path))).toMatchObject({ exitCode: 0 });
    expect(written + writtenItems()).toBe(VEHICLES);
    expect(await policyCounts('TWICE')).toEqual(Array.from({ length: VEHICLES }, () => POLICIES));
  });

  it('continues after a database error, whose message has the number of stored records', async () => {
    const path = await file('v.csv', manyVehicles('FAULT'));
    let writes = 0;
    const denyFromTheTwentieth = forOperation('BatchWriteItem', () => {
      writes += 1;
      return writes < 20 ? undefined : 'deny';
    });
    proxy().inject(denyFromTheTwentieth);
    const failed = await countedRun(['import', 'vehicles', path]);
    proxy().reset();
    const stored = (await policyCounts('FAULT')).length;
    expect(failed).toMatchObject({ exitCode: 2, stdout: '' });
    expect(failed.stderr).toContain(`AccessDeniedException; ${stored} records were loaded before`);
    expect(failed.stderr).toMatch(/--resume continues where it stopped\n$/);
    expect(await countedRun(resume(path))).toMatchObject({ exitCode: 0 });
    expect(stored + writtenItems()).toBe(VEHICLES);
    expect(await policyCounts('FAULT')).toHaveLength(VEHICLES);
  });

  it.each([
    ['byte order mark', 'utf8', (csv: string) => `\uFEFF${csv}`],
    ['line ends of Windows', 'crlf', (csv: string) => csv.replaceAll('\n', '\r\n')],
    ['blank lines', 'blank', (csv: string) => csv.replaceAll('\n', '\n\n')],
  ])('finds its place in a file with a %s', async (_case, name, written) => {
    const prefix = name.toUpperCase();
    const path = await file(`${name}.csv`, written(manyVehicles(prefix)));
    await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
    expect(await countedRun(resume(path))).toMatchObject({ exitCode: 0 });
    expect(writtenItems()).toBe(VEHICLES);
    expect(await policyCounts(prefix)).toEqual(Array.from({ length: VEHICLES }, () => POLICIES));
  });

  it('finds its place among records of several lines, and gives what is new the moment at which it began', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `T,"${'line\n'.repeat(200)}",lines.example,s${index}`);
    const path = await file('c.csv', ['title,content,domain,slug', ...rows].join('\n'));
    await interruptedRun(['import', 'content', path], 2, 'TransactWriteItems');
    expect(await readJournalOf(path)).toMatchObject({ point: { pending: [] } });
    const later = { now: new Date(NOW.getTime() + 3_600_000) };
    expect(await run(resume(path, 'content'), later)).toMatchObject({ exitCode: 0 });
    const items = await Array.fromAsync(contentExport(engine().client, engine().names.content).items());
    const own = items.filter(({ domain }) => domain === 'lines.example');
    expect(own.map(({ slug }) => slug)).toEqual(rows.map((_, index) => `s${index}`));
    expect(new Set(own.map(({ created_at, version }) => `${created_at} ${version}`))).toEqual(
      new Set([`${NOW.toISOString()} 1`]),
    );
  });
});

describe('An import of vehicles that was killed', () => {
  it('goes on with a share of the writes, and rejects the same rows in the same order', async () => {
    const bad = [
      vehicleRow({ registration: '?' }),
      vehicleRow({ registration: 'KILL1000', make: '' }),
      vehicleRow({ year: 'x' }),
    ];
    const csv = manyVehicles('KILL', ...bad).replace('\n', `\n${vehicleRow({ registration: '' })}\n`);
    const path = await file('v.csv', csv);
    expect(await killedRun(['import', 'vehicles', path], 30, 'BatchWriteItem')).toBe('SIGKILL');
    proxy().reset();
    expect(await countedRun(['import', 'vehicles', path, '--resume'])).toMatchObject({ exitCode: 1 });
    expect(writtenItems()).toBeLessThan(VEHICLES * 0.6);
    expect(await policyCounts('KILL')).toEqual(Array.from({ length: VEHICLES }, () => POLICIES));
    const rejected = await readFile(`${path}.rejected.ndjson`, 'utf8');
    expect(rejected.trim().split('\n')).toHaveLength(4);
    await run(['import', 'vehicles', path]);
    expect(await readFile(`${path}.rejected.ndjson`, 'utf8')).toBe(rejected);
  });
});

describe('An import of content that was stopped', () => {
  const item = (slug: string, fields: object = {}) =>
    JSON.stringify({ title: 'T', content: 'x'.repeat(2_000), domain: 'stopped.example', slug, ...fields });
  const ids = ['11111111-2222-4333-8444-555555555551', '11111111-2222-4333-8444-555555555552'] as const;

  it('tries again what waits for a slug, creates nothing twice and raises no version twice', async () => {
    const [waiting, holder] = ids;
    const owners = [item('mine', { id: waiting }), item('wanted', { id: holder })];
    await run(['import', 'content', await file('owners.ndjson', owners.join('\n'))]);
    const others = Array.from({ length: 150 }, (_, index) => item(`s${index}`));
    const rows = [item('wanted', { id: waiting }), ...others, item('elsewhere', { id: holder })];
    const path = await file('c.ndjson', rows.join('\n'));
    const stopped = await interruptedRun(['import', 'content', path], 2, 'TransactWriteItems');
    expect(stopped.exitCode).toBe(130);
    expect(await readJournalOf(path)).toMatchObject({ point: { pending: [1] } });
    expect(existsSync(`${path}.rejected.ndjson`)).toBe(false);

    expect(await run(['import', 'content', path, '--resume'])).toMatchObject({ exitCode: 0, stderr: '' });
    const table = contentTable(engine().client, engine().names.content);
    const page = { offset: 0, limit: 200 };
    const { items, total } = await table.list({ domain: 'stopped.example' }, page, deadlineIn(5_000));
    expect([total, new Set(items.map(({ id }) => id)).size]).toEqual([152, 152]);
    const changed = items.filter(({ version }) => version !== 1);
    expect(changed.map(({ id, slug, version }) => [id, slug, version]).toSorted()).toEqual([
      [waiting, 'wanted', 2],
      [holder, 'elsewhere', 2],
    ]);
  });
});

describe('What cannot be resumed', () => {
  /** An import that was stopped in the middle. */
  const stoppedImport = async (): Promise<string> => {
    const path = await file('v.csv', manyVehicles('STOP'));
    await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
    return path;
  };
  const rejectedFor = (sentence: RegExp) => ({ exitCode: 2, stdout: '', stderr: expect.stringMatching(sentence) });
  const resume = (path: string, kind = 'vehicles') => run(['import', kind, path, '--resume']);

  it('is what was never stopped', async () => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow()));
    expect(await resume(path)).toMatchObject(
      rejectedFor(/nothing to resume: no import of .*v\.csv has left a journal/),
    );
    await run(['import', 'vehicles', path]);
    expect(await resume(path)).toMatchObject(rejectedFor(/nothing to resume/));
  });

  it('is a file that has changed, in its content or only in its age', async () => {
    const path = await stoppedImport();
    await utimes(path, new Date(0), new Date(0));
    expect(await resume(path)).toMatchObject(rejectedFor(/the file has changed/));
    await file('v.csv', manyVehicles('NEW'));
    expect(await resume(path)).toMatchObject(rejectedFor(/the file has changed/));
  });

  it('is a file that has changed under the same size and age', async () => {
    const path = await stoppedImport();
    const { atime, mtime } = await stat(path);
    await file('v.csv', manyVehicles('PEST'));
    await utimes(path, atime, mtime);
    expect(await resume(path)).toMatchObject(rejectedFor(/the file has changed/));
  });

  it('is one of which other rows are rejected now: they would be neither stored nor reported', async () => {
    const nextYears = vehicleRow({ registration: 'NEXT1', year: String(NOW.getUTCFullYear() + 2) });
    const path = await file('v.csv', manyVehicles('RULE').replace('\n', `\n${nextYears}\n`));
    await interruptedRun(['import', 'vehicles', path], 1, 'BatchWriteItem');
    // A year on, the rule for a vehicle's year lets that row through.
    const startedAt = new Date(NOW.getTime() + 366 * 86_400_000).toISOString();
    await writeFile(journalOf(path), JSON.stringify({ ...(await readJournalOf(path)), startedAt }));
    for (let times = 0; times < 2; times += 1) {
      expect(await resume(path)).toMatchObject(
        rejectedFor(/which rows are rejected has changed .* leave out --resume/),
      );
    }
    expect(await policyCounts('NEXT')).toEqual([]);
  });

  it('is another kind of data', async () => {
    expect(await resume(await stoppedImport(), 'compliance')).toMatchObject(
      rejectedFor(/of vehicles, not of compliance/),
    );
  });

  it('is a table of another name, or one created again', async () => {
    const path = await stoppedImport();
    const { names, client } = engine();
    const other = { ...names, vehicles: names.compliance };
    const args = ['import', 'vehicles', path, '--resume', '--dynamodb', engine().endpoint];
    expect(await runCommand(args, other)).toMatchObject(rejectedFor(/into another table/));
    await client.send(new DeleteTableCommand({ TableName: names.vehicles }));
    await createTables(client, names, { expire: false });
    expect(await resume(path)).toMatchObject(rejectedFor(/the table was deleted and created again/));
  });

  it('is a journal that is none of ours', async () => {
    const path = await stoppedImport();
    for (const text of ['{"point":', '{"point":{"line":0}}']) {
      await file('v.csv.import.json', text);
      expect(await resume(path)).toMatchObject(rejectedFor(/v\.csv\.import\.json is damaged/));
    }
  });
});
