import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
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

const portOf = ({ endpoint }: Engine) => Number(new URL(endpoint).port);

const post = (engine: Engine, body: string, headers: Record<string, string> = {}) =>
  fetch(engine.endpoint, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.ListTables',
      authorization: 'AWS4-HMAC-SHA256 local',
      ...headers,
    },
  });

describe('the embedded engine', () => {
  it('keeps its data in a directory across restarts', async () => {
    const dataDirectory = await temporaryDirectory();
    const first = await start({ dataDirectory });
    await createTables(first.client, names);
    await write(first.client, [put(names.keys, 'kept', 'value')]);
    await first.engine.close();
    const second = await start({ dataDirectory });
    expect(await createTables(second.client, names)).toEqual([]);
    expect(await read(second.client, names.keys, 'kept')).toEqual(itemOf('kept', 'value'));
  });

  it('rejects a directory that another engine has open, which keeps working', async () => {
    const dataDirectory = await temporaryDirectory();
    const first = await start({ dataDirectory });
    const error = await errorOf(startEmbeddedEngine({ port: 0, dataDirectory }));
    expect(error).toMatchObject({ code: 'LEVEL_DATABASE_NOT_OPEN', cause: { code: 'LEVEL_LOCKED' } });
    await expect(createTables(first.client, names)).resolves.toHaveLength(5);
  });

  it('rejects a taken port and closes the directory again', async () => {
    const dataDirectory = await temporaryDirectory();
    const { engine } = await start();
    const error = await errorOf(startEmbeddedEngine({ port: portOf(engine), dataDirectory }));
    expect(error).toMatchObject({ code: 'EADDRINUSE' });
    await start({ dataDirectory });
  });

  it('survives a request that is aborted in its body', async () => {
    const { engine, client } = await start();
    const socket = connect(portOf(engine), '127.0.0.1');
    await once(socket, 'connect');
    const head =
      'POST / HTTP/1.1\r\nhost: local\r\nx-amz-target: DynamoDB_20120810.PutItem\r\ncontent-length: 100\r\n\r\n{"Tab';
    await new Promise((resolve) => socket.write(head, resolve));
    socket.resetAndDestroy();
    expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual([]);
  });

  it('closes while connections are open', async () => {
    const { engine, client } = await start();
    await client.send(new ListTablesCommand({}));
    const idle = connect(portOf(engine), '127.0.0.1');
    await once(idle, 'connect');
    const closed = once(idle, 'close');
    await Promise.all([engine.close(), engine.close(), closed]);
    const late = connect(portOf(engine), '127.0.0.1');
    expect(await errorOf(once(late, 'connect'))).toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('responds to malformed and unknown requests with an error', async () => {
    const { engine } = await start();
    const statuses = await Promise.all([
      post(engine, '{}'),
      post(engine, 'not json'),
      post(engine, '[]'),
      post(engine, '{}', { 'x-amz-target': 'DynamoDB_20120810.Nothing' }),
      post(engine, '{}', { 'content-type': 'text/plain' }),
      post(engine, '{}', { authorization: 'none' }),
      post(engine, `{"ExclusiveStartTableName":${'['.repeat(100_000)}`),
      post(engine, ' '.repeat(17 * 1024 * 1024)),
      fetch(engine.endpoint),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([200, 400, 400, 400, 400, 400, 400, 413, 400]);
  });
});
