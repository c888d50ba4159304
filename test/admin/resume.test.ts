import { existsSync } from 'node:fs';
import { stat, utimes, writeFile } from 'node:fs/promises';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { contentTable } from '../../core/content/content-table.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { contentExport } from '../../lib/content-maintenance/content-export.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { forOperation } from '../support/fault-choosers.ts';
import { commandLine, failure, journalOf, NOW, readJournalOf, runCommand } from './command-line.ts';
import { ITEM_IDS, itemLine, manyVehicles, POLICIES, VEHICLES, vehicleRow, vehiclesCsv } from './import-files.ts';

const { run, file, engine, countedRun, interruptedRun, proxy, writtenItems } = commandLine();

const policyCounts = async (prefix: string): Promise<number[]> => {
  const { client, names } = engine();
  const pages = await Array.fromAsync(paginateScan({ client }, { TableName: names.vehicles }));
  return pages
    .flatMap(({ Items = [] }) => Items)
    .filter(({ registration }) => registration?.startsWith(prefix))
    .map(({ policies }) => policies?.length ?? 0);
};
const ALL_STORED = Array<number>(VEHICLES).fill(POLICIES);
const resuming = (path: string, kind = 'vehicles') => ['import', kind, path, '--resume'];

/** An import of vehicles that Ctrl-C stopped at the nth batch. */
const stoppedImport = async (csv: string, batch = 1): Promise<string> => {
  const path = await file('v.csv', csv);
  const stopped = await interruptedRun(['import', 'vehicles', path], batch, 'BatchWriteItem');
  expect(stopped).toMatchObject({ exitCode: 130, stderr: expect.stringMatching(/--resume continues/) });
  return path;
};

