/** One kind of request to every function, and an engine that holds what they ask for. */
import type { FunctionId } from '../functions/endpoints/endpoint-files.ts';
import { storeItems } from '../local/sample-database.ts';
import { fillDomain, someFields } from '../test/support/content.ts';
import { aCompliance, aVehicle } from '../test/support/records.ts';
import { prepareEngine } from './engine.ts';
import { deployed, startFunction } from './functions.ts';
import { generatedRegistration } from './generated-vehicles.ts';

const DOMAIN = 'bench.example';
/** Items that no request deletes. */
const ITEMS = 600;
const BULK = Array.from({ length: 1_000 }, (_, n) => generatedRegistration(n));

/** The fields of an item of about 1 kB. */
const benchFields: typeof someFields = (domain, slug) => ({
  ...someFields(domain, slug),
  content: 'x'.repeat(850),
});

interface Parts {
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly rawQueryString?: string;
  readonly json?: object;
}

/** The event of a request from API Gateway (HTTP API, payload 2.0); equal requests make equal events. */
const gatewayEvent = (key: string, method: string, path: string, { json, ...parts }: Parts = {}) => ({
  version: '2.0',
  routeKey: '$default',
  rawPath: path,
  rawQueryString: '',
  headers: {
    accept: '*/*',
    'accept-encoding': 'gzip',
    host: 'api.example.com',
    'user-agent': 'curl/8.7.1',
    'x-amzn-trace-id': 'Root=1-68f0a1b2-0123456789abcdef01234567',
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-port': '443',
    'x-forwarded-proto': 'https',
    'x-api-key': key,
    ...(method !== 'GET' && { 'content-type': 'application/json' }),
  },
  requestContext: {
    requestId: 'JKJaXmPLvHcESHA=',
    // One moment, so that all requests of a key increment the same counter.
    timeEpoch: Date.parse('2026-06-15T12:00:10.000Z'),
    http: { method, path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'curl/8.7.1' },
  },
  isBase64Encoded: false,
  ...(json && { body: JSON.stringify(json) }),
  ...parts,
});

export const lookupEvent = (key: string, registration = 'AB12CDE') =>
  gatewayEvent(key, 'GET', `/v1/vehicle/${registration}/insurance`, { pathParameters: { registration } });

/**
 * The kinds of requests; `event` makes the nth of them, on content that no other one changes.
 * @param ids content items: the first is read and changed, the others are there to be deleted
 */
const kindsOfRequest = (key: string, [id = '', ...deletable]: readonly string[]) => {
  const request = (method: string, path: string, parts?: Parts) => gatewayEvent(key, method, path, parts);
  const onItem = (method: string, item = '', json?: object) =>
    request(method, `/v1/api/content/${item}`, { pathParameters: { id: item }, ...(json && { json }) });
  const json = { registrations: BULK };
  const vehicle = { pathParameters: { registration: 'AB12CDE' } };
  const page = { rawQueryString: `domain=${DOMAIN}&limit=20&offset=100` };
  const create = (nth: number) => request('POST', '/v1/api/content', { json: benchFields(DOMAIN, `created-${nth}`) });
  const kinds: readonly (readonly [FunctionId, string, (nth: number) => object, number?])[] = [
    ['vehicle-insurance', 'insurance lookup', () => lookupEvent(key)],
    ['bulk-insurance', 'bulk of 1,000', () => request('POST', '/v1/vehicle/bulk-insurance', { json })],
    ['bulk-compliance', 'bulk compliance of 1,000', () => request('POST', '/v1/vehicle/bulk-compliance', { json })],
    ['compliance', 'compliance', () => request('GET', '/v1/compliance/AB12CDE', vehicle)],
    ['list-content', 'list, 20 items of 1 kB', () => request('GET', '/v1/api/content', page)],
    ['read-content', 'read an item', () => onItem('GET', id)],
    ['create-content', 'create an item', create, 201],
    ['update-content', 'update an item', (nth) => onItem('PUT', id, { title: `Title ${nth}` })],
    ['delete-content', 'delete an item', (nth) => onItem('DELETE', deletable[nth]), 204],
    ['usage', 'usage', () => request('GET', '/v1/usage')],
    ['not-found', 'an unknown path', () => request('GET', '/v1/unknown'), 404],
  ];
  return kinds.map(([endpoint, name, event, status = 200]) => ({ endpoint, name, event, status }));
};

export type KindOfRequest = ReturnType<typeof kindsOfRequest>[number];

/** What a measurement of every kind of request works with. @param requests at most so many of each kind can be made */
export const prepareRequests = async (requests: number) => {
  const bundles = await deployed();
  const engine = await prepareEngine();
  const { db, names, key } = engine;
  await storeItems(
    db,
    names.vehicles,
    BULK.map((registration) => aVehicle(registration)),
  );
  await storeItems(
    db,
    names.compliance,
    BULK.map((registration) => aCompliance(registration)),
  );
  const kinds = kindsOfRequest(key, await fillDomain(db, names.content, DOMAIN, ITEMS + requests, benchFields));
  const overTls = await engine.overTls();
  const start = (endpoint: FunctionId, group?: string) => startFunction(bundles[endpoint], overTls, group);
  return { kinds, engine, start };
};
