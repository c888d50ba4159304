import { readFile, writeFile } from 'node:fs/promises';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { itemKey, slugKey } from '../../functions/content/content-entries.ts';
import { contentTable } from '../../functions/content/content-table.ts';
import { counterKey } from '../../functions/counted-list/entries.ts';
import { prefixedTableNames } from '../../functions/tables.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { fillDomain, moment } from '../support/content.ts';
import { commandLine, runCommand } from './command-line.ts';

const admin = commandLine();

const allItems = async (table: string) =>
  contentTable(admin.engine().client, table).list({}, { offset: 0, limit: 100 }, moment().deadline);

describe('export content', () => {
  it('writes a file that import content loads with the same order, ids and versions', async () => {
    const { client, names, endpoint } = admin.engine();
    await fillDomain(client, names.content, 'a.example', 30);
    await fillDomain(client, names.content, 'b.example', 30);
    const before = await allItems(names.content);
    await contentTable(client, names.content).update(
      before.items[9]?.id ?? '',
      { title: 'Second' },
      undefined,
      moment(),
    );
    const file = admin.pathOf('all.ndjson');
    const { exitCode, stdout } = await admin.run(['export', 'content', file]);
    expect([exitCode, stdout]).toEqual([0, `60 content items are in ${file}.\n`]);
    const elsewhere = prefixedTableNames(`${names.content}-copy-`);
    await createTables(client, elsewhere);
    const loaded = await runCommand(['import', 'content', file, '--dynamodb', endpoint], elsewhere);
    expect(loaded.exitCode).toBe(0);
    expect(await allItems(elsewhere.content)).toEqual(await allItems(names.content));
    const again = await runCommand(['import', 'content', file, '--dynamodb', endpoint], elsewhere);
    expect(again.exitCode).toBe(0);
    expect(await allItems(elsewhere.content)).toEqual(await allItems(names.content));
  });

  it('of texts that are invalid in new items can be imported; a new file with them is rejected', async () => {
    const { client, names, endpoint } = admin.engine();
    const [item] = (await allItems(names.content)).items;
    const title = 'was \u0000 \ufffd';
    await client.send(
      new UpdateCommand({
        TableName: names.content,
        Key: itemKey(item?.id ?? ''),
        UpdateExpression: 'SET title = :title',
        ExpressionAttributeValues: { ':title': title },
      }),
    );
    const file = admin.pathOf('old.ndjson');
    expect((await admin.run(['export', 'content', file])).exitCode).toBe(0);
    const elsewhere = prefixedTableNames(`${names.content}-old-`);
    await createTables(client, elsewhere);
    const loaded = await runCommand(['import', 'content', file, '--dynamodb', endpoint], elsewhere);
    expect(loaded.exitCode).toBe(0);
    expect((await allItems(elsewhere.content)).items[0]?.title).toBe(title);

    const created = admin.pathOf('new.ndjson');
    await writeFile(created, JSON.stringify({ title: 'was \u0000', content: 'x', domain: 'new.example', slug: 'new' }));
    await runCommand(['import', 'content', created, '--dynamodb', endpoint], elsewhere);
    const rejected = await readFile(`${created}.rejected.ndjson`, 'utf8');
    expect(rejected).toContain('must not contain U+0000, which is character 5');
  });

  it('fails for a name that import does not accept, and for a missing folder', async () => {
    expect((await admin.run(['export', 'content', admin.pathOf('all.csv')])).exitCode).toBe(2);
    const { exitCode, stderr } = await admin.run(['export', 'content', admin.pathOf('no/such/folder.ndjson')]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('there is no such folder');
  });

  it('replaces an earlier export', async () => {
    const file = admin.pathOf('all.ndjson');
    await writeFile(file, 'old');
    await admin.run(['export', 'content', file]);
    expect(await readFile(file, 'utf8')).not.toContain('old');
  });
});

describe('content check', () => {
  it('reports no inconsistencies in consistent content', async () => {
    const { exitCode, stdout } = await admin.run(['content', 'check']);
    expect([exitCode, stdout]).toEqual([0, '60 items in 3 lists, 0 inconsistencies.\n']);
  });

  it('reports inconsistencies with exit code 1, repairs them with --repair, and then finds none', async () => {
    const { client, names } = admin.engine();
    await client.send(new DeleteCommand({ TableName: names.content, Key: slugKey('a.example', 'item-3') }));
    await client.send(
      new UpdateCommand({
        TableName: names.content,
        Key: counterKey('all', 0),
        UpdateExpression: 'ADD members :some',
        ExpressionAttributeValues: { ':some': 7 },
      }),
    );
    const found = await admin.run(['content', 'check']);
    expect(found.exitCode).toBe(1);
    expect(found.stdout).toContain('bucket 0 of list all: counter 67, members 60');
    expect(found.stdout).toContain('slug item-3 of a.example');
    const repaired = await admin.run(['content', 'check', '--repair']);
    expect(repaired.exitCode).toBe(0);
    expect(repaired.stdout.match(/repaired/g)).toHaveLength(2);
    expect((await admin.run(['content', 'check'])).stdout).toContain(' 0 inconsistencies');
  });
});
