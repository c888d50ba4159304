import { DeleteItemCommand, GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { prefixedTableNames } from '../../functions/tables.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { commandLine, NOW } from './command-line.ts';

const { run, engine } = commandLine();

/** The table that a point-in-time restore makes, beside the live one. */
const restoredTable = () => `${engine().names.keys}-restored-keys`;

const create = async (name: string): Promise<string> => {
  const { stdout } = await run(['keys', 'create', '--name', name, '--plan', 'free', '--json']);
  return (JSON.parse(stdout) as { id: string }).id;
};

const liveRecord = async (id: string) => {
  const { client, names } = engine();
  return (await client.send(new GetItemCommand({ TableName: names.keys, Key: { id: { S: id } } }))).Item;
};

const restore = () => run(['keys', 'restore', '--from', restoredTable()]);

describe('keys restore', () => {
  let [revokedSince, changedSince, revokedBefore, missing]: [string, string, string, string] = ['', '', '', ''];

  beforeAll(async () => {
    const { client, names } = engine();
    [revokedSince, changedSince, revokedBefore, missing] = [
      await create('Revoked since'),
      await create('Changed since'),
      await create('Revoked before'),
      await create('Missing'),
    ];
    await run(['keys', 'revoke', revokedBefore]);
    // The restore point: what the table holds now, with an attribute of a later version.
    await createTables(client, prefixedTableNames(restoredTable().replace(/keys$/, '')));
    for (const item of (await client.send(new ScanCommand({ TableName: names.keys }))).Items ?? []) {
      const Item = { ...item, environment: { S: 'live' } };
      await client.send(new PutItemCommand({ TableName: restoredTable(), Item }));
    }
    await run(['keys', 'revoke', revokedSince]);
    await run(['keys', 'update', changedSince, '--plan', 'premium']);
    for (const id of [missing, revokedBefore]) {
      await client.send(new DeleteItemCommand({ TableName: names.keys, Key: { id: { S: id } } }));
    }
  });

  it('brings back missing keys whole, and leaves those that were revoked or changed since as they are', async () => {
    const { exitCode, stdout, stderr } = await restore();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^${missing} +Missing +restored$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^${revokedSince} +Revoked since +already there$`, 'm'));
    expect(stdout).toMatch(/^Restored: 2\. Already there and left as they are: 2\.$/m);
    expect(await liveRecord(revokedSince)).toMatchObject({ revokedAt: { S: NOW.toISOString() } });
    expect(await liveRecord(changedSince)).toMatchObject({ plan: { S: 'premium' } });
    expect(await liveRecord(revokedBefore)).toMatchObject({ revokedAt: { S: NOW.toISOString() } });
    expect(await liveRecord(missing)).toMatchObject({ name: { S: 'Missing' }, environment: { S: 'live' } });
  });

  it('changes nothing when it runs again', async () => {
    await restore();
    const before = (await run(['keys', 'list', '--json'])).stdout;
    const again = await restore();
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Restored: 0.') });
    expect((await run(['keys', 'list', '--json'])).stdout).toBe(before);
  });

  it('does not copy a record that it cannot read, and says so', async () => {
    const { client } = engine();
    const id = { S: 'f'.repeat(20) };
    await client.send(new PutItemCommand({ TableName: restoredTable(), Item: { id, plan: { S: 'gold' } } }));
    const { exitCode, stdout } = await restore();
    await client.send(new DeleteItemCommand({ TableName: restoredTable(), Key: { id } }));
    expect(exitCode).toBe(1);
    expect(stdout).toContain('Unreadable and not restored: 1.');
    expect(await liveRecord(id.S)).toBeUndefined();
  });

  it('answers a table that is not there, or holds something else, with one sentence', async () => {
    const { client, names } = engine();
    const none = await run(['keys', 'restore', '--from', 'nowhere']);
    expect(none).toMatchObject({ exitCode: 2, stdout: '' });
    expect(none.stderr).toMatch(/^error: .* has no table nowhere, or it is not ready yet\n$/);
    await client.send(new PutItemCommand({ TableName: names.vehicles, Item: { registration: { S: 'A1' } } }));
    const vehicles = await run(['keys', 'restore', '--from', names.vehicles]);
    const stderr = `error: ${names.vehicles} is not a table of API keys: nothing was done\n`;
    expect(vehicles).toEqual({ exitCode: 2, stdout: '', stderr });
  });
});
