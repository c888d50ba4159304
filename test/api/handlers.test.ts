/** What handlers do before they know their caller, what they reject first, and how they treat malformed events. */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { generateKey } from '../../core/access/api-key.ts';
import { type FunctionId, importFunctionFile } from '../../functions/endpoints/endpoint-files.ts';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import type { Endpoint } from '../../functions/http/endpoint-definition.ts';
import type { GatewayHandler } from '../../functions/http/request.ts';
import { documents } from '../../openapi/endpoint-documents.ts';
import { fillDomain } from '../support/content.ts';
import { always, forTable } from '../support/fault-choosers.ts';
import { BULK_LOOKUPS } from '../support/lookups.ts';
import { NOON } from '../support/records.ts';
import { liveId, useApi } from '../support/use-api.ts';

const api = useApi(({ engine }) => fillDomain(engine.client, engine.names.content, 'a.example', 3));
afterEach(() => void jest.restoreAllMocks());

const ids = Object.keys(endpoints) as EndpointId[];

const SOURCE_IP = '192.0.2.1';

const invoke = async (id: FunctionId, key: string | undefined, rest: object = {}, context: Partial<Context> = {}) => {
  const { handler } = await importFunctionFile<{ readonly handler: GatewayHandler }>(id, 'handler.ts');
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) };
  // Object.defineProperties keeps the getter of a body, which spreading would call.
  const event = { headers, requestContext: { requestId: 'r-1', timeEpoch: NOON, http: { sourceIp: SOURCE_IP } } };
  return handler(Object.defineProperties(event, Object.getOwnPropertyDescriptors(rest)), context as Context);
};

/** The path that an example of the document names; without one there is nothing to load. */
const pathOf = (id: FunctionId): object =>
  (id in documents && documents[id as EndpointId].examples[0]?.request.path) || {};

/** The request that reads what the path of a lookup names, as `GetItem vehicles`. Other endpoints have none. */
const preloadOf = (id: FunctionId): string[] => {
  const endpoint = (endpoints as Partial<Record<FunctionId, Endpoint>>)[id];
  const isLookup = endpoint?.method === 'GET' && endpoint.paths[0].includes('{');
  // The table of usage is read for the sources of an answer only, on a stage with an intake.
  const tables = isLookup ? Object.entries(endpoint.tables).filter(([table]) => table !== 'usage') : [];
  const byAction = Map.groupBy(tables, ([, [action = '']]) => action);
  return [...byAction].map(([action, named]) => [action, ...named.map(([table]) => table).sort()].join(' '));
};

/** A query that every endpoint rejects, after auth. */
const rawQueryString = 'Date=1';

/** The status of a request, whether its body was read, and the names of its database requests. */
const outcomeOf = async (id: FunctionId, key: string | undefined, pathParameters: object = {}) => {
  const readBody = jest.fn(() => '{}');
  const before = api.faults.calls.length;
  const event = Object.defineProperty({ pathParameters, rawQueryString }, 'body', { get: readBody, enumerable: true });
  const { statusCode } = await invoke(id, key, event);
  await api.faults.settled();
  return { statusCode, bodyReads: readBody.mock.calls.length, requests: api.requests(before) };
};

