import { describe, expect, it } from '@jest/globals';
import { contentImport } from '../../admin/content/content-import.ts';
import type { ContentItem } from '../../core/content/item.ts';
import { NOON } from '../support/clock.ts';
import { moment, someFields } from '../support/content.ts';
import { useApi } from '../support/use-api.ts';

const PATH = '/v1/api/content';
const api = useApi();
type Headers = Record<string, string>;

const DAY_MS = 86_400_000;

let serial = 0;
const fields = (changes: object = {}) => {
  serial += 1;
  return { title: 'Title', content: 'Text', domain: 'a.example', slug: `slug-${serial}`, ...changes };
};
const call = (method: string, path: string, json?: unknown, headers: Headers = {}) =>
  api.call(method, path, { key: api.key, headers, ...(json !== undefined && { json }) });
const create = (json: unknown, headers?: Headers) => call('POST', PATH, json, headers);
const created = async (changes: object = {}) => (await create(fields(changes))).body as ContentItem;
const read = (id: string) => call('GET', `${PATH}/${id}`);
const update = (id: string, json: unknown, headers?: Headers) => call('PUT', `${PATH}/${id}`, json, headers);
const remove = (id: string, headers?: Headers) => call('DELETE', `${PATH}/${id}`, undefined, headers);

/**
 * The life of an item, at both addresses: test/black-box. What a field may hold: test/unit/http/input.test.ts. Concurrent
 * changes: `npm run test:orders`.
 */
describe('POST /v1/api/content', () => {
  it.each([
    ['title', '🚗'.repeat(200)],
    ['title', 'a\u200bb'],
    ['content', 'é'.repeat(50_000)],
    ['content', ' line\r\n\ttab \u200b "quotes" <b>&amp;</b> 日本語 e\u0301 '],
    ['meta_description', '\u200b'],
    ['domain', 'localhost'],
    ['slug', 'a'.repeat(200)],
  ])('stores a %s exactly as it was sent: %j', async (field, text) => {
    const { id } = await created({ [field]: text });
    expect((await read(id)).body).toMatchObject({ [field]: text });
  });
});

describe('Idempotency-Key', () => {
  it('returns the same 201 for a body that means the same, and says that it is repeated', async () => {
    const body = fields({ domain: 'once.example' });
    const once = { 'Idempotency-Key': 'once' };
    const first = await create(body, once);
    const again = await create({ ...body, meta_description: '', domain: 'ONCE.example' }, once);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  });

  it('is not remembered for a slug that is taken, in any case of the domain', async () => {
    const { slug } = await created({ domain: 'fail.example' });
    const again = { 'Idempotency-Key': 'after-a-failure' };
    const taken = await create(fields({ domain: 'Fail.Example', slug }), again);
    expect(taken.body).toMatchObject({ status: 409, code: 'SLUG_TAKEN' });
    expect((await create(fields({ domain: 'fail.example' }), again)).status).toBe(201);
  });

  it('expires after 24 hours, whether or not the database has removed it', async () => {
    const headers = { 'Idempotency-Key': 'yesterday' };
    const first = (await create(fields(), headers)).body as ContentItem;
    api.clock.now = NOON + 24 * 60 * 60 * 1_000;
    const second = await create(fields(), headers);
    expect(second).toMatchObject({ status: 201, body: { id: expect.not.stringMatching(first.id) } });
  });
});

describe('PUT /v1/api/content/{id}', () => {
  it('ignores read-only fields whatever their value, and increments the version even when nothing changes', async () => {
    const item = await created();
    const { body } = await update(item.id, { ...item, version: 'x', id: 7, created_at: null });
    expect(body).toEqual({ ...item, version: 2 });
  });

  it('never decreases updated_at, even when the clock is behind', async () => {
    const { id, updated_at } = await created();
    api.clock.now = NOON - 1_500;
    expect((await update(id, { title: 'Earlier' })).body).toMatchObject({ title: 'Earlier', updated_at, version: 2 });
    api.clock.now = NOON + 1_500;
    const later = new Date(NOON + 1_500).toISOString();
    expect((await update(id, { title: 'Later' })).body).toMatchObject({ updated_at: later, version: 3 });
  });
});

