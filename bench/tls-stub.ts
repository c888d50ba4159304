/**
 * DynamoDB's protocol over TLS with canned responses to the three requests of an insurance lookup, in a process of its own:
 * its cost is not counted. Anything else is rejected, so that a function that sends it fails.
 */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { marshall } from '@aws-sdk/util-dynamodb';
import { generateKey, hashKey, keyIdOf } from '../core/access/api-key.ts';
import type { KeyRecord } from '../core/access/keys-table.ts';
import { SCOPES } from '../core/access/scopes.ts';
import { prefixedTableNames } from '../core/tables.ts';
import { localEnvironment } from '../lib/local/environment.ts';
import { sampleVehicleRecords } from '../lib/local/sample-database.ts';
import { makeCertificate } from '../test/support/certificate.ts';
import { forkCall } from '../test/support/fork.ts';

const TABLES = prefixedTableNames('stub-');
/** Longer than any measurement, so that no connection is closed under it. */
const KEEP_ALIVE_MS = 600_000;
const REJECTED = '{"__type":"com.amazon.coral.validate#ValidationException","message":"not part of a lookup"}';

/** DynamoDB's JSON, by operation and table. */
const responsesFor = (key: string, now: Date): ReadonlyMap<string, string> => {
  const hash = hashKey(key);
  const createdAt = now.toISOString();
  const record: KeyRecord = { id: keyIdOf(hash), hash, name: 'Benchmark', plan: 'premium', scopes: SCOPES, createdAt };
  const vehicle = sampleVehicleRecords(now).find(({ registration }) => registration === 'AB12CDE');
  return new Map([
    [`GetItem ${TABLES.keys}`, JSON.stringify({ Item: marshall(record) })],
    // Far below any plan's limit, whatever is really sent.
    [`UpdateItem ${TABLES.usage}`, '{"Attributes":{"used":{"N":"7"}}}'],
    [`GetItem ${TABLES.vehicles}`, JSON.stringify({ Item: marshall(vehicle) })],
  ]);
};

/** For a process of its own (`forkCall`). */
export const serveTlsStub = async (key: string) => {
  const responses = responsesFor(key, new Date());
  const tls = await makeCertificate();
  const server = createServer({ ...tls, keepAliveTimeout: KEEP_ALIVE_MS }, async (request, response) => {
    const { TableName } = JSON.parse(await text(request)) as { readonly TableName: string };
    // `DynamoDB_20120810.GetItem`
    const operation = String(request.headers['x-amz-target']).split('.')[1];
    const known = responses.get(`${operation} ${TableName}`);
    const body = known ?? REJECTED;
    response.writeHead(known === undefined ? 400 : 200, {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Starts the stub: an API key that it knows, and the variables for a function that uses it. */
export const startTlsStub = async () => {
  const key = generateKey('live');
  const { result, stop } = await forkCall<string>(new URL(import.meta.url), 'serveTlsStub', [key]);
  const env = {
    ...localEnvironment(result, TABLES),
    // The certificate is self-signed.
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    // The raw handler does not read the request's key.
    KEY_ID: keyIdOf(hashKey(key)),
  };
  return { key, env, stop };
};
