import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, QueryCommand, ScanCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TransactWrite } from '../../../core/aws/transact.ts';
import { recentMap } from '../../../core/runtime/recent-map.ts';
import { LOCAL_TABLE_NAMES, prefixedTableNames, tables } from '../../../core/tables.ts';
import { createTables } from '../../../local/engine/create-tables.ts';
import type { Store } from '../../../local/engine/dynalite-store.ts';
import { type Engine, startEmbeddedEngine } from '../../../local/engine/embedded.ts';
import { writeTransaction } from '../../../local/engine/transactions.ts';
import { clientOf } from '../../support/engine.ts';
import { forOperation, onNthCall } from '../../support/fault-choosers.ts';
import { startFaultProxy } from '../../support/fault-proxy.ts';
import { useEngine } from '../../support/use-engine.ts';

type More<Kind extends keyof TransactWrite> = Partial<NonNullable<TransactWrite[Kind]>>;

const shared = useEngine();
let table: string;
beforeAll(() => {
  table = shared.names.keys;
});

/** Each test works on items of its own. */
const fresh = () => randomUUID();
const put = (id: string, value = '', more: More<'Put'> = {}): TransactWrite => ({
  Put: { TableName: table, Item: { id, value }, ...more },
});
const putNew = (id: string) => put(id, 'new', { ConditionExpression: 'attribute_not_exists(id)' });
const add = (id: string, change: number, more: More<'Update'> = {}): TransactWrite => {
  const addition = { UpdateExpression: 'ADD amount :change', ExpressionAttributeValues: { ':change': change } };
  return { Update: { TableName: table, Key: { id }, ...addition, ...more } };
};
const requirePresent = (id: string, more: More<'ConditionCheck'> = {}): TransactWrite => ({
  ConditionCheck: { TableName: table, Key: { id }, ConditionExpression: 'attribute_exists(id)', ...more },
});
const transact = (TransactItems: TransactWrite[], ClientRequestToken?: string) =>
  shared.client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken }));
const stored = async (...ids: string[]) => {
  const keys = ids.map((id) => ({ TableName: table, Key: { id }, ConsistentRead: true }));
  return Promise.all(keys.map(async (key) => (await shared.client.send(new GetCommand(key))).Item));
};

/** What it applies, and what conditions do: test/unit/content, test/unit/aws/retries.test.ts, test/races. */
describe('A transaction', () => {
  it('checks an item and leaves it as it is, and fails when it is absent', async () => {
    const [present, absent] = [fresh(), fresh()];
    await transact([put(present)]);
    await transact([requirePresent(present)]);
    expect(await stored(present)).toEqual([{ id: present, value: '' }]);
    await expect(transact([requirePresent(absent)])).rejects.toMatchObject({ name: 'TransactionCanceledException' });
  });

  it('changes nothing when an update does not fit the item', async () => {
    const [untouched, text] = [fresh(), fresh()];
    await transact([put(text, 'text')]);
    const adding = { UpdateExpression: 'SET #v = #v + :change', ExpressionAttributeNames: { '#v': 'value' } };
    const name = expect.stringMatching(/^(TransactionCanceled|Validation)Exception$/);
    await expect(transact([put(untouched), add(text, 1, adding)])).rejects.toMatchObject({ name });
    expect(await stored(untouched, text)).toEqual([undefined, { id: text, value: 'text' }]);
  });

  const invalid: readonly [string, (id: string) => TransactWrite[], string?][] = [
    ['names an item twice', (id) => [add(id, 1)]],
    ['has an item over 400 KB', () => [put(fresh(), 'x'.repeat(410_000))]],
    ['checks an item without a condition', () => [requirePresent(fresh(), { ConditionExpression: undefined })]],
    ['names an unknown table', () => [put(fresh(), '', { TableName: 'nowhere' })], 'ResourceNotFoundException'],
  ];
  it.each(invalid)(
    'is rejected and changes nothing when it %s',
    async (_, actionsFor, name = 'ValidationException') => {
      const id = fresh();
      await expect(transact([put(id), ...actionsFor(id)])).rejects.toMatchObject({ name });
      expect(await stored(id)).toEqual([undefined]);
    },
  );

  it('fails as the engine has failed when an action cannot be undone', async () => {
    const statuses: Readonly<Record<string, number>> = { GetItem: 200, PutItem: 400, DeleteItem: 500 };
    const store = {
      perform: async (operation: string) => ({ status: statuses[operation], body: {} }),
      validate: () => undefined,
      tableNamed: async () => ({ KeySchema: [{ AttributeName: 'id' }] }),
    } as unknown as Store;
    const TransactItems = [{ Put: { TableName: 'keys', Item: { id: { S: fresh() } } } }];
    const written = writeTransaction(store, recentMap(1), { TransactItems });
    await expect(written).rejects.toThrow('An action of a transaction could not be undone.');
  });
});

