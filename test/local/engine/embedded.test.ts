import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteTableCommand, DescribeTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from '@jest/globals';
import { prefixedTableNames } from '../../../core/tables.ts';
import { createTables } from '../../../lib/local/engine/create-tables.ts';
import { type EmbeddedEngineOptions, type Engine, startEmbeddedEngine } from '../../../lib/local/engine/embedded.ts';
import { clientOf } from '../../support/engine.ts';
import { errorOf, itemOf, put, read, write } from './writes.ts';

const names = prefixedTableNames('embedded-');
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp();
});

const start = async (options: Partial<EmbeddedEngineOptions> = {}) => {
  const engine = await startEmbeddedEngine({ port: 0, ...options });
  const client = clientOf(engine.endpoint);
  cleanups.push(async () => {
    client.destroy();
    await engine.close();
  });
  return { engine, client };
};

const temporaryDirectory = async () => {
  const directory = await mkdtemp(join(tmpdir(), 'engine-'));
  cleanups.push(() => rm(directory, { recursive: true }));
  return directory;
};

const connected = async ({ endpoint }: Engine) => {
  const socket = connect(Number(new URL(endpoint).port), '127.0.0.1');
  await once(socket, 'connect');
  return socket;
};

describe('the embedded engine', () => {
  it('keeps its data in a directory across restarts, for one engine at a time', async () => {
    const dataDirectory = await temporaryDirectory();
    const first = await start({ dataDirectory });
    await createTables(first.client, names);
    const error = await errorOf(startEmbeddedEngine({ port: 0, dataDirectory }));
    expect(error).toMatchObject({ code: 'LEVEL_DATABASE_NOT_OPEN', cause: { code: 'LEVEL_LOCKED' } });
    await write(first.client, [put(names.keys, 'kept', 'value')]);
    await first.engine.close();
    const second = await start({ dataDirectory });
    expect(await createTables(second.client, names)).toEqual([]);
    expect(await read(second.client, names.keys, 'kept')).toEqual(itemOf('kept', 'value'));
  });

  it('rejects a taken port and closes the directory again', async () => {
    const dataDirectory = await temporaryDirectory();
    const { engine } = await start();
    const port = Number(new URL(engine.endpoint).port);
    expect(await errorOf(startEmbeddedEngine({ port, dataDirectory }))).toMatchObject({ code: 'EADDRINUSE' });
    await start({ dataDirectory });
  });

  it('creates only the missing tables, as described and active', async () => {
    const { client } = await start();
    expect(await createTables(client, names)).toHaveLength(Object.keys(names).length);
    const { Table } = await client.send(new DescribeTableCommand({ TableName: names.usage }));
    expect(Table).toMatchObject({
      TableStatus: 'ACTIVE',
      KeySchema: [
        { AttributeName: 'keyId', KeyType: 'HASH' },
        { AttributeName: 'windowStart', KeyType: 'RANGE' },
      ],
      BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
    });
    await client.send(new DeleteTableCommand({ TableName: names.vehicles }));
    expect(await createTables(client, names)).toEqual(['vehicles']);
  });

  it('survives a request that is aborted in its body', async () => {
    const { engine, client } = await start();
    const socket = await connected(engine);
    const head = 'POST / HTTP/1.1\r\nhost: local\r\nx-amz-target: DynamoDB_20120810.PutItem\r\ncontent-length: 100';
    await new Promise((resolve) => socket.write(`${head}\r\n\r\n{"Tab`, resolve));
    socket.resetAndDestroy();
    expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  });

  it('closes while connections are open', async () => {
    const { engine, client } = await start();
    await client.send(new ListTablesCommand({}));
    const closed = once(await connected(engine), 'close');
    await Promise.all([engine.close(), engine.close(), closed]);
    expect(await errorOf(connected(engine))).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('responds to malformed and unknown requests with an error', async () => {
    const { engine } = await start();
    const valid = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.ListTables',
      authorization: 'AWS4-HMAC-SHA256 local',
    };
    const statusOf = async (body: string, headers: Partial<typeof valid> = {}) =>
      (await fetch(engine.endpoint, { method: 'POST', body, headers: { ...valid, ...headers } })).status;
    const statuses = [
      await statusOf('{}'),
      await statusOf('not json'),
      await statusOf('[]'),
      await statusOf('{}', { 'x-amz-target': 'DynamoDB_20120810.Nothing' }),
      await statusOf('{}', { 'content-type': 'text/plain' }),
      await statusOf('{}', { authorization: 'none' }),
      await statusOf(`{"ExclusiveStartTableName":${'['.repeat(100_000)}`),
      await statusOf(' '.repeat(17 * 1024 * 1024)),
      (await fetch(engine.endpoint)).status,
    ];
    expect(statuses).toEqual([200, 400, 400, 400, 400, 400, 400, 413, 400]);
  });
});