describe.each<FunctionId>([...ids, 'not-found'])('Before auth %s', (id) => {
  const path = pathOf(id);
  const read = ['GetItem keys'];
  /** Of a remembered key, sent at the same time. */
  const concurrent = [...read, 'UpdateItem usage', ...preloadOf(id)].sort();

  it('reads nothing without a well-formed key', async () => {
    for (const key of [undefined, '', 'hunter2', `${generateKey('live')}x`]) {
      expect(await outcomeOf(id, key, path)).toEqual({ statusCode: 401, bodyReads: 0, requests: [] });
    }
  });

  it('only reads the record of a key that is unknown, revoked or expired, the first time and again', async () => {
    const revoked = await api.newKey({ revokedAt: '2026-06-15T12:00:00.000Z' });
    const expired = await api.newKey({ expires: '2026-06-14' });
    const unknown = generateKey('live');
    for (const key of [unknown, unknown, revoked, revoked, expired, expired]) {
      expect(await outcomeOf(id, key, path)).toEqual({ statusCode: 401, bodyReads: 0, requests: read });
    }
  });

  it('reads the record of a key first, and sends all requests at once when it has seen the key in force', async () => {
    const key = await api.newKey({ plan: 'free' }, 60);
    // What is sent while the record cannot be read does not wait for it.
    const failing = async () => {
      api.faults.inject(forTable(api.engine.names.keys, always('deny')));
      const outcome = await outcomeOf(id, key, path);
      api.faults.reset();
      return outcome;
    };
    expect(await failing()).toEqual({ statusCode: 500, bodyReads: 0, requests: read });
    await outcomeOf(id, key, path);
    expect(await failing()).toEqual({ statusCode: 500, bodyReads: 0, requests: concurrent });
  });

  it('forgets a key that is revoked or has expired: its second 401 only reads the record', async () => {
    for (const end of [{ revokedAt: '2026-06-15T12:00:00.000Z' }, { expires: '2026-06-14' }]) {
      const key = await api.newKey({ plan: 'free' }, 60);
      const limited = { statusCode: 429, bodyReads: 0, requests: [...concurrent, 'UpdateItem usage'].sort() };
      expect(await outcomeOf(id, key, path)).toEqual(limited);
      const record = await api.keys.get(liveId(key));
      await api.keys.add({ ...record, ...end });
      expect(await outcomeOf(id, key, path)).toEqual({ statusCode: 401, bodyReads: 0, requests: concurrent });
      expect(await outcomeOf(id, key, path)).toEqual({ statusCode: 401, bodyReads: 0, requests: read });
    }
  });

  it('only reads the record of a key for a request from an address that the key does not permit', async () => {
    const elsewhere = await api.newKey({ addresses: ['203.0.113.0/24'], scopes: [] }, 6_000);
    for (const key of [elsewhere, elsewhere]) {
      expect(await outcomeOf(id, key, path)).toEqual({ statusCode: 403, bodyReads: 0, requests: read });
    }
    const here = await api.newKey({ addresses: ['203.0.113.0/24', SOURCE_IP], plan: 'free' }, 60);
    const limited = { statusCode: 429, requests: [...concurrent, 'UpdateItem usage'].sort() };
    expect(await outcomeOf(id, here, path)).toMatchObject(limited);
    // What is sent while the record cannot be read does not wait for it.
    api.faults.inject(forTable(api.engine.names.keys, always('deny')));
    expect(await outcomeOf(id, here, path)).toMatchObject({ statusCode: 500, requests: read });
  });

  it('forgets a key that gets addresses: its second 403 only reads the record', async () => {
    const key = await api.newKey();
    await invoke(id, key);
    await api.updateKey(key, { addresses: ['203.0.113.7'] });
    expect(await outcomeOf(id, key, path)).toEqual({ statusCode: 403, bodyReads: 0, requests: concurrent });
    expect(await outcomeOf(id, key, path)).toEqual({ statusCode: 403, bodyReads: 0, requests: read });
  });

  if (id !== 'usage' && id !== 'not-found') {
    it('reads only what its path names for a key without the scope', async () => {
      const unscoped = await api.newKey({ scopes: [] });
      for (const key of [unscoped, unscoped]) {
        expect(await outcomeOf(id, key, path)).toEqual({ statusCode: 403, bodyReads: 0, requests: concurrent });
      }
    });
  }

  it('reads nothing besides for a path that can name nothing', async () => {
    const key = await api.newKey({ plan: 'free' }, 60);
    const nothing = { registration: 'AB12_CDE', id: '1' };
    const requests = [...read, 'UpdateItem usage', 'UpdateItem usage'];
    expect(await outcomeOf(id, key, nothing)).toEqual({ statusCode: 429, bodyReads: 0, requests });
  });

  it('rejects what is wrong with the request only after that, and reads nothing more', async () => {
    await invoke(id, api.key);
    const statusCode = id === 'not-found' ? 404 : 400;
    expect(await outcomeOf(id, api.key, path)).toMatchObject({ statusCode, requests: concurrent });
  });
});

