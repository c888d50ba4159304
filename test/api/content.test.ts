import { describe, expect, it } from '@jest/globals';
import type { ContentItem } from '../../core/content/item.ts';
import type { Reply } from '../support/api.ts';
import { NOON } from '../support/clock.ts';
import { testApi } from '../support/test-api.ts';

const PATH = '/v1/api/content';
const api = testApi();
type Headers = Record<string, string>;

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
const pageOf = ({ body }: Reply) => body as { items: ContentItem[]; total: number; limit: number; offset: number };
const list = (query: string) => call('GET', `${PATH}?${query}`);
const totalOf = async (domain: string) => pageOf(await list(`domain=${domain}`)).total;
const errorsOf = ({ body }: Reply) => (body as { errors: { pointer?: string }[] }).errors;
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort();
const times = (count: number, make: (index: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));

it.each([PATH, '/api/content'])(
  'Content at %s has its whole life there, and links stay in that family',
  async (path) => {
    const made = await call('POST', path, fields({ domain: 'family.example' }));
    const location = `${path}/${(made.body as ContentItem).id}`;
    expect([made.status, made.headers.get('location')]).toEqual([201, location]);
    expect((await call('GET', location)).body).toEqual(made.body);
    expect(pageOf(await call('GET', `${path}?domain=family.example`)).items).toEqual([made.body]);
    expect((await call('PUT', location, { title: 'New' })).body).toMatchObject({ title: 'New', version: 2 });
    expect((await call('DELETE', location)).status).toBe(204);
    expect((await call('GET', location)).status).toBe(404);
  },
);

describe('POST /v1/api/content', () => {
  it('returns 201 with the item, its version and its entity tag', async () => {
    const body = fields({ domain: 'News.EXAMPLE' });
    const reply = await create(body);
    expect([reply.status, reply.headers.get('etag')]).toEqual([201, '"1"']);
    const now = new Date(NOON).toISOString();
    const stamps = { created_at: now, updated_at: now, version: 1 };
    const id = expect.any(String);
    expect(reply.body).toEqual({ id, ...body, domain: 'news.example', meta_description: '', ...stamps });
  });

  it('returns every validation issue', async () => {
    const long = 'x'.repeat(501);
    const reply = await create({ title: '  ', content: 5, slug: 'Not A Slug', meta_description: long, extra: 1 });
    const detail = 'The request has 6 validation issues; see errors.';
    expect(reply.body).toMatchObject({ status: 400, code: 'VALIDATION_FAILED', detail });
    const pointers = errorsOf(reply).map(({ pointer }) => pointer);
    expect(pointers.sort()).toEqual(['/content', '/domain', '/extra', '/meta_description', '/slug', '/title']);
  });

  it.each([
    ['a title of 200 characters', { title: '🚗'.repeat(200) }, 201],
    ['a title of 201 characters', { title: '🚗'.repeat(201) }, 400],
    ['a blank title', { title: ' \u00a0\t' }, 400],
    ['content of 100,000 bytes', { content: 'é'.repeat(50_000) }, 201],
    ['empty content', { content: '' }, 400],
    ['a title of invisible characters', { title: '\u200b\u2060 \ufeff\u00ad' }, 400],
    ['a title with an invisible character', { title: 'a\u200bb' }, 201],
    ['content of invisible characters', { content: '\u200b\u3164\u2800' }, 400],
    ['a meta description of invisible characters', { meta_description: '\u200b' }, 201],
    ['a slug of 200 characters', { slug: 'a'.repeat(200) }, 201],
    ['a slug with a double hyphen', { slug: 'a--b' }, 400],
    ['a slug with a trailing newline', { slug: 'a\n' }, 400],
    ['a domain with an empty label', { domain: 'a..b' }, 400],
    ['a domain of one label', { domain: 'localhost' }, 201],
    ['a null meta description', { meta_description: null }, 400],
    ['a field that only the service sets', { id: 'mine' }, 400],
  ])('with %s returns the right status', async (_what, changes, status) => {
    expect((await create(fields(changes))).status).toBe(status);
  });

  it('stores text exactly as it was sent', async () => {
    const content = ' line\r\n\ttab \u200b "quotes" <b>&amp;</b> 日本語 e\u0301 ';
    const { id } = await created({ content });
    expect((await read(id)).body).toMatchObject({ content });
  });

  const notCharacter = (detail: string) => `must not contain ${detail}`;
  it.each([
    ['title', 'half \ud83d of a pair', notCharacter('U+D83D, which is character 6')],
    ['title', '🚗\ufffd', notCharacter('U+FFFD, which is character 2')],
    ['content', 'a\u0000', notCharacter('U+0000, which is character 2')],
    ['content', 'line\r\n\u000bline', notCharacter('U+000B, which is character 7')],
    ['meta_description', '\u007f', notCharacter('U+007F, which is character 1')],
    ['meta_description', '\u0085', notCharacter('U+0085, which is character 1')],
    ['content', `${'é'.repeat(50_000)}x`, 'must be at most 100,000 bytes of UTF-8, not 100001'],
    ['title', 'x'.repeat(201), 'must be a text of 1 to 200 characters that is not blank'],
    ['domain', 'a'.repeat(254), expect.stringMatching(/at most 253 characters$/)],
    ['slug', '-'.repeat(201), expect.stringMatching(/at most 200 characters$/)],
    ['slug', 'a'.repeat(201), expect.stringMatching(/at most 200 characters$/)],
  ])('returns 400 that names the invalid character or the maximum length of %s: %j', async (field, text, detail) => {
    const reply = await create(fields({ [field]: text }));
    expect(reply.status).toBe(400);
    expect(errorsOf(reply)).toEqual([{ pointer: `/${field}`, detail }]);
  });

  it('returns 409 SLUG_TAKEN within a domain in any case, and not in another', async () => {
    const { slug } = await created();
    const taken = await create(fields({ slug, domain: 'A.Example' }));
    expect(taken.body).toMatchObject({ status: 409, code: 'SLUG_TAKEN' });
    expect((await create(fields({ slug, domain: 'b.example' }))).status).toBe(201);
  });

  it('creates one item for 8 concurrent requests with the same slug', async () => {
    const body = fields({ domain: 'race.example' });
    expect(statusesOf(await times(8, () => create(body)))).toEqual([201, ...Array(7).fill(409)]);
    expect(await totalOf('race.example')).toBe(1);
  });
});

