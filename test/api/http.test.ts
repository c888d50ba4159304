import { describe, expect, it } from '@jest/globals';
import { fillDomain, someFields } from '../support/content.ts';
import { type Call, useApi } from '../support/use-api.ts';

let narrow: string;
const api = useApi(async ({ engine, newKey }) => {
  narrow = await newKey({ scopes: ['content:read'] });
  await fillDomain(engine.client, engine.names.content, 'news.example', 20);
});

const JSON_TYPE = { 'Content-Type': 'application/json' };
const ITEM = someFields('a.example', 's');
const post = (options: Call) => api.call('POST', '/v1/api/content', { key: api.key, ...options });
const rejected = (code: string) => ({ status: 400, body: { code } });
const expectAlive = async (slug: string) => expect((await post({ json: { ...ITEM, slug } })).status).toBe(201);
const unknownFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, 1]));

it.each([
  '/',
  '/v2/vehicle/AB12CDE/insurance',
  '/api/content/',
  '/v1/vehicle/AB12/CDE/insurance',
  '/v1/vehicle//insurance',
  '/v1/api%2Fcontent',
  '/%E0%A4%A',
])('A path of no endpoint is 404 for a key of any scope: %s', async (path) => {
  const { body } = await api.call('GET', path, { key: narrow });
  expect(body).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND' });
});

it.each([
  ['DELETE', '/v1/vehicle/AB12CDE/insurance', 'GET'],
  ['GET', '/v1/vehicle/bulk-insurance', 'POST'],
  ['OPTIONS', '/api/content', 'GET, POST'],
  ['PATCH', '/api/content/x', 'GET, PUT, DELETE'],
  ['HEAD', '/v1/compliance/AB12CDE', 'GET'],
])('A known path with another method is 405 with Allow: %s %s', async (method, path, allow) => {
  const { status, headers } = await api.call(method, path, { key: narrow });
  expect(status).toBe(405);
  expect(headers.get('allow')).toEqual(allow);
});

/** Values that are of the right type: test/unit/content/schemas.test.ts. */
describe('A query', () => {
  const LIST = '/v1/api/content';
  const INSURANCE = '/v1/vehicle/AB12CDE/insurance';
  const get = (path: string) => api.call('GET', path, { key: api.key });

  it.each([
    ['limit=005&unknown=1', { limit: 5, offset: 0 }],
    ['offset=10000&utm_source=x&dates=1&_=2&', { limit: 20, offset: 10_000 }],
    ['domain=a.example&slug=7', { total: 0 }],
  ])('is read: %s', async (query, page) => {
    expect(await get(`${LIST}?${query}`)).toMatchObject({ status: 200, body: page });
  });

  const NO_INTEGER = 'must be an integer in decimal digits';
  const TWICE = 'must not be given more than once';
  const NOT_TAKEN = 'is not a parameter of this endpoint, which takes';
  it.each<[string, string, unknown]>([
    [`${LIST}?limit=1.5`, 'limit', NO_INTEGER],
    [`${LIST}?limit=`, 'limit', NO_INTEGER],
    [`${LIST}?limit=%D9%A3`, 'limit', NO_INTEGER],
    [`${LIST}?limit=-5x`, 'limit', NO_INTEGER],
    [`${LIST}?limit=x-5`, 'limit', NO_INTEGER],
    [`${LIST}?limit=-0`, 'limit', NO_INTEGER],
    [`${LIST}?offset=-00012`, 'offset', 'must be at least 0'],
    [`${LIST}?offset=99999999999999999999`, 'offset', expect.stringContaining('`after`')],
    [`${LIST}?limit=1&limit=2`, 'limit', TWICE],
    [`${LIST}?slug=s&domain=a&domain=b`, 'domain', TWICE],
    [`${INSURANCE}?date=2026-01-01&date=2026-01-01`, 'date', TWICE],
    [`${INSURANCE}?date=2020-02-30`, 'date', 'must be a day from 1900-01-01 to 2099-12-31, written YYYY-MM-DD'],
    // A parameter of another endpoint, or of this one in another case.
    [`${INSURANCE}?Date=2026-01-01`, 'Date', 'must be written "date"'],
    [`${INSURANCE}?date=2026-01-01&DATE=2026-01-01`, 'DATE', 'must be written "date"'],
    [`${INSURANCE}?limit=5`, 'limit', `${NOT_TAKEN} date`],
    [`${LIST}?Limit=5`, 'Limit', 'must be written "limit"'],
    [`${LIST}?date=2026-01-01`, 'date', `${NOT_TAKEN} domain, slug, limit, offset, after`],
    ['/v1/compliance/AB12CDE?slug=a&slug=b', 'slug', `${NOT_TAKEN} no query parameters`],
    ['/v1/usage?OFFSET=1', 'OFFSET', `${NOT_TAKEN} no query parameters`],
  ])('has one issue: %s', async (path, parameter, detail) => {
    const { status, body } = await get(path);
    expect({ status, errors: body.errors }).toEqual({ status: 400, errors: [{ parameter, detail }] });
  });
});

