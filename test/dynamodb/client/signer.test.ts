import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, expect, it } from '@jest/globals';
import { createDatabase } from '../../../core/dynamodb/database.ts';
import { describeOwnClient } from '../../support/stock-client.ts';

const REGION = 'eu-west-1';
const SECRET = 'a-secret';

let headers: IncomingHttpHeaders;
let body: Buffer;

/** What the client puts on the wire; engines on one machine do not look at signatures. */
beforeAll(async () => {
  const server = createServer(async (request, response) => {
    headers = request.headers;
    body = Buffer.concat(await Array.fromAsync(request));
    response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const db = createDatabase({
    region: REGION,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    credentials: { accessKeyId: 'AN-ID', secretAccessKey: SECRET, sessionToken: 'a/session+token=' },
  });
  await db.send(new PutItemCommand({ TableName: 'content', Item: { title: { S: 'Prüfung 検査 🚗' } } }));
  db.destroy();
  server.close();
});

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');

/** Signature Version 4 as AWS documents it, of a POST to `/` ("Create a signed AWS API request", IAM user guide). */
const signatureOf = (signedHeaders: string, scope: string): string => {
  const canonicalHeaders = signedHeaders.split(';').map((name) => `${name}:${headers[name]}\n`);
  const canonical = ['POST', '/', '', canonicalHeaders.join(''), signedHeaders, sha256(body)].join('\n');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
  return hmac(key, text).toString('hex');
};

describeOwnClient('A request to DynamoDB', () => {
  it('is signed as AWS documents it, body, target and session token included', () => {
    const [, id, scope = '', signedHeaders = '', signature] =
      /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=(.+)$/.exec(
        headers.authorization ?? '',
      ) ?? [];
    const day = String(headers['x-amz-date']).slice(0, 8);
    expect([id, scope]).toEqual(['AN-ID', `${day}/${REGION}/dynamodb/aws4_request`]);
    expect(headers).toMatchObject({ 'x-amz-security-token': 'a/session+token=' });
    expect(signedHeaders.split(';')).toEqual(
      expect.arrayContaining(['host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target']),
    );
    expect(String(body)).toContain('Prüfung 検査 🚗');
    expect(signature).toBe(signatureOf(signedHeaders, scope));
  });
});
