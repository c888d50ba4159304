import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { prefixedTableNames } from '../../core/tables.ts';
import { keysTable } from '../../lib/admin/keys/keys-table.ts';
import { createTables } from '../../lib/local/engine/create-tables.ts';
import { commandLine, failure, NOW } from './command-line.ts';

const { run, json, engine } = commandLine();

/** The table that a point-in-time restore creates, beside the live one. */
const restoredTable = () => `${engine().names.keys}-restored-keys`;
const put = (TableName: string, Item: object) => engine().client.send(new PutCommand({ TableName, Item }));
const drop = (TableName: string, id: string) => engine().client.send(new DeleteCommand({ TableName, Key: { id } }));
const liveRecord = (id: string) => keysTable(engine().client, engine().names.keys).find(id);
const restore = (from = restoredTable()) => run(['keys', 'restore', '--from', from]);

describe('keys restore', () => {
  const ids = { revokedSince: '', changedSince: '', revokedBefore: '', missing: '' };

  beforeAll(async () => {
    const { client, names } = engine();
    for (const name of Object.keys(ids) as (keyof typeof ids)[]) {
      ids[name] = (await json<{ id: string }>(['keys', 'create', '--name', name, '--plan', 'free'])).id;
    }
    await run(['keys', 'revoke', ids.revokedBefore]);
    // The restore point.
    await createTables(client, prefixedTableNames(restoredTable().replace(/keys$/, '')));
    const { Items = [] } = await client.send(new ScanCommand({ TableName: names.keys }));
    for (const item of Items) await put(restoredTable(), item);
    await run(['keys', 'revoke', ids.revokedSince]);
    await run(['keys', 'update', ids.changedSince, '--plan', 'premium']);
    for (const id of [ids.missing, ids.revokedBefore]) await drop(names.keys, id);
  });

  it('restores missing keys completely, does not change keys that were revoked or changed since, nor anything again', async () => {
    const { exitCode, stdout, stderr } = await restore();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^${ids.missing} +missing +restored$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^${ids.revokedSince} +revokedSince +already there$`, 'm'));
    expect(stdout).toMatch(/^Restored: 2\. Already there and not changed: 2\.$/m);
    const revoked = { revokedAt: NOW.toISOString() };
    expect(await liveRecord(ids.revokedSince)).toMatchObject(revoked);
    expect(await liveRecord(ids.changedSince)).toMatchObject({ plan: 'premium' });
    expect(await liveRecord(ids.revokedBefore)).toMatchObject(revoked);
    expect(await liveRecord(ids.missing)).toMatchObject({ name: 'missing', environment: 'live' });
    expect(await restore()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Restored: 0.') });
  });

  it('reports a record that it cannot read, and does not copy it', async () => {
    const id = 'f'.repeat(20);
    await put(restoredTable(), { id, plan: 'gold' });
    const stdout = expect.stringContaining('Unreadable and not restored: 1.');
    expect(await restore()).toMatchObject({ exitCode: 1, stdout });
    expect(await liveRecord(id)).toBeUndefined();
  });

  it('is rejected with one sentence for a table that is missing or contains other data', async () => {
    expect(await restore('nowhere')).toEqual(failure(/^error: .* has no table nowhere, or it is not ready yet\n$/));
    const { vehicles } = engine().names;
    await put(vehicles, { registration: 'A1' });
    expect(await restore(vehicles)).toEqual(
      failure(`error: ${vehicles} is not a table of API keys: nothing was done\n`),
    );
  });
});