describe('If-Match', () => {
  it.each(['"1"', '*', '"7", "1"'])('%s allows a change of version 1', async (ifMatch) => {
    const { id } = await created();
    expect((await update(id, { title: 'x' }, { 'If-Match': ifMatch })).status).toBe(200);
  });

  it.each(['"2"', 'W/"1"', '1', '"7", 1', '""'])('%s rejects a change of version 1 with 412', async (ifMatch) => {
    const item = await created();
    const { body } = await update(item.id, { title: 'x' }, { 'If-Match': ifMatch });
    expect(body).toMatchObject({ code: 'PRECONDITION_FAILED', detail: expect.stringContaining('"1"') });
    expect((await remove(item.id, { 'If-Match': ifMatch })).status).toBe(412);
    expect((await read(item.id)).body).toEqual(item);
  });

  it('is checked after 400 and 404, and before 409', async () => {
    const one = await created();
    const two = await created();
    const ifMatch = { 'If-Match': '"9"' };
    expect((await update('nothing', { slug: 'NO' }, ifMatch)).status).toBe(400);
    expect((await update('nothing', { title: 'x' }, ifMatch)).status).toBe(404);
    expect((await remove('nothing', ifMatch)).status).toBe(404);
    expect((await update(one.id, { slug: two.slug }, ifMatch)).status).toBe(412);
  });
});

/** Every parameter: test/unit/http/input.test.ts; links: test/unit/http/request.test.ts; walks: test/unit/content, test/black-box, test/orders. */
describe('GET /v1/api/content', () => {
  const list = async (query: string) => (await call('GET', `${PATH}?${query}`)).body;
  /** Stores items that are newer than those of other tests. */
  const store = (...rows: ReturnType<typeof someFields>[]) => {
    serial += 1;
    const now = new Date(NOON + 2 * DAY_MS + serial * 1_000);
    return contentImport(api.engine.client, api.engine.names.content).importBatch(rows, { ...moment(), now });
  };

  it('lists every domain without a filter, ignores unknown parameters, and is empty past the end', async () => {
    await store(someFields('one.example', 'a'), someFields('other.example', 'b'));
    const items = [{ slug: 'b' }, { slug: 'a' }];
    expect(await list('limit=2&colour=red&colour=blue')).toMatchObject({ items });
    expect(await list('offset=10000')).toMatchObject({ items: [], next: null });
    for (const query of ['domain=nobody.example', 'domain=one.example&slug=b']) {
      expect(await list(query)).toMatchObject({ items: [], total: 0 });
    }
  });

  it('rejects an `after` that it has not given, that is of another list or of the content of test keys', async () => {
    await store(
      ...['cursor.example', 'b.example'].flatMap((domain) => [someFields(domain, 'x1'), someFields(domain, 'x2')]),
    );
    const { next } = await list('domain=cursor.example&limit=1');
    expect(await list(`domain=Cursor.example&after=${next}`)).toMatchObject({ offset: 0 });
    const errors = [{ parameter: 'after', detail: 'must be `next` of an earlier page of the same list' }];
    const queries = [
      `after=${next}`,
      `domain=b.example&after=${next}`,
      'after=',
      `domain=cursor.example&after=${next}x`,
    ];
    for (const query of queries) expect(await list(query)).toMatchObject({ code: 'VALIDATION_FAILED', errors });
    const key = await api.newKey({ environment: 'test' });
    const { body } = await api.call('GET', `${PATH}?domain=cursor.example&after=${next}`, { key });
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors });
  });

  it('names everything that is wrong with a query at once, before the domain of the key', async () => {
    await store(someFields('whole.example', 'x1'), someFields('whole.example', 'x2'));
    const { next } = await list('domain=whole.example&limit=1');
    const excluded = (parameter: string) => ({ parameter, detail: 'must not be given with `after`' });
    const malformed = { parameter: 'after', detail: 'must be `next` of an earlier page of the same list' };
    const limit = { parameter: 'limit', detail: 'must be at least 1' };
    const key = await api.newKey({ domains: ['another.example'] });
    for (const [query, ...issues] of [
      [`domain=whole.example&slug=x1&offset=0&after=${next}`, excluded('offset'), excluded('slug')],
      [`domain=whole.example&limit=0&offset=0&after=${next}`, limit, excluded('offset')],
      ['domain=whole.example&after=x', malformed],
      ['domain=whole.example&limit=0&offset=1&after=', limit, malformed, excluded('offset')],
    ] as const) {
      const { body } = await api.call('GET', `${PATH}?${query}`, { key });
      expect(body).toMatchObject({ code: 'VALIDATION_FAILED' });
      expect(body.errors).toHaveLength(issues.length);
      expect(body.errors).toEqual(expect.arrayContaining(issues));
    }
  });

  it('rejects a page that Lambda would not return and names a limit that fits', async () => {
    const rows = Array.from({ length: 20 }, (_, index) => someFields('large.example', `s${index}`));
    const large = rows.map((row) => ({ ...row, content: '"'.repeat(100_000) }));
    await store(...large.slice(0, 10));
    await store(...large.slice(10));
    const body = await list('domain=large.example');
    expect(body).toMatchObject({ status: 400, code: 'PAGE_TOO_LARGE' });
    const fits = /limit of (\d+) fits/.exec((body as { detail: string }).detail)?.[1];
    expect(await list(`domain=large.example&limit=${fits}`)).toMatchObject({ total: 20 });
  });
});
