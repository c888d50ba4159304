import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { generateKey, hashKey } from '../../core/access/api-key.ts';
import type { Call } from '../support/api.ts';
import { catchOutput } from '../support/caught-output.ts';
import { testApi } from '../support/test-api.ts';
import { canaries, leaksIn, linesIn, MARKER } from './log.ts';

process.env.POWERTOOLS_METRICS_NAMESPACE = 'Canaries';

const CONTENT = '/v1/api/content';
/** Lookups of one vehicle and of many. A new lookup is one more line. */
const LOOKUPS = [(word: string) => `/v1/vehicle/${word}/insurance`, (word: string) => `/v1/compliance/${word}`];
const BULK_LOOKUPS = ['/v1/vehicle/bulk-insurance', '/v1/vehicle/bulk-compliance'];
/** Bytes over the limit of a body. */
const TOO_LARGE = 1_000_001;

const api = testApi(undefined, { logLevel: 'DEBUG' });
/** A canary: another one each time. */
const w = canaries();
const itemOf = (word: string) => ({ title: word, content: word, domain: `${word}.example`, slug: word });

type Request = readonly [method: string, path: string, options: Call];

const withUnusualKeys = async (known: string): Promise<Request[]> => {
  const path = `/v1/vehicle/${w()}/insurance`;
  const unknown = generateKey('live');
  const narrow = await api.newKey({ scopes: ['content:read'] });
  const revoked = await api.newKey({ revokedAt: '2026-01-01T00:00:00.000Z' });
  const keys = [undefined, unknown, revoked, `vvc_live_${w()}`, w(), narrow].map((key): Call => ({ key }));
  const basic = `Basic ${Buffer.from(w()).toString('base64')}`;
  const headers = [basic, `Bearer ${known} ${w()}`].map((Authorization): Call => ({ headers: { Authorization } }));
  const both = { key: known, headers: { Authorization: `Bearer ${unknown}` } };
  return [...keys, ...headers, both].map((options) => ['GET', path, options]);
};

const withUnusualBodies = (key: string): Request[] => {
  const bodies = [
    `{"${w()}`,
    w(),
    JSON.stringify({ ...itemOf(w()), title: { [w()]: w() } }),
    JSON.stringify({ ...itemOf(w()), [w()]: w() }),
    `{"__proto__":"${w()}","constructor":"${w()}"}`,
    JSON.stringify({ ...itemOf(w()), slug: `${w()} ${w()}` }),
    JSON.stringify({ registrations: [w(), 5, `${w()}_`, { [w()]: w() }] }),
    JSON.stringify(w().repeat(TOO_LARGE / MARKER.length)),
  ].map((raw): Call => ({ key, raw, headers: { 'Content-Type': 'application/json' } }));
  const ofOtherType = { key, raw: w(), headers: { 'Content-Type': `text/${w()}` } };
  return [CONTENT, ...BULK_LOOKUPS].flatMap((path) =>
    [...bodies, ofOtherType].map((options): Request => ['POST', path, options]),
  );
};

const withUnusualPaths = (key: string): Request[] => {
  const separated = w().replace(/(...)(..)/, '$1-$2%20');
  const registrations = [separated, `${w()}_`, w().repeat(5), `${w()}%ZZ`, `%C3%84_${w()}`];
  const paths = [
    ...LOOKUPS.flatMap((path) => registrations.map(path)),
    `/v1/compliance/${separated}?q=${w()}`,
    ...[`${w()}`, '..%2F'].map((id) => `${CONTENT}/${id}`),
    ...[
      `slug=${w()}`,
      `limit=${w()}&offset=${w()}`,
      `domain=_${w()}_`,
      `domain=${w()}.example&domain=${w()}.example`,
    ].map((query) => `${CONTENT}?${query}`),
    `/v1/${w()}/${w()}`,
    `/${w()}%2F..%2F${w()}`,
  ];
  const headers = { 'User-Agent': w(), Cookie: `session=${w()}`, 'X-Forwarded-For': w() };
  return [...paths.map((path): Request => ['GET', path, { key, headers }]), ['PATCH', CONTENT, { key, raw: w() }]];
};

const inConflict = async (key: string): Promise<Request[]> => {
  const json = itemOf(w());
  const headers = { 'Idempotency-Key': w() };
  const { body } = await api.call('POST', CONTENT, { key, json, headers });
  const item = `${CONTENT}/${(body as { id: string }).id}`;
  return [
    ['POST', CONTENT, { key, json: { ...json, title: w() }, headers }],
    ['POST', CONTENT, { key, json }],
    ['POST', CONTENT, { key, json, headers: { 'Idempotency-Key': w().repeat(40) } }],
    ...[`"${w()}"`, w()].flatMap((version): Request[] => [
      ['PUT', item, { key, json: { title: w() }, headers: { 'If-Match': version } }],
      ['DELETE', item, { key, headers: { 'If-Match': version } }],
    ]),
  ];
};

/** Records that the service cannot read: 500, or an unread entry in bulk. */
const ofDamagedRecords = async (key: string): Promise<Request[]> => {
  const word = w();
  for (const TableName of [api.engine.names.vehicles, api.engine.names.compliance]) {
    const Item = { registration: { S: word.toUpperCase() }, vehicle: { S: word }, mot: { S: word } };
    await api.engine.client.send(new PutItemCommand({ TableName, Item }));
  }
  return [
    ...LOOKUPS.map((path): Request => ['GET', path(word), { key }]),
    ...BULK_LOOKUPS.map((path): Request => ['POST', path, { key, json: { registrations: [word] } }]),
  ];
};

/** Error messages tend to quote what they were given. The log of requests under faults: matrix.faults.ts. */
describe('The log of requests that are rejected or fail by what they are', () => {
  let log: string;
  let statuses: readonly number[];

  beforeAll(async () => {
    const { key } = api;
    const rejected = await withUnusualKeys(key);
    rejected.push(...withUnusualBodies(key), ...withUnusualPaths(key));
    const failing = await ofDamagedRecords(key);
    const written = catchOutput();
    rejected.push(...(await inConflict(key)));
    statuses = await Array.fromAsync([...rejected, ...failing], async (request) => (await api.call(...request)).status);
    jest.restoreAllMocks();
    log = written.join('');
  });

  it('contains no value of a caller or a record and no key', () => {
    expect(leaksIn(log, [api.key])).toEqual([]);
  });

  it('contains one line per request, one per failure, some of damaged records, and nothing else', () => {
    expect(statuses.filter((status) => status === 500)).toHaveLength(LOOKUPS.length);
    const request = statuses.length + 1;
    expect(linesIn(log)).toEqual({ request, failure: LOOKUPS.length, 'damaged records': expect.any(Number) });
  });
});

describe('The search for leaks', () => {
  const key = generateKey('live');
  const word = `${MARKER}007`;

  it.each([
    ['in upper case', `A${word.toUpperCase()}`],
    ['with separators', word.replace(/(...)(..)/, '$1-$2%20')],
    ['in base64', Buffer.from(`{"title":"${word}"}`).toString('base64')],
    ['of a key', key.slice(9, 39)],
    ['of its hash but its id', hashKey(key).slice(20)],
  ])('finds the line of a value %s', (_what, planted) => {
    const innocent = JSON.stringify({ level: 'INFO', keyId: hashKey(key).slice(0, 20), status: 500 });
    expect(leaksIn(`${innocent}\n{"x":"${planted}"}\n`, [key])).toEqual([`{"x":"${planted}"}`]);
  });
});