/** Encodings: handlers.test.ts. Through every bulk endpoint: test/black-box. */
describe('A request body', () => {
  it.each([
    'Application/JSON',
    'application/json ; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf-8; CHARSET=latin1',
    'application/json; charset',
    'application/json; charset=utf-8; q=1',
    'application/json; xcharset=latin1',
    'application/json; charsets=latin1',
    'application/json; profile="a;charset=latin1"',
    'application/json; profile="\\";charset=latin1"; charset="utf-8"',
  ])('is read with the Content-Type %j', async (type) => {
    expect(await post({ raw: '{}', headers: { 'Content-Type': type } })).toMatchObject(rejected('VALIDATION_FAILED'));
  });

  it.each([
    undefined,
    'json',
    'text/plain',
    'application/merge-patch+json',
    'application/json; charset=latin1',
    'application/json; charset=utf-80',
    'application/json; charset=xutf-8',
    'application/json; charset="utf-8;"',
    'application/json; profile="a"; charset=latin1',
  ])('is rejected with the Content-Type %j', async (type) => {
    const headers = type === undefined ? {} : { 'Content-Type': type };
    expect(await post({ raw: '{}', headers })).toMatchObject(rejected('UNSUPPORTED_CONTENT_TYPE'));
  });

  it.each([
    ['MALFORMED_JSON', 'nothing', ''],
    ['MALFORMED_JSON', 'two values', '{} {}'],
    ['MALFORMED_JSON', 'bytes that are not UTF-8', new Uint8Array([0x22, 0xc0, 0xaf, 0x22])],
    ['MALFORMED_JSON', '1,000,000 bytes', 'é'.repeat(500_000)],
    ['BODY_TOO_LARGE', '1,000,001 bytes', `${'é'.repeat(500_000)}x`],
    ['VALIDATION_FAILED', 'an array in 999 others', '['.repeat(1_000) + ']'.repeat(1_000)],
    ...['null', '[]', '"text"', '5'].map((raw) => ['VALIDATION_FAILED', raw, raw] as const),
  ] as const)('is 400 %s: %s', async (code, _what, raw) => {
    expect(await post({ raw, headers: JSON_TYPE })).toMatchObject(rejected(code));
  });

  it.each([
    ['constructor', '{"constructor": {"prototype": {}}}'],
    ['__proto__', '{"title": {"__proto__": 1}}'],
    ['__proto__', String.raw`{"\u005f_proto__": 1}`],
  ])('must not have the key %s: %s', async (name, raw) => {
    const errors = [{ pointer: '', detail: `must not have the key "${name}"` }];
    expect((await post({ raw, headers: JSON_TYPE })).body).toMatchObject({ code: 'VALIDATION_FAILED', errors });
  });

  it('nested 100,000 deep is 400 and says so, and the service stays available', async () => {
    const raw = '['.repeat(100_000) + ']'.repeat(100_000);
    const detail = 'The body is nested too deeply to be read; 1,000 levels always are.';
    const body = { code: 'MALFORMED_JSON', detail };
    expect(await post({ raw, headers: JSON_TYPE })).toMatchObject({ status: 400, body });
    await expectAlive('alive-after-nesting');
  });

  it('with over 1,000 issues returns the first 1,000; with exactly 1,000 the exact number', async () => {
    const { body } = await post({ json: unknownFields(2_000) });
    const detail = 'The request has over 1000 validation issues; errors names the first 1000.';
    expect(body).toMatchObject({ status: 400, detail });
    expect((body as { errors: unknown[] }).errors).toHaveLength(1_000);
    const exactly = await post({ json: unknownFields(996) });
    expect(exactly.body).toMatchObject({ detail: 'The request has 1000 validation issues; see errors.' });
  });
});

