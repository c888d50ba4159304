/** The client of the functions: its attempts, and the parts of the SDK that it replaces. */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AttributeValue, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { removeUnused } from '../../core/dynamodb/client/unused-middleware.ts';
import { createDatabase } from '../../core/dynamodb/database.ts';
import { startEngine } from '../support/engine.ts';
import { describeOwnClient } from '../support/sdk-client.ts';

const REGION = 'eu-west-1';
const SECRET = 'a-secret';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(ends.splice(0).map((end) => end()));
});

const databaseAt = (endpoint: string, sessionToken?: string) => {
  const credentials = { accessKeyId: 'anId', secretAccessKey: SECRET, ...(sessionToken && { sessionToken }) };
  const db = createDatabase({ region: REGION, endpoint, credentials });
  ends.push(() => db.destroy());
  return db;
};

/** The client of a server that answers like this. */
const databaseAnswering = async (answer: RequestListener, sessionToken?: string) => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  return databaseAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, sessionToken);
};

const write = new PutItemCommand({ TableName: 'content', Item: { title: { S: 'Prüfung 検査 🚗' } } });

describe('The client of the functions', () => {
  /** Each request takes this many milliseconds by the clock of the function, and fails. */
  const failingDatabase = async (milliseconds: number) => {
    const requests: unknown[] = [];
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const db = await databaseAnswering((request, response) => {
      requests.push(request.headers['amz-sdk-request']);
      now += milliseconds;
      response.writeHead(500).end('{"__type":"InternalServerError"}');
    });
    return { db, requests };
  };

  it('makes three attempts', async () => {
    const { db, requests } = await failingDatabase(1_000);
    await expect(db.send(write)).rejects.toMatchObject({ name: 'InternalServerError' });
    expect(requests).toEqual(['attempt=1; max=3', 'attempt=2; max=3', 'attempt=3; max=3']);
  });

  it('does not retry a request that was sent before the function was frozen', async () => {
    const { db, requests } = await failingDatabase(60_000);
    for (let request = 0; request < 2; request += 1) {
      await expect(db.send(write)).rejects.toMatchObject({ name: 'TooLateToRetry', $metadata: { attempts: 2 } });
    }
    expect(requests).toEqual(['attempt=1; max=3', 'attempt=1; max=3']);
  });

  it('is not created when the SDK no longer has the middleware that is removed', async () => {
    const { db } = await failingDatabase(0);
    expect(() => removeUnused(db, ['renamedMiddleware'])).toThrow('no middleware renamedMiddleware');
  });
});

describeOwnClient('The signature of a request', () => {
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');

  // Engines on one machine do not look at signatures.
  it('is Version 4 as AWS documents it, of body, target and session token', async () => {
    let headers: IncomingHttpHeaders = {};
    let body = Buffer.from('');
    const db = await databaseAnswering(async (request, response) => {
      headers = request.headers;
      body = Buffer.concat(await Array.fromAsync(request));
      response.end('{}');
    }, 'a/session+token=');
    await db.send(write);
    const [, id, scope = '', signedHeaders = '', signature] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=(.+)$/.exec(
        headers.authorization ?? '',
      ) ?? [];
    const day = String(headers['x-amz-date']).slice(0, 8);
    expect([id, scope]).toEqual(['anId', `${day}/${REGION}/dynamodb/aws4_request`]);
    expect(headers).toMatchObject({ 'x-amz-security-token': 'a/session+token=' });
    const names = signedHeaders.split(';');
    expect(names).toEqual(expect.arrayContaining(['host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target']));
    expect(String(body)).toContain('Prüfung 検査 🚗');
    // Of a POST to `/` ("Create a signed AWS API request", IAM user guide).
    const canonicalHeaders = names.map((name) => `${name}:${headers[name]}\n`).join('');
    const canonical = ['POST', '/', '', canonicalHeaders, signedHeaders, sha256(body)].join('\n');
    const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
    const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
    expect(signature).toBe(hmac(key, text).toString('hex'));
  });
});

describeOwnClient('The protocol of the functions', () => {
  const preparedEngine = async () => {
    const engine = await startEngine();
    ends.push(engine.stop);
    return { client: engine.client, TableName: engine.names.vehicles, db: databaseAt(engine.endpoint) };
  };

  /** The SDK loses an entry of a map with the name `__proto__`. No name in our tables comes from a caller. */
  const name = fc.string({ minLength: 1 }).filter((text) => text !== '__proto__');

  /** Everything that an attribute can hold but binary. */
  const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({ S: fc.string({ unit: 'grapheme' }) }),
      fc.record({ N: fc.integer().map(String) }),
      fc.record({ BOOL: fc.boolean() }),
      fc.constant({ NULL: true as const }),
      fc.record({ SS: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 }) }),
      fc.record({ L: fc.array(tie('value')) }),
      fc.record({ M: fc.dictionary(name, tie('value'), { noNullPrototype: true }) }),
    ),
  }));

  /** The same item with its sets sorted: a set has no order, and an engine gives it in any. */
  const withSortedSets = (item: unknown): unknown =>
    JSON.parse(JSON.stringify(item), (key, held) => (key === 'SS' && Array.isArray(held) ? held.sort() : held));

  it('stores and reads any item as the SDK does', async () => {
    const { client, db, TableName } = await preparedEngine();
    const Key = { registration: { S: 'AB12CDE' } };
    await fc.assert(
      fc.asyncProperty(value, fc.boolean(), async (something, functionsWrite) => {
        const [writer, reader] = functionsWrite ? [db, client] : [client, db];
        const Item = { ...Key, something };
        await writer.send(new PutItemCommand({ TableName, Item }));
        const { Item: found } = await reader.send(new GetItemCommand({ TableName, Key }));
        expect(withSortedSets(found)).toEqual(withSortedSets(Item));
      }),
    );
  });
});
