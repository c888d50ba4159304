import { describe, expect, it } from '@jest/globals';
import type { Call } from '../support/api.ts';
import { testApi } from '../support/test-api.ts';

const api = testApi();

const JSON_TYPE = { 'Content-Type': 'application/json' };
const ITEM = { title: 'T', content: 'C', domain: 'a.example', slug: 's' };
const post = (options: Call) => api.call('POST', '/v1/api/content', { key: api.key, ...options });
const rejected = (code: string) => ({ status: 400, body: { status: 400, code } });
const expectAlive = async (slug: string) => expect((await post({ json: { ...ITEM, slug } })).status).toBe(201);
const unknownFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, 1]));

/** Every media type: test/http/body-checks.test.ts. */
describe('A request body', () => {
  it.each([
    ['cut off', 'MALFORMED_JSON', '{"title": "T"'],
    ['empty', 'MALFORMED_JSON', ''],
    ['not JSON at all', 'MALFORMED_JSON', '<item/>'],
    ['with single quotes', 'MALFORMED_JSON', "{'title': 'T'}"],
    ['with two values', 'MALFORMED_JSON', '{} {}'],
    ['that is NaN', 'MALFORMED_JSON', 'NaN'],
    ...['null', '[]', '"text"', '5', 'true'].map((raw) => [`that is ${raw}`, 'VALIDATION_FAILED', raw] as const),
    ['with __proto__', 'VALIDATION_FAILED', '{"__proto__": {"admin": true}}'],
    ['with constructor.prototype', 'VALIDATION_FAILED', '{"constructor": {"prototype": {}}}'],
    ['with __proto__ in a field', 'VALIDATION_FAILED', '{"title": {"__proto__": 1}}'],
    ['with __proto__ in escapes', 'VALIDATION_FAILED', String.raw`{"\u005f_proto__": 1}`],
    ['with constructor in escapes', 'VALIDATION_FAILED', String.raw`{"c\u006fnstructor": {"prototype": {}}}`],
  ] as const)('%s is 400 %s', async (_what, code, raw) => {
    expect(await post({ raw, headers: JSON_TYPE })).toMatchObject(rejected(code));
  });

  it.each(['text/plain', 'application/problem+json', 'application/json; charset=utf-16', ''])(
    'of the type %j is 400 UNSUPPORTED_CONTENT_TYPE',
    async (type) => {
      const raw = new TextEncoder().encode(JSON.stringify(ITEM));
      const reply = await post({ raw, headers: type ? { 'Content-Type': type } : {} });
      expect(reply).toMatchObject(rejected('UNSUPPORTED_CONTENT_TYPE'));
    },
  );

  it('of the type application/json with a charset of UTF-8 is accepted', async () => {
    const headers = { 'Content-Type': 'APPLICATION/JSON ;charset="utf-8"' };
    expect((await post({ raw: JSON.stringify({ ...ITEM, slug: 'typed' }), headers })).status).toBe(201);
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a character that is cut off', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
  ])('with bytes that are not UTF-8 is 400 MALFORMED_JSON: %s', async (_what, bytes) => {
    const raw = Buffer.from(JSON.stringify({ ...ITEM, title: '#'.repeat(bytes.length) }));
    raw.set(bytes, raw.indexOf('#'));
    expect(await post({ raw, headers: JSON_TYPE })).toMatchObject(rejected('MALFORMED_JSON'));
  });

  it('with an unknown field that looks like a path gets an escaped pointer', async () => {
    const { body } = await post({ json: { ...ITEM, 'a/b~c': 1 } });
    expect(body).toMatchObject({ errors: [{ pointer: '/a~1b~0c', detail: 'is not a field of this request' }] });
  });

  it('of exactly 1 MB is parsed, one byte more is 400 BODY_TOO_LARGE', async () => {
    const frame = JSON.stringify({ ...ITEM, content: '' }).length;
    const sized = (bytes: number) => JSON.stringify({ ...ITEM, content: 'x'.repeat(bytes - frame) });
    expect(await post({ raw: sized(1_000_000), headers: JSON_TYPE })).toMatchObject(rejected('VALIDATION_FAILED'));
    expect(await post({ raw: sized(1_000_001), headers: JSON_TYPE })).toMatchObject(rejected('BODY_TOO_LARGE'));
  });

  it.each([
    ['arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['fields', `{"title":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('nested 100,000 deep in %s is 400, and the service stays available', async (what, raw) => {
    expect((await post({ raw, headers: JSON_TYPE })).status).toBe(400);
    await expectAlive(`alive-after-${what}`);
  });

  it.each([999, 1_000, 1_001, 50_000])(
    'with %i unknown fields is 400, whether or not the other fields are valid',
    async (count) => {
      const junk = unknownFields(count);
      for (const json of [
        { ...junk, ...ITEM, slug: 'junk' },
        { ...junk, ...ITEM, title: 5 },
      ]) {
        expect(await post({ json })).toMatchObject(rejected('VALIDATION_FAILED'));
      }
      const { id } = (await post({ json: { ...ITEM, slug: `target-${count}` } })).body as { id: string };
      const change = { key: api.key, json: { ...junk, title: 'x', pk: 'item#other' } };
      expect((await api.call('PUT', `/v1/api/content/${id}`, change)).status).toBe(400);
      const call = { key: api.key, json: { ...junk, registrations: 5 } };
      const errors = expect.arrayContaining([{ pointer: '/registrations', detail: 'must be an array' }]);
      const { body } = await api.call('POST', '/v1/vehicle/bulk-insurance', call);
      expect(body).toMatchObject({ status: 400, errors });
    },
  );

  it('with over 1,000 issues returns the first 1,000; with exactly 1,000 the exact number', async () => {
    const { body } = await post({ json: unknownFields(50_000) });
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
