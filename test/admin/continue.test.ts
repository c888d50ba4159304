import { existsSync } from 'node:fs';
import { stat, utimes } from 'node:fs/promises';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { contentTable } from '../../core/content/content-table.ts';
import { deadlineIn } from '../../core/runtime/deadline.ts';
import { contentExport } from '../../lib/content-maintenance/content-export.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { forOperation } from '../support/fault-choosers.ts';
import { aCompliance } from '../support/records.ts';
import { CAN_CONTINUE, CONTINUES, commandLine, failure, NOW, stagingFilesOf } from './command-line.ts';
import { ITEM_IDS, itemLine, manyVehicles, POLICIES, VEHICLES, vehicleRow } from './import-files.ts';
import { storedRecords } from './stored-records.ts';

const { run, file, engine, countedRun, interruptedRun, proxy, rejectedLines, writtenItems } = commandLine();

const policyCounts = async (prefix: string): Promise<number[]> => {
  const { client, names } = engine();
  const pages = await Array.fromAsync(paginateScan({ client }, { TableName: names.vehicles }));
  return pages
    .flatMap(({ Items = [] }) => Items)
    .filter(({ registration }) => registration?.startsWith(prefix))
    .map(({ policies }) => policies?.length ?? 0);
};
const ALL_STORED = Array<number>(VEHICLES).fill(POLICIES);
const importing = (path: string, kind = 'vehicles') => ['import', kind, path];

/** An import of vehicles that Ctrl-C stopped at the nth batch. */
const stoppedImport = async (csv: string, batch = 1): Promise<string> => {
  const path = await file('v.csv', csv);
  const stopped = await interruptedRun(['import', 'vehicles', path], batch, 'BatchWriteItem');
  expect(stopped).toMatchObject({ exitCode: 130, stderr: expect.stringContaining(CAN_CONTINUE) });
  return path;
};

describe('A continued import', () => {
  it('has no vehicle half and writes none again, even when it was stopped twice', async () => {
    const path = await stoppedImport(manyVehicles('TWICE'), 3);
    const before = await policyCounts('TWICE');
    expect(new Set(before)).toEqual(new Set([POLICIES]));
    expect(before.length).toBeLessThan(VEHICLES);
    expect(await interruptedRun(importing(path), 1, 'BatchWriteItem')).toMatchObject({ exitCode: 130 });
    const continued = await countedRun(importing(path));
    expect(continued).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/rows skipped/) });
    expect(continued.stderr).toBe(`The import ${CONTINUES}\n`);
    expect(await policyCounts('TWICE')).toEqual(ALL_STORED);
    expect(writtenItems()).toBe(VEHICLES);
    expect(stagingFilesOf(path)).toEqual([]);
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
    expect(failed.stderr).toMatch(`${CAN_CONTINUE}\n`);
    expect(await countedRun(importing(path))).toMatchObject({ exitCode: 0 });
    expect(stored + writtenItems()).toBe(VEHICLES);
    expect(await policyCounts('FAULT')).toEqual(ALL_STORED);
  });

  it('stores the first of over 1,000 rows of a vehicle, also when it is stopped right after that', async () => {
    const line = (registration: string, outstandingFines: number) =>
      JSON.stringify({ ...aCompliance(registration), outstandingFines });
    // The repeated vehicle ends the first batch of 25.
    const before = Array.from({ length: 24 }, (_, index) => line(`A${10 + index}`, 0));
    const repeated = Array.from({ length: 1_200 }, (_, index) => line('AAA', index));
    const after = Array.from({ length: 60 }, (_, index) => line(`B${10 + index}`, 0));
    const path = await file('c.ndjson', [...before, ...repeated, ...after].join('\n'));
    let writes = 0;
    proxy().inject(
      forOperation('BatchWriteItem', () => {
        writes += 1;
        return writes > 1 ? 'deny' : undefined;
      }),
    );
    expect(await countedRun(importing(path, 'compliance'))).toEqual(failure('25 records were loaded before'));
    proxy().reset();
    expect(await run(importing(path, 'compliance'))).toMatchObject({ exitCode: 1 });
    expect(
      (await storedRecords(engine(), 'compliance')).find(({ registration }) => registration === 'AAA'),
    ).toMatchObject({
      outstandingFines: 0,
    });
    expect(await rejectedLines(path)).toHaveLength(repeated.length - 1);
  });

  it.each([
    ['a byte order mark', 'UTF', (csv: string) => `\uFEFF${csv}`],
    ['line ends of Windows', 'CRLF', (csv: string) => csv.replaceAll('\n', '\r\n')],
    ['blank lines', 'BLANK', (csv: string) => csv.replaceAll('\n', '\n\n')],
  ])('finds its place in a file with %s', async (_case, prefix, written) => {
    const path = await stoppedImport(written(manyVehicles(prefix)));
    expect(await countedRun(importing(path))).toMatchObject({ exitCode: 0 });
    expect(writtenItems()).toBe(VEHICLES);
    expect(await policyCounts(prefix)).toEqual(ALL_STORED);
  });

  it('finds its place among records of several lines, and dates new items when the import began', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `T,"${'line\n'.repeat(200)}",lines.example,s${index}`);
    const path = await file('c.csv', ['title,content,domain,slug', ...rows].join('\n'));
    await interruptedRun(['import', 'content', path], 2, 'TransactWriteItems');
    const later = { now: new Date(NOW.getTime() + 3_600_000) };
    expect(await run(importing(path, 'content'), later)).toMatchObject({ exitCode: 0 });
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
    expect(existsSync(`${path}.rejected.ndjson`)).toBe(false);

    expect(await run(importing(path, 'content'))).toMatchObject({ exitCode: 0, stderr: `The import ${CONTINUES}\n` });
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