describe('Idempotency-Key', () => {
  it('returns the same 201 for the same body, however often and concurrently it is sent, and creates one item', async () => {
    const body = fields({ domain: 'once.example' });
    const once = { 'Idempotency-Key': 'once' };
    const replies = await times(5, () => create(body, once));
    replies.push(await create({ ...body, meta_description: '', domain: 'ONCE.example' }, once));
    for (const reply of replies) {
      expect(reply).toMatchObject({ status: 201, body: replies[0]?.body });
      expect(reply.headers.get('location')).toBe(replies[0]?.headers.get('location'));
    }
    expect(await totalOf('once.example')).toBe(1);
  });

  it('returns 409 IDEMPOTENCY_CONFLICT for another body, but not to another API key', async () => {
    const headers = { 'Idempotency-Key': 'order-1' };
    expect((await create(fields(), headers)).status).toBe(201);
    expect((await create(fields(), headers)).body).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' });
    expect((await api.call('POST', PATH, { key: await api.newKey(), json: fields(), headers })).status).toBe(201);
  });

  it('remembers only successes', async () => {
    const { slug } = await created({ domain: 'fail.example' });
    const again = { 'Idempotency-Key': 'after-a-failure' };
    expect((await create(fields({ domain: 'fail.example', slug }), again)).status).toBe(409);
    expect((await create(fields({ domain: 'fail.example' }), again)).status).toBe(201);
  });

  it('expires after 24 hours, whether or not the database has removed it', async () => {
    const headers = { 'Idempotency-Key': 'yesterday' };
    const first = (await create(fields(), headers)).body as ContentItem;
    api.clock.now = NOON + 24 * 60 * 60 * 1_000;
    const second = await create(fields(), headers);
    expect(second).toMatchObject({ status: 201, body: { id: expect.not.stringMatching(first.id) } });
  });

  it.each([' ', 'x'.repeat(256)])('returns 400 for a wrong length', async (value) => {
    const { body } = await create(fields(), { 'Idempotency-Key': value });
    expect(body).toMatchObject({ status: 400, errors: [{ parameter: 'Idempotency-Key' }] });
  });
});

describe('GET /v1/api/content/{id}', () => {
  it('returns the item with its entity tag', async () => {
    const item = await created();
    const { status, headers, body } = await read(item.id);
    expect([status, headers.get('etag'), body]).toEqual([200, '"1"', item]);
  });

  it.each(['nothing', '00000000-0000-4000-8000-000000000000', encodeURIComponent('../x#'), 'x'.repeat(3_000)])(
    'returns 404 CONTENT_NOT_FOUND for %j',
    async (id) => {
      expect((await read(id)).body).toMatchObject({ status: 404, code: 'CONTENT_NOT_FOUND' });
    },
  );
});

