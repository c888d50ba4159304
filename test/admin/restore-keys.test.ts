import { DeleteCommand, GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { prefixedTableNames } from '../../core/tables.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { commandLine, failure, NOW } from './command-line.ts';

const { run, engine } = commandLine();

/** The table that a point-in-time restore creates, beside the live one. */
const restoredTable = () => `${engine().names.keys}-restored-keys`;
const put = (TableName: string, Item: object) => engine().client.send(new PutCommand({ TableName, Item }));
const drop = (TableName: string, id: string) => engine().client.send(new DeleteCommand({ TableName, Key: { id } }));
const liveRecord = async (id: string) =>
  (await engine().client.send(new GetCommand({ TableName: engine().names.keys, Key: { id } }))).Item;

const create = async (name: string): Promise<string> => {
  const { stdout } = await run(['keys', 'create', '--name', name, '--plan', 'free', '--json']);
  return (JSON.parse(stdout) as { id: string }).id;
};
const restore = (from = restoredTable()) => run(['keys', 'restore', '--from', from]);

describe('keys restore', () => {
  const ids = { revokedSince: '', changedSince: '', revokedBefore: '', missing: '' };

  beforeAll(async () => {
    const { client, names } = engine();
    for (const name of Object.keys(ids)) ids[name as keyof typeof ids] = await create(name);
    await run(['keys', 'revoke', ids.revokedBefore]);
    // The restore point: the current items, with an attribute of a later version.
    await createTables(client, prefixedTableNames(restoredTable().replace(/keys$/, '')));
    const { Items = [] } = await client.send(new ScanCommand({ TableName: names.keys }));
    for (const item of Items) await put(restoredTable(), { ...item, environment: 'live' });
    await run(['keys', 'revoke', ids.revokedSince]);
    await run(['keys', 'update', ids.changedSince, '--plan', 'premium']);
    for (const id of [ids.missing, ids.revokedBefore]) await drop(names.keys, id);
  });

  it('restores missing keys completely, and does not change keys that were revoked or changed since', async () => {
    const { exitCode, stdout, stderr } = await restore();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^${ids.missing} +missing +restored$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^${ids.revokedSince} +revokedSince +already there$`, 'm'));
    expect(stdout).toMatch(/^Restored: 2\. Already there and not changed: 2\.$/m);
    expect(await liveRecord(ids.revokedSince)).toMatchObject({ revokedAt: NOW.toISOString() });
    expect(await liveRecord(ids.changedSince)).toMatchObject({ plan: 'premium' });
    expect(await liveRecord(ids.revokedBefore)).toMatchObject({ revokedAt: NOW.toISOString() });
    expect(await liveRecord(ids.missing)).toMatchObject({ name: 'missing', environment: 'live' });
  });

  it('changes nothing when it runs again', async () => {
    await restore();
    const before = (await run(['keys', 'list', '--json'])).stdout;
    expect(await restore()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Restored: 0.') });
    expect((await run(['keys', 'list', '--json'])).stdout).toBe(before);
  });

  it('reports a record that it cannot read, and does not copy it', async () => {
    const id = 'f'.repeat(20);
    await put(restoredTable(), { id, plan: 'gold' });
    const result = await restore();
    await drop(restoredTable(), id);
    const sentence = expect.stringContaining('Unreadable and not restored: 1.');
    expect(result).toMatchObject({ exitCode: 1, stdout: sentence });
    expect(await liveRecord(id)).toBeUndefined();
  });

  it('is rejected with one sentence for a table that is missing or contains other data', async () => {
    expect(await restore('nowhere')).toEqual(failure(/^error: .* has no table nowhere, or it is not ready yet\n$/));
    const { vehicles } = engine().names;
    await put(vehicles, { registration: 'A1' });
    const stderr = `error: ${vehicles} is not a table of API keys: nothing was done\n`;
    expect(await restore(vehicles)).toEqual({ exitCode: 2, stdout: '', stderr });
  });
});
