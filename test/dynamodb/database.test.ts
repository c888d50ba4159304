import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { removeUnused } from '../../functions/dynamodb/client/unused-middleware.ts';
import { createDatabase } from '../../functions/dynamodb/database.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(ends.splice(0).map((end) => end()));
});

const databaseAt = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const db = createDatabase({
    region: 'eu-west-2',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  ends.push(
    () => server.close(),
    () => db.destroy(),
  );
  return db;
};

const write = new UpdateItemCommand({ TableName: 'usage', Key: { keyId: { S: 'k' } } });

/** Fails every request; each takes this many milliseconds by the clock of the function. */
const failingDatabase = async (milliseconds: number) => {
  const requests: unknown[] = [];
  let now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const db = await databaseAt((request, response) => {
    requests.push(request.headers['amz-sdk-request']);
    now += milliseconds;
    response.writeHead(500).end('{"__type":"InternalServerError"}');
  });
  return { db, requests };
};

describe('The client of the functions', () => {
  it('makes three attempts', async () => {
    const { db, requests } = await failingDatabase(1_000);
    await expect(db.send(write)).rejects.toMatchObject({ name: 'InternalServerError' });
    expect(requests).toEqual(['attempt=1; max=3', 'attempt=2; max=3', 'attempt=3; max=3']);
  });

  it('sends nothing again when the function was frozen meanwhile', async () => {
    const { db, requests } = await failingDatabase(60_000);
    await expect(db.send(write)).rejects.toMatchObject({ name: 'TooLateToTryAgain', $metadata: { attempts: 2 } });
    expect(requests).toHaveLength(1);
  });

  it('counts from the beginning of each request', async () => {
    const { db, requests } = await failingDatabase(60_000);
    await db.send(write).catch(() => undefined);
    await db.send(write).catch(() => undefined);
    expect(requests).toEqual(['attempt=1; max=3', 'attempt=1; max=3']);
  });

  it('is not made when the SDK no longer has what is taken out of it', async () => {
    const db = await databaseAt(() => undefined);
    expect(() => removeUnused(db, ['renamedMiddleware'])).toThrow('no middleware renamedMiddleware');
  });
});