it('A request token applies its transaction once, and can be reused after a rejection', async () => {
  const [id, applied, rejected] = [fresh(), fresh(), fresh()];
  for (let times = 0; times < 2; times += 1) await transact([add(id, 1)], applied);
  await expect(transact([putNew(id)], rejected)).rejects.toThrow();
  await transact([add(id, 1)], rejected);
  expect(await stored(id)).toEqual([{ id, amount: 2 }]);
});

/** In a data folder: test/unit/local/start.test.ts. */
describe('The embedded engine', () => {
  let engine: Engine;
  let client: ReturnType<typeof clientOf>;
  beforeAll(async () => {
    engine = await startEmbeddedEngine({ port: 0 });
    client = clientOf(engine.endpoint);
  });
  afterAll(() => client.destroy());

  const connected = async () => {
    const socket = connect(Number(new URL(engine.endpoint).port), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };

  it('counts a table as created when its creation is retried because the first response was lost', async () => {
    const proxy = await startFaultProxy(engine.endpoint);
    const proxied = clientOf(proxy.endpoint);
    proxy.inject(forOperation('CreateTable', onNthCall(1, 'resetAfter')));
    expect(await createTables(proxied, prefixedTableNames('again-'))).toEqual(Object.keys(tables));
    proxied.destroy();
    await proxy.close();
  });

  it('survives a request that is aborted in its body', async () => {
    const socket = await connected();
    const head = 'POST / HTTP/1.1\r\nhost: local\r\nx-amz-target: DynamoDB_20120810.PutItem\r\ncontent-length: 100';
    await new Promise((resolve) => socket.write(`${head}\r\n\r\n{"Tab`, resolve));
    socket.resetAndDestroy();
    expect((await client.send(new ListTablesCommand({}))).TableNames).toBeDefined();
  });

  it.each([
    ['query', QueryCommand],
    ['scan', ScanCommand],
  ])('survives a %s whose filter it cannot evaluate', async (_what, Command) => {
    await createTables(client, LOCAL_TABLE_NAMES);
    const Item = { id: 'a', flagA: true, flagB: true };
    await client.send(new PutCommand({ TableName: LOCAL_TABLE_NAMES.keys, Item }));
    const input = {
      TableName: LOCAL_TABLE_NAMES.keys,
      ...(Command === QueryCommand && { KeyConditionExpression: 'id = :id' }),
      FilterExpression: 'begins_with(flagA, flagB) OR flagC = :id',
      ExpressionAttributeValues: { ':id': 'a' },
    };
    await expect(client.send(new Command(input))).rejects.toMatchObject({ name: 'InternalServerError' });
    expect((await client.send(new ListTablesCommand({}))).TableNames).toContain(LOCAL_TABLE_NAMES.keys);
  });

  const valid = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'DynamoDB_20120810.ListTables',
    authorization: 'AWS4-HMAC-SHA256 local',
  };
  it.each<[number, string, string, Partial<typeof valid>]>([
    [200, 'a valid request', '{}', {}],
    [400, 'no JSON', 'not json', {}],
    [400, 'an unknown operation', '{}', { 'x-amz-target': 'DynamoDB_20120810.Nothing' }],
    [400, 'no signature', '{}', { authorization: 'none' }],
    [400, 'deep nesting', `{"ExclusiveStartTableName":${'['.repeat(100_000)}`, {}],
  ])('returns %i for %s', async (status, _what, body, headers) => {
    const reply = await fetch(engine.endpoint, { method: 'POST', body, headers: { ...valid, ...headers } });
    expect(reply.status).toBe(status);
  });

  it('closes while connections are open', async () => {
    const closed = once(await connected(), 'close');
    await Promise.all([engine.close(), engine.close(), closed]);
    await expect(connected()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
