import { expect, it, jest } from '@jest/globals';
import { generateKey } from '../../core/access/api-key.ts';
import { BULK_LOOKUPS, SINGLE_LOOKUPS } from '../support/lookups.ts';
import { type Call, catchOutput, useApi } from '../support/use-api.ts';
import { canaries, leaksIn, linesIn, MARKER } from './log.ts';

process.env.POWERTOOLS_METRICS_NAMESPACE = 'Canaries';

const CONTENT = '/v1/api/content';
/** Bytes over the limit of a body. */
const TOO_LARGE = 1_000_001;

const api = useApi(undefined, { logLevel: 'DEBUG' });
/** A canary: another one each time. */
const w = canaries();
const itemOf = (word: string) => ({ title: word, content: word, domain: `${word}.example`, slug: word });

type Request = readonly [method: string, path: string, options: Call];

const withUnusualKeys = async (known: string): Promise<Request[]> => {
  const unknown = generateKey('live');
  const narrow = await api.newKey({ scopes: ['content:read'] });
  const revoked = await api.newKey({ revokedAt: '2026-01-01T00:00:00.000Z' });
  const authorizations = [`Basic ${Buffer.from(w()).toString('base64')}`, `Bearer ${known} ${w()}`];
  const calls: Call[] = [
    ...[undefined, unknown, revoked, `vvc_live_${w()}`, w(), narrow].map((key) => ({ key })),
    ...authorizations.map((Authorization) => ({ headers: { Authorization } })),
    { key: known, headers: { Authorization: `Bearer ${unknown}` } },
  ];
  return calls.map((options) => ['GET', `/v1/vehicle/${w()}/insurance`, options]);
};

const withUnusualBodies = (key: string): Request[] => {
  const bodies = [
    ...[`{"${w()}`, w(), `{"__proto__":"${w()}","constructor":"${w()}"}`],
    JSON.stringify({ ...itemOf(w()), title: { [w()]: w() }, [w()]: w() }),
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
  const queries = [`slug=${w()}`, `limit=${w()}&offset=${w()}`, `domain=_${w()}_`, `domain=${w()}&domain=${w()}`];
  const paths = [
    ...SINGLE_LOOKUPS.flatMap(({ path }) => registrations.map(path)),
    ...[`/v1/compliance/${separated}?q=${w()}`, `${CONTENT}/${w()}`, `${CONTENT}/..%2F`],
    ...queries.map((query) => `${CONTENT}?${query}`),
    ...[`/v1/${w()}/${w()}`, `/${w()}%2F..%2F${w()}`],
  ];
  const headers = { 'User-Agent': w(), Cookie: `session=${w()}`, 'X-Forwarded-For': w() };
  return [...paths.map((path): Request => ['GET', path, { key, headers }]), ['PATCH', CONTENT, { key, raw: w() }]];
};

const inConflict = async (key: string): Promise<Request[]> => {
  const json = itemOf(w());
  const headers = { 'Idempotency-Key': w() };
  const { body } = await api.call('POST', CONTENT, { key, json, headers });
  const item = `${CONTENT}/${(body as { id: string }).id}`;
  const conditions = [{ 'If-Match': `"${w()}"` }, { 'If-Match': w() }, { 'If-None-Match': `*, "1", ${w()}` }];
  return [
    ['POST', CONTENT, { key, json: { ...json, title: w() }, headers }],
    ['POST', CONTENT, { key, json }],
    ['POST', CONTENT, { key, json, headers: { 'Idempotency-Key': w().repeat(40) } }],
    ...conditions.map((headers): Request => ['PUT', item, { key, json: { title: w() }, headers }]),
    ...conditions.map((headers): Request => ['DELETE', item, { key, headers }]),
  ];
};

/** Records that the service cannot read: 500, or an unread entry in bulk. */
const ofDamagedRecords = async (key: string): Promise<Request[]> => {
  const word = w();
  const damaged = { registration: word.toUpperCase(), vehicle: word, mot: word };
  for (const table of ['vehicles', 'compliance'] as const) await api.store(table, damaged);
  return [
    ...SINGLE_LOOKUPS.map(({ path }): Request => ['GET', path(word), { key }]),
    ...BULK_LOOKUPS.map((path): Request => ['POST', path, { key, json: { registrations: [word] } }]),
  ];
};

/** Error messages tend to quote what they were given. The log of requests under faults: matrix.test.ts. */
it('The log of requests that are rejected or fail by what they are has a line for each and no value of a caller or a record', async () => {
  const { key } = api;
  const requests = [
    ...(await withUnusualKeys(key)),
    ...withUnusualBodies(key),
    ...withUnusualPaths(key),
    ...(await ofDamagedRecords(key)),
  ];
  const written = catchOutput();
  requests.push(...(await inConflict(key)));
  const statuses = await Array.fromAsync(requests, async (request) => (await api.call(...request)).status);
  jest.restoreAllMocks();
  const log = written.join('');
  expect(leaksIn(log, [key])).toEqual([]);
  expect(statuses.filter((status) => status === 500)).toHaveLength(SINGLE_LOOKUPS.length);
  const lines = { request: statuses.length + 1, failure: SINGLE_LOOKUPS.length, 'damaged records': expect.any(Number) };
  expect(linesIn(log)).toEqual(lines);
});