describe('A stopped import is not continued, but begins again with a notice', () => {
  const begins = (path: string, reason: string) =>
    run(['import', 'vehicles', path]).then((result) =>
      expect(result).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining(`The import begins again: ${reason}.\n`),
      }),
    );

  it('when the file has changed in its modification time, its size or its content alone', async () => {
    for (const change of ['time', 'NEW', 'PEST']) {
      const path = await stoppedImport(manyVehicles('STOP'));
      const { atime, mtime } = await stat(path);
      if (change !== 'time') await file('v.csv', manyVehicles(change));
      await utimes(path, atime, change === 'time' ? new Date(0) : mtime);
      await begins(path, 'the file has changed since it was stopped');
    }
  });

  it('when the table was created again, and not when it is another kind of data', async () => {
    const path = await stoppedImport(manyVehicles('STOP'));
    expect(await run(['remove', 'vehicles', path])).toMatchObject({
      stderr: expect.stringContaining('is left of a run'),
    });
    const { names, client } = engine();
    await client.send(new DeleteTableCommand({ TableName: names.vehicles }));
    await createTables(client, names);
    await begins(path, 'the table was deleted and created again since it was stopped');
  });

  it('with --restart, which needs no reason', async () => {
    const path = await stoppedImport(manyVehicles('AGAIN'));
    const again = await countedRun(['import', 'vehicles', path, '--restart']);
    expect(again).toMatchObject({ exitCode: 0, stderr: '', stdout: expect.not.stringContaining('skipped') });
  });
});

it('A continued import reports the rows again that were rejected before it was stopped', async () => {
  const bad = vehicleRow({ registration: 'AAA', year: 'x' });
  const path = await stoppedImport(`${manyVehicles('STOP')}${bad}\n`, 20);
  expect(await rejectedLines(path)).toMatchObject([{ line: VEHICLES * POLICIES + 2 }]);
  const { exitCode, stdout } = await countedRun(['import', 'vehicles', path, '--json']);
  const { read, skipped, loaded, rejected } = JSON.parse(stdout);
  expect([exitCode, read, rejected]).toEqual([1, VEHICLES * POLICIES + 1, 1]);
  expect(skipped + loaded * POLICIES).toBe(VEHICLES * POLICIES);
  expect(await rejectedLines(path)).toMatchObject([{ line: VEHICLES * POLICIES + 2 }]);
});
