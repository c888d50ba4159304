/** The client of the functions: its attempts, and the signature of its requests. */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { createDatabase } from '../../../core/dynamodb/database.ts';

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
});

describe('The signature of a request', () => {
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
    expect({ id, scope }).toEqual({ id: 'anId', scope: `${day}/${REGION}/dynamodb/aws4_request` });
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
