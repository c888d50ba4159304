import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { removeUnused } from '../../core/dynamodb/client/unused-middleware.ts';
import { createDatabase } from '../../core/dynamodb/database.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(ends.splice(0).map((end) => end()));
});

const write = new UpdateItemCommand({ TableName: 'usage', Key: { keyId: { S: 'k' } } });

/** A database that fails every request; each takes this many milliseconds by the clock of the function. */
const failingDatabase = async (milliseconds: number) => {
  const requests: unknown[] = [];
  let now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  const server = createServer((request, response) => {
    requests.push(request.headers['amz-sdk-request']);
    now += milliseconds;
    response.writeHead(500).end('{"__type":"InternalServerError"}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const db = createDatabase({ region: 'eu-west-2', endpoint, credentials });
  ends.push(
    () => server.close(),
    () => db.destroy(),
  );
  return { db, requests };
};

describe('The client of the functions', () => {
  it('makes three attempts', async () => {
    const { db, requests } = await failingDatabase(1_000);
    await expect(db.send(write)).rejects.toMatchObject({ name: 'InternalServerError' });
    expect(requests).toEqual(['attempt=1; max=3', 'attempt=2; max=3', 'attempt=3; max=3']);
  });

  it('does not retry a request that was sent before the function was frozen', async () => {
    const { db, requests } = await failingDatabase(60_000);
    for (let request = 0; request < 2; request += 1) {
      await expect(db.send(write)).rejects.toMatchObject({ name: 'TooLateToTryAgain', $metadata: { attempts: 2 } });
    }
    expect(requests).toEqual(['attempt=1; max=3', 'attempt=1; max=3']);
  });

  it('is not created when the SDK no longer has the middleware that is removed', async () => {
    const { db } = await failingDatabase(0);
    expect(() => removeUnused(db, ['renamedMiddleware'])).toThrow('no middleware renamedMiddleware');
  });
});
