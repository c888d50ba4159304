import { describe, expect, it } from '@jest/globals';
import { someFields } from '../support/content.ts';
import { type Call, useApi } from '../support/use-api.ts';

let narrow: string;
const api = useApi(async ({ newKey }) => {
  narrow = await newKey({ scopes: ['content:read'] });
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

/** Media types, encodings and sizes: test/unit/http/input.test.ts; through every bulk endpoint: test/black-box. */
describe('A request body', () => {
  it.each([
    ['MALFORMED_JSON', ''],
    ['MALFORMED_JSON', '{} {}'],
    ['MALFORMED_JSON', new Uint8Array([0x22, 0xc0, 0xaf, 0x22])],
    ...['null', '[]', '"text"', '5'].map((raw) => ['VALIDATION_FAILED', raw] as const),
    ['VALIDATION_FAILED', '{"constructor": {"prototype": {}}}'],
    ['VALIDATION_FAILED', '{"title": {"__proto__": 1}}'],
    ['VALIDATION_FAILED', String.raw`{"\u005f_proto__": 1}`],
  ] as const)('is 400 %s: %s', async (code, raw) => {
    expect(await post({ raw, headers: JSON_TYPE })).toMatchObject(rejected(code));
  });

  it('nested 100,000 deep is 400 and says so, and the service stays available', async () => {
    const raw = '['.repeat(100_000) + ']'.repeat(100_000);
    const detail = 'The body is nested too deeply to be read; 1,000 levels always are.';
    const body = { code: 'MALFORMED_JSON', detail };
    expect(await post({ raw, headers: JSON_TYPE })).toMatchObject({ status: 400, body });
    await expectAlive('alive-after-nesting');
  });

  it('nested 1,000 deep is read', async () => {
    const raw = '['.repeat(1_000) + ']'.repeat(1_000);
    expect(await post({ raw, headers: JSON_TYPE })).toMatchObject(rejected('VALIDATION_FAILED'));
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
