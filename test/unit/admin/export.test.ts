import { readdir, readFile, writeFile } from 'node:fs/promises';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { contentKeys } from '../../../core/content/content-store.ts';
import { contentTable } from '../../../core/content/content-table.ts';
import { fillDomain, moment, someFields } from '../../support/content.ts';
import { itemLine, vehicleLine } from '../../support/import-files.ts';
import { aCompliance, aPolicy, aVehicle } from '../../support/records.ts';
import { failure, useAdmin } from '../../support/use-admin.ts';

const admin = useAdmin();
const { engine, run, otherTables, pathOf, store } = admin;

const linesOf = async (path: string) => (await readFile(path, 'utf8')).split('\n').filter(Boolean);

describe('export vehicles and export compliance', () => {
  const policies = Array.from({ length: 20 }, (_, nth) => aPolicy({ number: `P-${nth}`, insurer: 'x'.repeat(100) }));
  const vehicles = Array.from({ length: 6 }, (_, nth) => vehicleLine({ registration: `V${nth + 1}` }));

  it('leave one whole file when two have one name, and no other file that somebody has there', async () => {
    await admin.load('vehicles', 'first.ndjson', vehicles.join('\n'));
    const path = pathOf('both.ndjson');
    await writeFile(`${path}.part`, 'a file of the user');
    const runs = await Promise.all([1, 2].map(() => run(['export', 'vehicles', path])));
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(await linesOf(path)).toHaveLength(vehicles.length);
    expect(await readFile(`${path}.part`, 'utf8')).toBe('a file of the user');
    expect((await readdir(pathOf('.'))).toSorted()).toEqual([
      ...['both.ndjson', 'both.ndjson.part', 'first.ndjson', 'first.ndjson.changes.ndjson'],
    ]);
  });

  it('write parts of suppliers that are called like fields, which --restore loads', async () => {
    for (const supplier of ['year', 'model', 'registration']) {
      await admin.load('vehicles', `${supplier}.ndjson`, vehicleLine({ registration: 'V1' }), '--supplier', supplier);
    }
    const path = pathOf('named.ndjson');
    await run(['export', 'vehicles', path]);
    expect(await admin.json(['import', 'vehicles', path, '--restore'])).toMatchObject({ loaded: 0, rejected: 0 });
  });

  it('omit attributes that this version does not know, and damaged records, which they report in a file and by exit code 1', async () => {
    await store('compliance', { ...aCompliance('C1'), later: 'x' });
    await run(['export', 'compliance', pathOf('c.ndjson')]);
    expect(await readFile(pathOf('c.ndjson'), 'utf8')).not.toContain('later');
    await store('vehicles', { registration: 'BROKEN1', policies: 2n ** 70n });
    const path = pathOf('v.ndjson');
    expect(await run(['export', 'vehicles', path])).toEqual({
      exitCode: 1,
      stdout: `6 vehicles are in ${path}.\n`,
      stderr: `Damaged records that were left out: 1; they are in ${path}.rejected.ndjson\n`,
    });
    const reasons = ['the stored record is damaged; remove it, then load it again'];
    expect(await admin.rejectedLines(path)).toMatchObject([{ row: { registration: 'BROKEN1' }, reasons }]);
    expect(await readFile(path, 'utf8')).not.toContain('BROKEN1');
    const rejectedFile = `${path}.rejected-2.ndjson`;
    const shown = { kind: 'vehicles', file: path, exported: 6, erased: 0, undone: 0, damaged: 1, rejectedFile };
    expect(await admin.json(['export', 'vehicles', path])).toEqual(shown);
    await run(['remove', 'vehicles', '--registration', 'BROKEN1']);
  });

  it('read more than one page, and leave no file when Ctrl-C stops them', async () => {
    // 5 kB each: together three pages of at most 1 MB.
    await store('vehicles', ...Array.from({ length: 600 }, (_, index) => aVehicle(`MANY${index}`, policies)));
    const path = pathOf('v.ndjson');
    const before = await readdir(pathOf('.'));
    const stopped = await admin.interruptedRun(['export', 'vehicles', path], 2, 'Scan');
    expect(stopped).toMatchObject({ exitCode: 130, stdout: '' });
    expect(await readdir(pathOf('.'))).toEqual(before);
    const { stderr } = await run(['export', 'vehicles', path], { showsProgress: true });
    expect(stderr).toContain('606 records read\n');
    expect(new Set(await linesOf(path)).size).toBe(606);
  });
});

describe('export content', () => {
  const table = (name = engine().names.content) => contentTable(engine().client, name, 'live');
  const allItems = (name?: string) => table(name).list({ offset: 0, limit: 100 }, moment().deadline);

  it('writes a file that import content loads with the same order, ids, versions and texts', async () => {
    const { client, names } = engine();
    for (const domain of ['a.example', 'b.example']) await fillDomain(client, names.content, domain, 15);
    const [newest] = (await allItems()).items;
    await table().update(newest?.id ?? '', { title: 'Second' }, {}, moment());
    const path = pathOf('all.ndjson');
    const stdout = `30 content items are in ${path}.\n`;
    expect(await run(['export', 'content', path])).toMatchObject({ exitCode: 0, stdout });
    const others = await otherTables();
    for (let times = 0; times < 2; times += 1) {
      expect(await others.run('import', 'content', path)).toMatchObject({ exitCode: 0 });
      expect(await allItems(others.names.content)).toEqual(await allItems());
    }
    const created = await admin.load('content', 'new.ndjson', itemLine('new', { title: 'was \u0000' }));
    const reasons = [expect.stringContaining('must not contain U+0000, which is character 5')];
    expect(await admin.rejectedLines(created.path)).toMatchObject([{ reasons }]);
  });

  it('names an item whose record is damaged', async () => {
    const others = await otherTables();
    const { item } = await table(others.names.content).create(someFields('b.example', 'b'), undefined, moment());
    const Key = contentKeys('live').itemKey(item.id);
    const change = { UpdateExpression: 'SET title = :x', ExpressionAttributeValues: { ':x': 1 } };
    await engine().client.send(new UpdateCommand({ TableName: others.names.content, Key, ...change }));
    const damaged = `error: the stored record of content item#${item.id} is damaged: docs/runbook.md#errorrate says how`;
    expect(await others.run('export', 'content', pathOf('damaged.ndjson'))).toEqual(failure(damaged));
  });

  it('has no content of test keys, which an import does not touch either', async () => {
    const sandbox = contentTable(engine().client, engine().names.content, 'test');
    const { item } = await sandbox.create(someFields('a.example', 'item-3'), undefined, moment());
    const path = pathOf('live.ndjson');
    await run(['export', 'content', path]);
    const exported = (await linesOf(path)).map((line) => JSON.parse(line).id);
    expect(exported.toSorted()).toEqual((await allItems()).items.map(({ id }) => id).toSorted());
    await admin.load('content', 'item.ndjson', itemLine('item-3', { domain: 'a.example', title: 'Imported' }));
    const { items } = await sandbox.list({ offset: 0, limit: 10 }, moment().deadline);
    expect(items).toEqual([item]);
  });
});