describe('A resumed import', () => {
  it('has no vehicle half and writes none again, even when it was stopped twice', async () => {
    const path = await stoppedImport(manyVehicles('TWICE'), 3);
    const before = await policyCounts('TWICE');
    expect(new Set(before)).toEqual(new Set([POLICIES]));
    expect(before.length).toBeLessThan(VEHICLES);
    const { startedAt, point } = await readJournalOf(path);
    expect(point).toMatchObject({ line: expect.any(Number), pending: [] });
    expect(await interruptedRun(resuming(path), 1, 'BatchWriteItem')).toMatchObject({ exitCode: 130 });
    expect((await readJournalOf(path)).startedAt).toBe(startedAt);
    const resumed = await countedRun(resuming(path));
    expect(resumed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/rows skipped/) });
    expect(await policyCounts('TWICE')).toEqual(ALL_STORED);
    expect(writtenItems()).toBe(VEHICLES);
    expect(existsSync(journalOf(path))).toBe(false);
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
    expect(failed).toEqual(failure(`AccessDeniedException; ${stored} records were loaded before`));
    expect(failed.stderr).toMatch(/--resume continues where it stopped\n$/);
    expect(await countedRun(resuming(path))).toMatchObject({ exitCode: 0 });
    expect(stored + writtenItems()).toBe(VEHICLES);
    expect(await policyCounts('FAULT')).toEqual(ALL_STORED);
  });

  it.each([
    ['a byte order mark', 'UTF', (csv: string) => `\uFEFF${csv}`],
    ['line ends of Windows', 'CRLF', (csv: string) => csv.replaceAll('\n', '\r\n')],
    ['blank lines', 'BLANK', (csv: string) => csv.replaceAll('\n', '\n\n')],
  ])('finds its place in a file with %s', async (_case, prefix, written) => {
    const path = await stoppedImport(written(manyVehicles(prefix)));
    expect(await countedRun(resuming(path))).toMatchObject({ exitCode: 0 });
    expect(writtenItems()).toBe(VEHICLES);
    expect(await policyCounts(prefix)).toEqual(ALL_STORED);
  });

  it('finds its place among records of several lines, and dates new items when the import began', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `T,"${'line\n'.repeat(200)}",lines.example,s${index}`);
    const path = await file('c.csv', ['title,content,domain,slug', ...rows].join('\n'));
    await interruptedRun(['import', 'content', path], 2, 'TransactWriteItems');
    expect(await readJournalOf(path)).toMatchObject({ point: { pending: [] } });
    const later = { now: new Date(NOW.getTime() + 3_600_000) };
    expect(await run(resuming(path, 'content'), later)).toMatchObject({ exitCode: 0 });
    const items = await Array.fromAsync(contentExport(engine().client, engine().names.content).items());
    const own = items.filter(({ domain }) => domain === 'lines.example');
    expect(own.map(({ slug }) => slug)).toEqual(rows.map((_, index) => `s${index}`));
    const created = own.map(({ created_at, version }) => `${created_at} ${version}`);
    expect(new Set(created)).toEqual(new Set([`${NOW.toISOString()} 1`]));
  });

  it('retries the row that waited for a slug, creates nothing twice and increments no version twice', async () => {
    const [waiting, holder] = ITEM_IDS;
    const item = (slug: string, fields: object = {}) =>
      itemLine(slug, { content: 'x'.repeat(2_000), domain: 'stopped.example', ...fields });
    const owners = [item('mine', { id: waiting }), item('wanted', { id: holder })];
    await run(['import', 'content', await file('owners.ndjson', owners.join('\n'))]);
    const others = Array.from({ length: 150 }, (_, index) => item(`s${index}`));
    const rows = [item('wanted', { id: waiting }), ...others, item('elsewhere', { id: holder })];
    const path = await file('c.ndjson', rows.join('\n'));
    const stopped = await interruptedRun(['import', 'content', path], 2, 'TransactWriteItems');
    expect(stopped.exitCode).toBe(130);
    expect(await readJournalOf(path)).toMatchObject({ point: { pending: [1] } });
    expect(existsSync(`${path}.rejected.ndjson`)).toBe(false);

    expect(await run(resuming(path, 'content'))).toMatchObject({ exitCode: 0, stderr: '' });
    const table = contentTable(engine().client, engine().names.content, 'live');
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

describe('--resume is rejected', () => {
  it('when no import was stopped', async () => {
    const path = await file('v.csv', vehiclesCsv(vehicleRow()));
    expect(await run(resuming(path))).toEqual(failure(/nothing to resume: no import of .*v\.csv has left a journal/));
    await run(['import', 'vehicles', path]);
    expect(await run(resuming(path))).toEqual(failure('nothing to resume'));
  });

  it('when the file has changed in its modification time, its size or its content alone', async () => {
    const path = await stoppedImport(manyVehicles('STOP'));
    const { atime, mtime } = await stat(path);
    await utimes(path, new Date(0), new Date(0));
    expect(await run(resuming(path))).toEqual(failure('the file has changed'));
    for (const changed of [manyVehicles('NEW'), manyVehicles('PEST')]) {
      await file('v.csv', changed);
      await utimes(path, atime, mtime);
      expect(await run(resuming(path))).toEqual(failure('the file has changed'));
    }
  });

  it('when other rows are rejected now: they would be neither stored nor reported', async () => {
    const nextYears = vehicleRow({ registration: 'NEXT1', year: String(NOW.getUTCFullYear() + 2) });
    const path = await stoppedImport(manyVehicles('RULE').replace('\n', `\n${nextYears}\n`));
    // A year on, the rule for a vehicle's year accepts that row.
    const startedAt = new Date(NOW.getTime() + 366 * 86_400_000).toISOString();
    await writeFile(journalOf(path), JSON.stringify({ ...(await readJournalOf(path)), startedAt }));
    const changed = failure(/which rows are rejected has changed .* leave out --resume/);
    for (let times = 0; times < 2; times += 1) expect(await run(resuming(path))).toEqual(changed);
    expect(await policyCounts('NEXT')).toEqual([]);
  });

  it('for another kind of data, for a table of another name and for one created again', async () => {
    const path = await stoppedImport(manyVehicles('STOP'));
    expect(await run(resuming(path, 'compliance'))).toEqual(failure('of vehicles, not of compliance'));
    const { names, client, endpoint } = engine();
    const other = { ...names, vehicles: names.compliance };
    expect(await runCommand([...resuming(path), '--dynamodb', endpoint], other)).toEqual(failure('with another table'));
    await client.send(new DeleteTableCommand({ TableName: names.vehicles }));
    await createTables(client, names);
    expect(await run(resuming(path))).toEqual(failure('the table was deleted and created again'));
  });
});
