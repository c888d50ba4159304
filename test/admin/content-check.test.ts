import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { contentKeys } from '../../core/content/content-entries.ts';
import { contentTable } from '../../core/content/content-table.ts';
import { fillDomain, moment, someFields } from '../support/content.ts';
import { commandLine, ended } from './command-line.ts';

const { engine, run, json, pathOf, atCall, processArguments } = commandLine();

const drop = (Key: object) => engine().client.send(new DeleteCommand({ TableName: engine().names.content, Key }));

describe('content check', () => {
  it('reports inconsistencies with exit code 1, repairs them with --repair, and then finds none', async () => {
    const { client, names } = engine();
    const { counterKey, slugKey } = contentKeys('live');
    await fillDomain(client, names.content, 'a.example', 9);
    const consistent = { exitCode: 0, stdout: '9 items in 2 lists, 0 inconsistencies.\n' };
    expect(await run(['content', 'check'])).toMatchObject(consistent);
    await drop(slugKey('a.example', 'item-3'));
    const change = { UpdateExpression: 'ADD members :some', ExpressionAttributeValues: { ':some': 7 } };
    await client.send(new UpdateCommand({ TableName: names.content, Key: counterKey('all', 0), ...change }));
    const found = await run(['content', 'check']);
    expect(found.exitCode).toBe(1);
    expect(found.stdout).toContain('bucket 0 of list all: counter 16, members 9');
    expect(found.stdout).toContain('slug item-3 of a.example');
    const repaired = await run(['content', 'check', '--repair']);
    expect([repaired.exitCode, repaired.stdout.match(/repaired/g)]).toEqual([0, ['repaired', 'repaired']]);
    expect(await run(['content', 'check'])).toMatchObject(consistent);
    expect(await json(['content', 'check'])).toMatchObject({ items: 9, inconsistencies: [], busy: [] });
  });

  it.each([
    ['test', 'Sandbox'],
    ['probe', 'Probe'],
  ] as const)('has a line of its own for content of keys of the kind %s, and repairs that too', async (kind, name) => {
    const part = contentTable(engine().client, engine().names.content, kind);
    await part.create(someFields('a.example', 'item-3'), undefined, moment());
    const consistent = new RegExp(`^9 items .*\n(.+\n)?${name}: 1 items in 2 lists, 0 inconsistencies\\.\n$`);
    expect((await run(['content', 'check'])).stdout).toMatch(consistent);
    await drop(contentKeys(kind).slugKey('a.example', 'item-3'));
    const found = await run(['content', 'check']);
    expect(found.exitCode).toBe(1);
    expect(found.stdout).toContain(`${name}: slug item-3 of a.example`);
    expect(found.stdout).toContain('9 items in 2 lists, 0 inconsistencies.');
    expect(await run(['content', 'check', '--repair'])).toMatchObject({ exitCode: 0 });
    expect((await run(['content', 'check'])).stdout).toMatch(consistent);
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