it('A failed read of what the path names is 500 only for an admitted caller with valid input, and never an unhandled rejection', async () => {
  const unhandled = jest.fn();
  process.once('unhandledRejection', unhandled);
  const unscoped = await api.newKey({ scopes: ['content:read'] });
  api.faults.inject(forTable(api.engine.names.vehicles, always('error')));
  const statusOf = async (key: string, query = '') =>
    (await api.call('GET', `/v1/vehicle/AB12CDE/insurance${query}`, { key })).status;
  expect(await statusOf(generateKey('live'))).toBe(401);
  expect(await statusOf(unscoped)).toBe(403);
  expect(await statusOf(api.key, '?date=1')).toBe(400);
  expect(await statusOf(api.key)).toBe(500);
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

/** The code and the places of the issues of a 400. */
const rejectionOf = async (method: string, path: string, options: object) => {
  const { status, body } = await api.call(method, path, { key: api.key, ...options });
  const { code, errors = [] } = body as { code: string; errors?: { parameter?: string; pointer?: string }[] };
  expect(status).toBe(400);
  return [code, ...errors.map(({ parameter, pointer }) => parameter ?? pointer)];
};

describe('Of several issues', () => {
  it.each([
    ['/v1/vehicle/AB12_CDE/insurance', ['INVALID_REGISTRATION', 'registration']],
    ['/v1/vehicle/AB12CDE/insurance?date=2026-02-30', ['VALIDATION_FAILED', 'date']],
    ['/v1/vehicle/AB12_CDE/insurance?date=2026-02-30', ['VALIDATION_FAILED', 'registration', 'date']],
    ['/v1/compliance/AB12_CDE?date=2026-01-01', ['VALIDATION_FAILED', 'registration', 'date']],
    ['/v1/api/content?limit=x&offset=-1&slug=A', ['VALIDATION_FAILED', 'limit', 'domain', 'offset', 'slug']],
  ])('GET %s names all: %j', async (path, expected) => {
    const [code, ...places] = await rejectionOf('GET', path, {});
    expect(code).toBe(expected[0]);
    expect(places.sort()).toEqual(expected.slice(1).sort());
  });

  it('issues of query, headers and body are named together', async () => {
    const json = { registrations: ['AB12CDE', 42], colour: 1 };
    const bulk = await rejectionOf('POST', '/v1/vehicle/bulk-insurance?date=2026-01-01', { json });
    expect(bulk).toEqual(['VALIDATION_FAILED', 'date', '/colour', '/registrations/1']);
    const item = { title: 1, content: 'C', domain: 'a.example', slug: 's' };
    const create = await rejectionOf('POST', '/v1/api/content', { json: item, headers: { 'Idempotency-Key': ' ' } });
    expect(create).toEqual(['VALIDATION_FAILED', 'Idempotency-Key', '/title']);
  });

  it.each(BULK_LOOKUPS)('of POST %s one answers alone, in this order, and none costs a unit more', async (path) => {
    const key = await api.newKey({ plan: 'free' });
    const earlier = api.faults.calls.length;
    const json = { 'Content-Type': 'application/json' };
    const send = (raw: string, headers: object, query = '?date=2026-01-01') =>
      rejectionOf('POST', path + query, { key, raw, headers });
    const entries = (count: number, registration: unknown) =>
      JSON.stringify({ registrations: Array(count).fill(registration) });
    expect(await send('x'.repeat(1_000_001), { 'Content-Type': 'text/plain' })).toEqual(['BODY_TOO_LARGE']);
    expect(await send('{', { 'Content-Type': 'text/plain' })).toEqual(['UNSUPPORTED_CONTENT_TYPE']);
    expect(await send(`${entries(1_001, 42)}}`, json)).toEqual(['MALFORMED_JSON']);
    expect(await send(entries(1_001, 42), json)).toEqual(['BULK_TOO_LARGE', '/registrations']);
    expect(await send(entries(1_000, 'A1'), json)).toEqual(['VALIDATION_FAILED', 'date']);
    expect(await send(entries(1_000, 'A1'), json, '')).toEqual(['BULK_TOO_LARGE', '/registrations']);
    expect(api.faults.calls.slice(earlier).filter(({ body }) => body.includes('extraUnits'))).toEqual([]);
  });

  it('many entries are one issue of a field where they have no place', async () => {
    const json = { registrations: Array(1_001).fill(42) };
    expect((await rejectionOf('POST', '/v1/api/content', { json }))[0]).toBe('VALIDATION_FAILED');
  });
});

it.each([
  ['of JSON in UTF-8', 'VALIDATION_FAILED', Buffer.from('{"é":1}')],
  ['not in UTF-8', 'MALFORMED_JSON', Buffer.from([0x22, 0xff, 0x22])],
  ['of 1,000,000 bytes', 'MALFORMED_JSON', Buffer.alloc(1_000_000, 'x')],
  ['of 1,000,001 bytes', 'BODY_TOO_LARGE', Buffer.alloc(1_000_001, 'x')],
])('A body in base64 %s is 400 %s', async (_what, code, bytes) => {
  const event = { body: bytes.toString('base64'), isBase64Encoded: true };
  const { body = '' } = await invoke('create-content', api.key, event);
  expect(JSON.parse(body)).toMatchObject({ status: 400, code });
});

it('A request whose answer is not ready a second before Lambda ends the function is 500, with every header', async () => {
  api.faults.inject(forTable(api.engine.names.vehicles, always({ slowMs: 800 })));
  const context = { getRemainingTimeInMillis: () => 1_300 };
  const reply = await invoke('vehicle-insurance', api.key, { pathParameters: { registration: 'AB12CDE' } }, context);
  expect(reply).toMatchObject({ statusCode: 500, headers: { 'X-Request-Id': 'r-1', 'Retry-After': '1' } });
});

it('An event without path parameters gets 404', async () => {
  expect((await invoke('read-content', api.key)).statusCode).toBe(404);
});
