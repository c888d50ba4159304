import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { contentKeys } from '../../core/content/content-store.ts';
import { contentTable } from '../../core/content/content-table.ts';
import { moment, someFields } from '../support/content.ts';
import { ended, failure, useAdmin } from '../support/use-admin.ts';

const { engine, run, json, pathOf, atCall, processArguments } = useAdmin();

describe('content check', () => {
  it.each([
    ['live', ''],
    ['test', 'Sandbox: '],
    ['probe', 'Probe: '],
  ] as const)('of content of keys of the kind %s exits with 1, and after --repair with 0', async (kind, where) => {
    const { client, names } = engine();
    const { counterKey, slugKey } = contentKeys(kind);
    await contentTable(client, names.content, kind).create(someFields('a.example', 'item'), undefined, moment());
    const consistent = { exitCode: 0, stdout: expect.stringContaining(`${where}1 items in 2 lists, 0 incons`) };
    expect(await run(['content', 'check'])).toMatchObject(consistent);
    await client.send(new DeleteCommand({ TableName: names.content, Key: slugKey('a.example', 'item') }));
    const change = { UpdateExpression: 'ADD members :some', ExpressionAttributeValues: { ':some': 7 } };
    await client.send(new UpdateCommand({ TableName: names.content, Key: counterKey('all', 0), ...change }));
    const found = await run(['content', 'check']);
    expect(found.exitCode).toBe(1);
    expect(found.stdout).toContain(`${where}bucket 0 of list all: counter 8, members 1`);
    expect(found.stdout).toContain(`${where}slug item of a.example`);
    const repaired = await run(['content', 'check', '--repair']);
    expect([repaired.exitCode, repaired.stdout.match(/repaired/g)]).toEqual([0, ['repaired', 'repaired']]);
    expect(await run(['content', 'check'])).toMatchObject(consistent);
    expect(await json(['content', 'check'])).toMatchObject({ items: 1, inconsistencies: [], busy: [] });
  });

  it('and an export name an item whose record is damaged', async () => {
    const { client, names } = engine();
    const live = contentTable(client, names.content, 'live');
    const item = await live.create(someFields('b.example', 'damaged'), undefined, moment());
    const { itemKey } = contentKeys('live');
    const change = { UpdateExpression: 'SET title = :x', ExpressionAttributeValues: { ':x': 1 } };
    await client.send(new UpdateCommand({ TableName: names.content, Key: itemKey(item.id), ...change }));
    const record = `the stored record of content item#${item.id}`;
    const damaged = failure(`error: ${record} is damaged: docs/runbook.md#errorrate says how to replace it\n`);
    expect(await run(['content', 'check'])).toEqual(damaged);
    expect(await run(['export', 'content', pathOf('damaged.ndjson')])).toEqual(damaged);
  });

  it('stages entries in files that nobody sees, so that they are deleted even when it is killed', async () => {
    const folder = pathOf('temporary');
    await mkdir(folder);
    const env = { ...process.env, TMPDIR: folder };
    const child = spawn(process.execPath, processArguments('content', 'check'), { env });
    const names: string[] = [];
    atCall(1, 'Scan', () => {
      names.push(...readdirSync(folder));
      child.kill('SIGKILL');
    });
    expect(await ended(child)).toMatchObject({ signal: 'SIGKILL' });
    expect([...names, ...readdirSync(folder)]).toEqual([]);
  });
});
