import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { contentKeys } from '../../core/content/content-entries.ts';
import { contentTable } from '../../core/content/content-table.ts';
import { prefixedTableNames } from '../../core/tables.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { fillDomain, moment, someFields } from '../support/content.ts';
import { commandLine, failure, runCommand } from './command-line.ts';
import { itemLine } from './import-files.ts';

const { engine, run, pathOf, proxy, atCall } = commandLine();
const { counterKey, itemKey, slugKey } = contentKeys('live');

const table = (name = engine().names.content) => contentTable(engine().client, name, 'live');
const allItems = (name?: string) => table(name).list({}, { offset: 0, limit: 100 }, moment().deadline);
/** New tables, and the import of a file into them. */
const otherTables = async (suffix: string) => {
  const { client, names, endpoint } = engine();
  const others = prefixedTableNames(`${names.content}-${suffix}-`);
  await createTables(client, others);
  const load = (file: string) => runCommand(['import', 'content', file, '--dynamodb', endpoint], others);
  return { others, load };
};

describe('export content', () => {
  it('writes a file that import content loads with the same order, ids and versions', async () => {
    const { client, names } = engine();
    for (const domain of ['a.example', 'b.example']) await fillDomain(client, names.content, domain, 30);
    const [item] = (await allItems()).items;
    await table().update(item?.id ?? '', { title: 'Second' }, undefined, moment());
    const file = pathOf('all.ndjson');
    expect(await run(['export', 'content', file])).toMatchObject({
      exitCode: 0,
      stdout: `60 content items are in ${file}.\n`,
    });
    const { others, load } = await otherTables('copy');
    for (let times = 0; times < 2; times += 1) {
      expect((await load(file)).exitCode).toBe(0);
      expect(await allItems(others.content)).toEqual(await allItems());
    }
  });

  it('keeps texts that are invalid in new items; a new file with them is rejected', async () => {
    const { client, names } = engine();
    const [item] = (await allItems()).items;
    const title = 'was \u0000 \ufffd';
    await client.send(
      new UpdateCommand({
        TableName: names.content,
        Key: itemKey(item?.id ?? ''),
        UpdateExpression: 'SET title = :title',
        ExpressionAttributeValues: { ':title': title },
      }),
    );
    const file = pathOf('old.ndjson');
    expect((await run(['export', 'content', file])).exitCode).toBe(0);
    const { others, load } = await otherTables('old');
    expect((await load(file)).exitCode).toBe(0);
    expect((await allItems(others.content)).items[0]?.title).toBe(title);

    const created = pathOf('new.ndjson');
    await writeFile(created, itemLine('new', { title: 'was \u0000' }));
    await load(created);
    const rejected = await readFile(`${created}.rejected.ndjson`, 'utf8');
    expect(rejected).toContain('must not contain U+0000, which is character 5');
  });

  it('is rejected for a name that import does not accept and for a missing folder', async () => {
    expect(await run(['export', 'content', pathOf('all.csv')])).toEqual(failure(''));
    expect(await run(['export', 'content', pathOf('no/folder.ndjson')])).toEqual(failure('there is no such folder'));
  });

  it('replaces an earlier export', async () => {
    const file = pathOf('all.ndjson');
    await writeFile(file, 'old');
    await run(['export', 'content', file]);
    expect(await readFile(file, 'utf8')).not.toContain('old');
  });
});

describe('content check', () => {
  it('reports inconsistencies with exit code 1, repairs them with --repair, and then finds none', async () => {
    const { client, names } = engine();
    const consistent = { exitCode: 0, stdout: '60 items in 3 lists, 0 inconsistencies.\n' };
    expect(await run(['content', 'check'])).toMatchObject(consistent);
    await client.send(new DeleteCommand({ TableName: names.content, Key: slugKey('a.example', 'item-3') }));
    await client.send(
      new UpdateCommand({
        TableName: names.content,
        Key: counterKey('all', 0),
        UpdateExpression: 'ADD members :some',
        ExpressionAttributeValues: { ':some': 7 },
      }),
    );
    const found = await run(['content', 'check']);
    expect(found.exitCode).toBe(1);
    expect(found.stdout).toContain('bucket 0 of list all: counter 67, members 60');
    expect(found.stdout).toContain('slug item-3 of a.example');
    const repaired = await run(['content', 'check', '--repair']);
    expect(repaired.exitCode).toBe(0);
    expect(repaired.stdout.match(/repaired/g)).toHaveLength(2);
    expect(await run(['content', 'check'])).toMatchObject(consistent);
  });
});

it.each([
  ['SIGINT', [130, null]],
  ['SIGKILL', [null, 'SIGKILL']],
] as const)('content check stages entries in files that nobody sees and that %s deletes', async (signal, end) => {
  const folder = pathOf('temporary');
  await mkdir(folder);
  const target = ['--dynamodb', proxy().endpoint, '--tables', engine().names.keys.replace(/keys$/, '')];
  const args = ['--disable-warning=ExperimentalWarning', 'bin/admin.ts', 'content', 'check', ...target];
  const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: folder } });
  const names: string[] = [];
  atCall(1, 'Scan', () => {
    names.push(...readdirSync(folder));
    child.kill(signal);
  });
  expect(await once(child, 'exit')).toEqual(end);
  expect([...names, ...readdirSync(folder)]).toEqual([]);
});

describe('Content of test keys', () => {
  const sandbox = () => contentTable(engine().client, engine().names.content, 'test');

  it('is not exported, and an import does not touch it', async () => {
    const { domain, slug } = await sandbox().create(someFields('a.example', 'item-3'), undefined, moment());
    const before = await allItems();
    const file = pathOf('live.ndjson');
    expect(await run(['export', 'content', file])).toMatchObject({ exitCode: 0 });
    const exported = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(exported.toReversed()).toEqual(before.items.map(({ id }) => id));
    await writeFile(file, itemLine('item-3', { domain, title: 'Imported' }));
    expect(await run(['import', 'content', file])).toMatchObject({ exitCode: 0 });
    const { items } = await sandbox().list({ domain, slug }, { offset: 0, limit: 1 }, moment().deadline);
    expect(items).toMatchObject([{ title: 'Title of item-3', version: 1 }]);
  });

  it('has a line of its own in content check, and is repaired with --repair', async () => {
    const { client, names } = engine();
    expect((await run(['content', 'check'])).stdout).toMatch(
      /^60 items .*\nSandbox: 1 items in 2 lists, 0 inconsistencies\.\n$/,
    );
    await client.send(
      new DeleteCommand({ TableName: names.content, Key: contentKeys('test').slugKey('a.example', 'item-3') }),
    );
    const found = await run(['content', 'check']);
    expect(found.exitCode).toBe(1);
    expect(found.stdout).toContain('Sandbox: slug item-3 of a.example');
    expect(found.stdout).toContain('60 items in 3 lists, 0 inconsistencies.');
    expect(await run(['content', 'check', '--repair'])).toMatchObject({ exitCode: 0 });
    expect(await run(['content', 'check'])).toMatchObject({ exitCode: 0 });
  });
});
