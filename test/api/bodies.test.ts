import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Call, startApi, type TestApi } from '../support/api.ts';

let api: TestApi;
let key: string;

beforeAll(async () => {
  api = await startApi();
  key = await api.newKey();
});
afterAll(() => api.stop());

const JSON_TYPE = { 'Content-Type': 'application/json' };
const ITEM = { title: 'T', content: 'C', domain: 'a.example', slug: 's' };
const post = (options: Call) => api.call('POST', '/v1/api/content', { key, ...options });
const codeOf = async (options: Call) => {
  const { status, body } = await post(options);
  return [status, (body as { code: string }).code];
};

describe('A request body', () => {
  it.each([
    ['cut off', '{"title": "T"'],
    ['empty', ''],
    ['not JSON at all', '<item/>'],
    ['with single quotes', "{'title': 'T'}"],
    ['with two values', '{} {}'],
    ['that is NaN', 'NaN'],
  ])('%s is 400 MALFORMED_JSON', async (_what, raw) => {
    expect(await codeOf({ raw, headers: JSON_TYPE })).toEqual([400, 'MALFORMED_JSON']);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'multipart/form-data',
    'application/merge-patch+json',
    'application/problem+json',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json, application/json',
    '',
  ])('declared as %j is 400 UNSUPPORTED_CONTENT_TYPE', async (type) => {
    const raw = new TextEncoder().encode(JSON.stringify(ITEM));
    expect(await codeOf({ raw, headers: type ? { 'Content-Type': type } : {} })).toEqual([
      400,
      'UNSUPPORTED_CONTENT_TYPE',
    ]);
  });

  it.each([
    'application/json; charset=utf-8',
    'application/json ;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json; version=1',
    'APPLICATION/JSON',
  ])('declared as %j is read', async (type) => {
    const raw = JSON.stringify({ ...ITEM, slug: `s-${Buffer.from(type).toString('hex')}` });
    expect((await post({ raw, headers: { 'Content-Type': type } })).status).toBe(201);
  });

  it.each(['null', '[]', '"text"', '5', 'true'])('that is %s is 400 VALIDATION_FAILED', async (raw) => {
    expect(await codeOf({ raw, headers: JSON_TYPE })).toEqual([400, 'VALIDATION_FAILED']);
  });

  it.each([
    '{"__proto__": {"admin": true}}',
    '{"constructor": {"prototype": {}}}',
    '{"title": {"__proto__": 1}}',
    String.raw`{"\u005f_proto__": 1}`,
    String.raw`{"c\u006fnstructor": {"prototype": {}}}`,
  ])('that reaches for a prototype is 400: %s', async (raw) => {
    expect(await codeOf({ raw, headers: JSON_TYPE })).toEqual([400, 'VALIDATION_FAILED']);
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a character that is cut off', [0xe2, 0x82]],
    ['Latin-1', [0xe9]],
  ])('with bytes that are not UTF-8 is 400 MALFORMED_JSON: %s', async (_what, bytes) => {
    const text = JSON.stringify({ ...ITEM, title: '#' });
    const [before = '', after = ''] = text.split('#');
    const raw = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    expect(await codeOf({ raw, headers: JSON_TYPE })).toEqual([400, 'MALFORMED_JSON']);
  });

  it('names an unknown field that looks like a path by an escaped pointer', async () => {
    const { body } = await post({ json: { ...ITEM, 'a/b~c': 1 } });
    expect(body).toMatchObject({ errors: [{ pointer: '/a~1b~0c', detail: 'is not a field of this request' }] });
  });

  it('of exactly 1 MB is read, one byte more is 400 BODY_TOO_LARGE', async () => {
    const sized = (bytes: number) => {
      const frame = JSON.stringify({ ...ITEM, content: '' }).length;
      return JSON.stringify({ ...ITEM, content: 'x'.repeat(bytes - frame) });
    };
    expect(await codeOf({ raw: sized(1_000_000), headers: JSON_TYPE })).toEqual([400, 'VALIDATION_FAILED']);
    expect(await codeOf({ raw: sized(1_000_001), headers: JSON_TYPE })).toEqual([400, 'BODY_TOO_LARGE']);
  });

  it('of over 10 MB is refused by the gateway, and the process lives on', async () => {
    const { status } = await post({ raw: 'x'.repeat(10 * 1024 * 1024 + 1), headers: JSON_TYPE });
    expect(status).toBe(413);
    expect((await post({ json: { ...ITEM, slug: 'alive' } })).status).toBe(201);
  });

  it.each([
    ['arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['a field', `{"title":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('nested 100,000 deep in %s is refused, and the process lives on', async (what, raw) => {
    expect((await post({ raw, headers: JSON_TYPE })).status).toBe(400);
    expect((await post({ json: { ...ITEM, slug: `alive-after-${what.replace(' ', '-')}` } })).status).toBe(201);
  });

  it.each([999, 1_000, 1_001, 50_000])(
    'with %i unknown fields is refused, and so is what hides behind them',
    async (count) => {
      const junk = Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
      for (const json of [
        { ...junk, ...ITEM, slug: 'junk' },
        { ...junk, ...ITEM, title: 5 },
      ]) {
        expect(await codeOf({ json })).toEqual([400, 'VALIDATION_FAILED']);
      }
      const { id } = (await post({ json: { ...ITEM, slug: `target-${count}` } })).body as { id: string };
      const changed = await api.call('PUT', `/v1/api/content/${id}`, {
        key,
        json: { ...junk, title: 'x', pk: 'item#other' },
      });
      expect(changed.status).toBe(400);
      const bulk = await api.call('POST', '/v1/vehicle/bulk-insurance', { key, json: { ...junk, registrations: 5 } });
      expect(bulk.body).toMatchObject({
        status: 400,
        errors: expect.arrayContaining([{ pointer: '/registrations', detail: 'must be an array' }]),
      });
    },
  );

  it('with more faults than anyone reads is answered with a bounded list', async () => {
    const json = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`field${index}`, 1]));
    const { status, body } = await post({ json });
    expect(status).toBe(400);
    expect((body as { errors: unknown[] }).errors).toHaveLength(1_000);
    expect(body).toMatchObject({
      detail: 'The request has over 1000 validation issues; errors names the first 1000.',
    });
  });

  it('with exactly as many issues as are named is answered with their number', async () => {
    const json = Object.fromEntries(Array.from({ length: 996 }, (_, index) => [`field${index}`, 1]));
    expect((await post({ json })).body).toMatchObject({
      detail: 'The request has 1000 validation issues; see errors.',
    });
  });
});

describe('A request head', () => {
  it.each([11_000, 90_000])('of %i bytes is refused by the gateway, and the process lives on', async (bytes) => {
    expect((await post({ json: ITEM, headers: { 'X-Padding': 'x'.repeat(bytes) } })).status).toBe(413);
    expect((await post({ json: { ...ITEM, slug: `after-a-head-of-${bytes}` } })).status).toBe(201);
  });
});