describe('The gateway', () => {
  it.each<[string, Call]>([
    ['a body of over 10 MB', { raw: 'x'.repeat(10 * 1024 * 1024 + 1), headers: JSON_TYPE }],
    ['headers of 11 kB', { json: ITEM, headers: { 'X-Padding': 'x'.repeat(11_000) } }],
    ['headers of 90 kB', { json: ITEM, headers: { 'X-Padding': 'x'.repeat(90_000) } }],
  ])('returns 413 for %s and stays available', async (what, options) => {
    expect((await post(options)).status).toBe(413);
    await expectAlive(what.toLowerCase().replaceAll(' ', '-'));
  });
});

/** docs/contract.md#every-response */
describe('A response', () => {
  const bulk = (what: string, entries: readonly unknown[]) => (headers: Record<string, string>) =>
    api.call('POST', `/v1/vehicle/bulk-${what}`, { key: api.key, headers, json: { registrations: entries } });
  const get = (path: string) => (headers: Record<string, string>) => api.call('GET', path, { key: api.key, headers });
  const insurance = bulk('insurance', Array(50).fill('AB12CDE'));

  it.each([
    ['gzip', 200, 'of insurance in bulk', insurance],
    ['gzip', 200, 'of compliance in bulk', bulk('compliance', Array(50).fill('AB12CDE'))],
    ['gzip', 200, 'with a page of a list', get('/v1/api/content?domain=news.example&limit=20')],
    ['gzip', 400, 'with many issues', bulk('insurance', Array(50).fill(1))],
    [null, 200, 'below 2 kB', bulk('insurance', ['AB12CDE'])],
    [null, 400, 'of a list with an issue', get('/v1/api/content?limit=0')],
    [null, 404, 'of a single lookup', get('/v1/vehicle/AB12CDE/insurance')],
  ])('has the coding %s and the same text, where gzip is accepted: %i %s', async (coding, status, what, request) => {
    const [plain, compressed] = [await request({}), await request({ 'Accept-Encoding': 'gzip' })];
    const withoutId = (text: string) => text.replace(/"requestId":"[^"]*"/, '');
    for (const reply of [plain, compressed]) {
      expect(reply.status).toBe(status);
      expect(withoutId(reply.text)).toBe(withoutId(plain.text));
      expect(reply.headers.get('vary')).toBe(what === 'of a single lookup' ? null : 'Accept-Encoding');
      expect(reply.headers.get('content-encoding')).toBe(reply === compressed ? coding : null);
    }
    const [less, all] = [compressed, plain].map(({ headers }) => Number(headers.get('content-length')));
    if (coding !== null) expect(less).toBeLessThan(Number(all) / 2);
  });

  it.each([
    ['gzip', 'gzip'],
    ['deflate, GZIP;q=0.5, br', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'gzip'],
    ['gzip;q=0', null],
    ['gzip; Q=0.000, *', null],
    ['*;q=0', null],
    ['gzip;q=high', null],
    ['gzip;q=2, *;q=1.000', 'gzip'],
    ['gzip;level=9', null],
    ['br, deflate', null],
    ['', null],
  ])('to Accept-Encoding "%s" has the coding %s', async (accepted, coding) => {
    const { headers } = await insurance({ 'Accept-Encoding': accepted });
    expect(headers.get('content-encoding')).toBe(coding);
  });
});