describe('PUT /v1/api/content/{id}', () => {
  it('changes the fields that are sent and keeps the others', async () => {
    const item = await created({ meta_description: 'Old' });
    api.clock.now = NOON + 5_000;
    const { status, headers, body } = await update(item.id, { title: 'New' });
    expect([status, headers.get('etag')]).toEqual([200, '"2"']);
    expect(body).toEqual({ ...item, title: 'New', version: 2, updated_at: '2026-06-15T12:00:15.000Z' });
    expect((await read(item.id)).body).toEqual(body);
  });

  it('increments the version even when nothing changes', async () => {
    const item = await created();
    expect((await update(item.id, { title: item.title })).body).toMatchObject({ version: 2 });
  });

  it('ignores read-only fields whatever their value', async () => {
    const item = await created();
    const { body } = await update(item.id, { ...item, title: 'Round trip', version: 'x', id: 7, created_at: null });
    expect(body).toMatchObject({ id: item.id, title: 'Round trip', created_at: item.created_at, version: 2 });
  });

  it.each([
    ['an empty body', {}],
    ['read-only fields alone', { id: 'x', version: 4 }],
    ['an unknown field', { title: 'x', author: 'me' }],
    ['a wrong value', { slug: 'NO' }],
    ['an array', []],
  ])('returns 400 for %s', async (_what, json) => {
    const { id } = await created();
    expect((await update(id, json)).body).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  });

  it('frees the old slug and claims the new one', async () => {
    const { id, slug } = await created();
    const free = fields().slug;
    expect((await update(id, { slug: free })).status).toBe(200);
    expect((await create(fields({ slug: free }))).status).toBe(409);
    expect((await create(fields({ slug }))).status).toBe(201);
  });

  it('returns 409 SLUG_TAKEN and changes nothing when another item has the slug', async () => {
    const [one, two] = [await created(), await created()];
    expect((await update(one.id, { slug: two.slug, title: 'x' })).body).toMatchObject({ code: 'SLUG_TAKEN' });
    expect((await read(one.id)).body).toEqual(one);
  });

  it('never decreases updated_at, even when the clock is behind', async () => {
    const { id, updated_at } = await created();
    api.clock.now = NOON - 1_500;
    expect((await update(id, { title: 'Earlier' })).body).toMatchObject({ title: 'Earlier', updated_at, version: 2 });
    api.clock.now = NOON + 1_500;
    const later = new Date(NOON + 1_500).toISOString();
    expect((await update(id, { title: 'Later' })).body).toMatchObject({ updated_at: later, version: 3 });
  });

  it('moves an item to another domain, where it is the newest', async () => {
    const { id } = await created({ domain: 'from.example' });
    await created({ domain: 'to.example' });
    await update(id, { domain: 'TO.example' });
    expect(await totalOf('from.example')).toBe(0);
    expect((await list('domain=to.example')).body).toMatchObject({ total: 2, items: [{ id }, {}] });
  });

  it('loses no change of concurrent updates of different fields', async () => {
    const { id } = await created();
    const changes = { title: 'A', content: 'B', meta_description: 'C' };
    const replies = await Promise.all(Object.entries(changes).map(([name, value]) => update(id, { [name]: value })));
    expect(statusesOf(replies)).toEqual([200, 200, 200]);
    expect((await read(id)).body).toMatchObject({ ...changes, version: 4 });
  });

  it('returns 404 for an unknown id, after the body is validated', async () => {
    expect((await update('nothing', { title: 'x' })).body).toMatchObject({ code: 'CONTENT_NOT_FOUND' });
    expect((await update('nothing', { slug: 'NO' })).body).toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});

describe('If-Match', () => {
  it.each(['"1"', '*', '"7", "1"'])('%s allows a change of version 1', async (ifMatch) => {
    const { id } = await created();
    expect((await update(id, { title: 'x' }, { 'If-Match': ifMatch })).status).toBe(200);
  });

  it.each([
    ['"2"', /read it again/],
    ['W/"1"', /in double quotes.*"1"|"1".*in double quotes/],
    ['1', /in double quotes.*"1"|"1".*in double quotes/],
    ['"7", 1', /in double quotes.*"1"|"1".*in double quotes/],
    ['""', /./],
  ])('%s rejects a change of version 1 with 412 and a remedy', async (ifMatch, remedy) => {
    const item = await created();
    const { body } = await update(item.id, { title: 'x' }, { 'If-Match': ifMatch });
    expect(body).toMatchObject({ status: 412, title: 'Precondition Failed', code: 'PRECONDITION_FAILED' });
    expect(body).toMatchObject({ detail: expect.stringMatching(remedy) });
    expect((await remove(item.id, { 'If-Match': ifMatch })).status).toBe(412);
    expect((await read(item.id)).body).toEqual(item);
  });

  it('allows one of many concurrent changes', async () => {
    const { id } = await created();
    const replies = await times(8, (n) => update(id, { title: `t${n}` }, { 'If-Match': '"1"' }));
    expect(statusesOf(replies)).toEqual([200, ...Array(7).fill(412)]);
  });

  it('is checked after 404 and before 409', async () => {
    const [one, two] = [await created(), await created()];
    expect((await update('nothing', { title: 'x' }, { 'If-Match': '"9"' })).status).toBe(404);
    expect((await remove('nothing', { 'If-Match': '*' })).status).toBe(404);
    expect((await update(one.id, { slug: two.slug }, { 'If-Match': '"9"' })).status).toBe(412);
  });
});

it('DELETE /v1/api/content/{id} returns 204 without a body, deletes the item for good and frees its slug', async () => {
  const { id, slug } = await created({ domain: 'gone.example' });
  const { status, text, headers } = await remove(id, { 'If-Match': '"1"' });
  expect([status, text, headers.get('content-type')]).toEqual([204, '', null]);
  expect([(await read(id)).status, (await remove(id)).status]).toEqual([404, 404]);
  expect(await totalOf('gone.example')).toBe(0);
  expect((await create(fields({ domain: 'gone.example', slug }))).status).toBe(201);
});
