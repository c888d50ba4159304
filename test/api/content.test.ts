import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ContentItem } from '../../functions/content/item.ts';
import { type Reply, startApi, type TestApi } from '../support/api.ts';
import { NOON } from '../support/clock.ts';

let api: TestApi;
let key: string;
let serial = 0;

beforeAll(async () => {
  api = await startApi();
  key = await api.newKey();
});
afterAll(() => api.stop());

const fields = (changes: object = {}) => {
  serial += 1;
  return { title: 'Title', content: 'Text', domain: 'a.example', slug: `slug-${serial}`, ...changes };
};
const create = (json: unknown, headers: Record<string, string> = {}) =>
  api.call('POST', '/v1/api/content', { key, json, headers });
const created = async (changes: object = {}) => (await create(fields(changes))).body as ContentItem;
const read = (id: string) => api.call('GET', `/v1/api/content/${id}`, { key });
const update = (id: string, json: unknown, headers: Record<string, string> = {}) =>
  api.call('PUT', `/v1/api/content/${id}`, { key, json, headers });
const remove = (id: string, headers: Record<string, string> = {}) =>
  api.call('DELETE', `/v1/api/content/${id}`, { key, headers });
const list = (query = '') => api.call('GET', `/v1/api/content${query}`, { key });
const pageOf = ({ body }: Reply) => body as { items: ContentItem[]; total: number; limit: number; offset: number };
const pointers = ({ body }: Reply) =>
  (body as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer).sort();

describe.each(['/v1/api/content', '/api/content'])('Content at %s', (path) => {
  it('is created, read, listed, updated and deleted, and links stay in that family', async () => {
    const made = await api.call('POST', path, { key, json: fields({ domain: 'family.example' }) });
    expect(made.status).toBe(201);
    const { id } = made.body as ContentItem;
    expect(made.headers.get('location')).toBe(`${path}/${id}`);
    expect((await api.call('GET', `${path}/${id}`, { key })).body).toEqual(made.body);
    const listed = await api.call('GET', `${path}?domain=family.example`, { key });
    expect(pageOf(listed).items).toEqual([made.body]);
    const changed = await api.call('PUT', `${path}/${id}`, { key, json: { title: 'New' } });
    expect(changed.body).toMatchObject({ title: 'New', version: 2 });
    expect((await api.call('DELETE', `${path}/${id}`, { key })).status).toBe(204);
    expect((await api.call('GET', `${path}/${id}`, { key })).status).toBe(404);
  });
});

describe('POST /v1/api/content', () => {
  it('returns 201 with the item, its version and its entity tag', async () => {
    const body = fields({ meta_description: 'About', domain: 'News.EXAMPLE' });
    const reply = await create(body);
    expect(reply.status).toBe(201);
    expect(reply.headers.get('etag')).toBe('"1"');
    const now = new Date(NOON).toISOString();
    expect(reply.body).toEqual({
      id: expect.any(String),
      ...body,
      domain: 'news.example',
      created_at: now,
      updated_at: now,
      version: 1,
    });
  });

  it('stores "" for an omitted meta description', async () => {
    expect((await create(fields())).body).toMatchObject({ meta_description: '' });
  });

  it('returns every validation issue', async () => {
    const reply = await create({
      title: '  ',
      content: 5,
      slug: 'Not A Slug',
      meta_description: 'x'.repeat(501),
      extra: 1,
    });
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({
      code: 'VALIDATION_FAILED',
      detail: 'The request has 6 validation issues; see errors.',
    });
    expect(pointers(reply)).toEqual(['/content', '/domain', '/extra', '/meta_description', '/slug', '/title']);
  });

  it.each([
    ['a title of 200 characters', { title: '🚗'.repeat(200) }, 201],
    ['a title of 201 characters', { title: '🚗'.repeat(201) }, 400],
    ['a blank title', { title: ' \u00a0\t' }, 400],
    ['content of 100,000 bytes', { content: 'é'.repeat(50_000) }, 201],
    ['content of 100,001 bytes', { content: `${'é'.repeat(50_000)}x` }, 400],
    ['empty content', { content: '' }, 400],
    ['a title of invisible characters', { title: '\u200b\u2060 \ufeff\u00ad' }, 400],
    ['a title with an invisible character', { title: 'a\u200bb' }, 201],
    ['content of invisible characters', { content: '\u200b\u3164\u2800' }, 400],
    ['a meta description of invisible characters', { meta_description: '\u200b' }, 201],
    ['a slug of 200 characters', { slug: 'a'.repeat(200) }, 201],
    ['a slug of 201 characters', { slug: 'a'.repeat(201) }, 400],
    ['a slug with a double hyphen', { slug: 'a--b' }, 400],
    ['a slug with a trailing newline', { slug: 'a\n' }, 400],
    ['a domain with an empty label', { domain: 'a..b' }, 400],
    ['a domain of one label', { domain: 'localhost' }, 201],
    ['a domain of 254 characters', { domain: `${'a'.repeat(252)}.b` }, 400],
    ['a null meta description', { meta_description: null }, 400],
    ['a field that only the service sets', { id: 'mine' }, 400],
  ])('returns the right status for %s', async (_what, changes, status) => {
    expect((await create(fields(changes))).status).toBe(status);
  });

  it('returns text exactly as it was sent', async () => {
    const content = ' line\r\n\ttab \u200b "quotes" <b>&amp;</b> 日本語 e\u0301 ';
    const { id } = await created({ content });
    expect((await read(id)).body).toMatchObject({ content });
  });

  it.each([
    ['title', 'half \ud83d of a pair', 'U+D83D, which is character 6'],
    ['title', '🚗\ufffd', 'U+FFFD, which is character 2'],
    ['content', 'a\u0000', 'U+0000, which is character 2'],
    ['content', 'line\r\n\u000bline', 'U+000B, which is character 7'],
    ['meta_description', '\u007f', 'U+007F, which is character 1'],
    ['meta_description', '\u0085', 'U+0085, which is character 1'],
  ])('names an invalid character of %s and its position: %j', async (field, text, detail) => {
    const { status, body } = await create(fields({ [field]: text }));
    expect(status).toBe(400);
    expect(body).toMatchObject({ errors: [{ pointer: `/${field}`, detail: `must not contain ${detail}` }] });
  });

  it.each([
    ['content', 'x'.repeat(100_001), 'must be at most 100,000 bytes of UTF-8, not 100001'],
    ['content', 'é'.repeat(60_000), 'must be at most 100,000 bytes of UTF-8, not 120000'],
    ['title', 'x'.repeat(201), 'must be a text of 1 to 200 characters that is not blank'],
    ['domain', 'a'.repeat(254), expect.stringMatching(/at most 253 characters$/)],
    ['slug', '-'.repeat(201), expect.stringMatching(/at most 200 characters$/)],
  ])('names the maximum length of %s in the right unit', async (field, text, detail) => {
    const { body } = await create(fields({ [field]: text }));
    expect((body as { errors: unknown }).errors).toEqual([{ pointer: `/${field}`, detail }]);
  });

  it('returns 409 SLUG_TAKEN within a domain, in upper or lower case, and not in another', async () => {
    const { slug } = await created();
    expect((await create(fields({ slug, domain: 'A.Example' }))).body).toMatchObject({
      status: 409,
      code: 'SLUG_TAKEN',
    });
    expect((await create(fields({ slug, domain: 'b.example' }))).status).toBe(201);
  });

  it('creates one item for 20 concurrent requests with the same slug', async () => {
    const body = fields({ domain: 'race.example' });
    const replies = await Promise.all(Array.from({ length: 20 }, () => create(body)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(19);
    expect(pageOf(await list('?domain=race.example')).total).toBe(1);
  });
});

describe('Idempotency-Key', () => {
  const once = { 'Idempotency-Key': 'order-1' };

  it('returns the same 201 for the same body and creates nothing', async () => {
    const body = fields({ domain: 'once.example' });
    const first = await create(body, once);
    const second = await create({ ...body, meta_description: '', domain: 'ONCE.example' }, once);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect(pageOf(await list('?domain=once.example')).total).toBe(1);
  });

  it('returns 409 IDEMPOTENCY_CONFLICT for another body', async () => {
    const reply = await create(fields(), once);
    expect(reply.body).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' });
  });

  it('belongs to the API key that sent it', async () => {
    const other = await api.newKey();
    const reply = await api.call('POST', '/v1/api/content', { key: other, json: fields(), headers: once });
    expect(reply.status).toBe(201);
  });

  it('creates one item when it is sent twice at the same time', async () => {
    const body = fields({ domain: 'twice.example' });
    const replies = await Promise.all(Array.from({ length: 10 }, () => create(body, { 'Idempotency-Key': 'twice' })));
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(201));
    expect(new Set(replies.map((reply) => (reply.body as ContentItem).id)).size).toBe(1);
    expect(pageOf(await list('?domain=twice.example')).total).toBe(1);
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
    api.clock.now = NOON;
    expect(second.status).toBe(201);
    expect((second.body as ContentItem).id).not.toBe(first.id);
  });

  it.each([' ', 'x'.repeat(256)])('returns 400 for a wrong length', async (value) => {
    const reply = await create(fields(), { 'Idempotency-Key': value });
    expect(reply.body).toMatchObject({ status: 400, errors: [{ parameter: 'Idempotency-Key' }] });
  });
});

describe('GET /v1/api/content/{id}', () => {
  it('returns the item with its entity tag', async () => {
    const item = await created();
    const reply = await read(item.id);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual(item);
    expect(reply.headers.get('etag')).toBe('"1"');
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
    const reply = await update(item.id, { title: 'New' });
    api.clock.now = NOON;
    expect(reply.status).toBe(200);
    expect(reply.headers.get('etag')).toBe('"2"');
    expect(reply.body).toEqual({ ...item, title: 'New', version: 2, updated_at: '2026-06-15T12:00:15.000Z' });
    expect((await read(item.id)).body).toEqual(reply.body);
  });

  it('increments the version even when nothing differs', async () => {
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
    const item = await created();
    expect((await update(item.id, json)).body).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  });

  it('frees the old slug and claims the new one', async () => {
    const item = await created();
    const free = fields().slug;
    expect((await update(item.id, { slug: free })).status).toBe(200);
    expect((await create(fields({ slug: free }))).status).toBe(409);
    expect((await create(fields({ slug: item.slug }))).status).toBe(201);
  });

  it('returns 409 SLUG_TAKEN and changes nothing when another item has the slug', async () => {
    const [one, two] = [await created(), await created()];
    expect((await update(one.id, { slug: two.slug, title: 'x' })).body).toMatchObject({ code: 'SLUG_TAKEN' });
    expect((await read(one.id)).body).toEqual(one);
  });

  it('never decreases updated_at, even when the clock is behind', async () => {
    const { id, updated_at } = await created();
    try {
      api.clock.now = NOON - 1_500;
      expect((await update(id, { title: 'Earlier' })).body).toMatchObject({ title: 'Earlier', updated_at, version: 2 });
      api.clock.now = NOON + 1_500;
      const later = new Date(NOON + 1_500).toISOString();
      expect((await update(id, { title: 'Later' })).body).toMatchObject({ updated_at: later, version: 3 });
    } finally {
      api.clock.now = NOON;
    }
  });

  it('moves an item to another domain, where it is the newest', async () => {
    const item = await created({ domain: 'from.example' });
    await created({ domain: 'to.example' });
    await update(item.id, { domain: 'TO.example' });
    expect(pageOf(await list('?domain=from.example')).total).toBe(0);
    const target = pageOf(await list('?domain=to.example'));
    expect(target.total).toBe(2);
    expect(target.items[0]?.id).toBe(item.id);
  });

  it('loses no change of concurrent updates of different fields', async () => {
    const item = await created();
    const replies = await Promise.all([
      update(item.id, { title: 'A' }),
      update(item.id, { content: 'B' }),
      update(item.id, { meta_description: 'C' }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await read(item.id)).body).toMatchObject({ title: 'A', content: 'B', meta_description: 'C', version: 4 });
  });

  it('returns 404 for an unknown id, after the body is validated', async () => {
    expect((await update('nothing', { title: 'x' })).body).toMatchObject({ code: 'CONTENT_NOT_FOUND' });
    expect((await update('nothing', { slug: 'NO' })).body).toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});

describe('If-Match', () => {
  it.each(['"1"', '*', '"7", "1"'])('%s allows a change of version 1', async (ifMatch) => {
    const item = await created();
    expect((await update(item.id, { title: 'x' }, { 'If-Match': ifMatch })).status).toBe(200);
  });

  it.each(['"2"', 'W/"1"', '1', '""'])('%s rejects a change of version 1', async (ifMatch) => {
    const item = await created();
    const reply = await update(item.id, { title: 'x' }, { 'If-Match': ifMatch });
    expect(reply.body).toMatchObject({ status: 412, title: 'Precondition Failed', code: 'PRECONDITION_FAILED' });
    expect((await remove(item.id, { 'If-Match': ifMatch })).status).toBe(412);
    expect((await read(item.id)).body).toEqual(item);
  });

  it.each([
    ['1', '"1"'],
    ['W/"1"', '"1"'],
    ['"7", 1', '"1"'],
  ])('%s gets a detail about double quotes', async (ifMatch, tag) => {
    const item = await created();
    const { body } = await update(item.id, { title: 'x' }, { 'If-Match': ifMatch });
    expect(body).toMatchObject({ detail: expect.stringContaining(`in double quotes`) });
    expect(body).toMatchObject({ detail: expect.stringContaining(tag) });
  });

  it('of another version gets a detail about reading the item again', async () => {
    const item = await created();
    const { body } = await update(item.id, { title: 'x' }, { 'If-Match': '"2"' });
    expect(body).toMatchObject({ detail: expect.stringContaining('read it again') });
  });

  it('allows one of many concurrent changes', async () => {
    const item = await created();
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, n) => update(item.id, { title: `t${n}` }, { 'If-Match': '"1"' })),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412, 412, 412]);
  });

  it('is checked after 404 and before 409', async () => {
    const [one, two] = [await created(), await created()];
    expect((await update('nothing', { title: 'x' }, { 'If-Match': '"9"' })).status).toBe(404);
    expect((await remove('nothing', { 'If-Match': '*' })).status).toBe(404);
    expect((await update(one.id, { slug: two.slug }, { 'If-Match': '"9"' })).status).toBe(412);
  });
});

describe('DELETE /v1/api/content/{id}', () => {
  it('returns 204 without a body, deletes the item for good and frees its slug', async () => {
    const item = await created({ domain: 'gone.example' });
    const reply = await remove(item.id, { 'If-Match': '"1"' });
    expect([reply.status, reply.text, reply.headers.get('content-type')]).toEqual([204, '', null]);
    expect((await read(item.id)).status).toBe(404);
    expect((await remove(item.id)).status).toBe(404);
    expect(pageOf(await list('?domain=gone.example')).total).toBe(0);
    expect((await create(fields({ domain: 'gone.example', slug: item.slug }))).status).toBe(201);
  });
});

describe('GET /v1/api/content', () => {
  const slugs = Array.from({ length: 45 }, (_, index) => `page-${index}`);
  beforeAll(async () => {
    for (const slug of slugs) await create(fields({ domain: 'pages.example', slug }));
  });
  const slugsOf = (reply: Reply) => pageOf(reply).items.map(({ slug }) => slug);
  const newestFirst = slugs.toReversed();

  it('returns the newest first, 20 by default, with the exact total', async () => {
    const reply = await list('?domain=Pages.Example');
    expect(reply.status).toBe(200);
    expect(pageOf(reply)).toMatchObject({ total: 45, limit: 20, offset: 0 });
    expect(slugsOf(reply)).toEqual(newestFirst.slice(0, 20));
  });

  it('yields every item once when its next links are followed', async () => {
    const seen: string[] = [];
    let next: string | undefined = '/v1/api/content?domain=pages.example&limit=7';
    while (next) {
      const reply: Reply = await api.call('GET', next, { key });
      seen.push(...slugsOf(reply));
      next = /<([^>]+)>; rel="next"/.exec(reply.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(newestFirst);
  });

  it('links to the previous page, and to none beyond the ends', async () => {
    expect((await list('?domain=pages.example&limit=20&offset=20')).headers.get('link')).toBe(
      '</v1/api/content?domain=pages.example&limit=20&offset=40>; rel="next", ' +
        '</v1/api/content?domain=pages.example&limit=20&offset=0>; rel="prev"',
    );
    expect((await list('?domain=pages.example&limit=100')).headers.get('link')).toBeNull();
  });

  it('returns an empty page past the end', async () => {
    const page = pageOf(await list('?domain=pages.example&offset=45'));
    expect(page).toEqual({ items: [], total: 45, limit: 20, offset: 45 });
    expect(pageOf(await list('?domain=pages.example&offset=9007199254740991')).items).toEqual([]);
    expect((await list('?offset=99999999999999999999999')).body).toMatchObject({ items: [], offset: 9007199254740991 });
    expect(pageOf(await list('?domain=nobody.example'))).toMatchObject({ items: [], total: 0 });
  });

  it('finds the item with a slug of a domain', async () => {
    const found = pageOf(await list('?domain=PAGES.example&slug=page-7'));
    expect(found).toMatchObject({ total: 1, items: [{ slug: 'page-7' }] });
    expect(pageOf(await list('?domain=pages.example&slug=page-7&offset=1'))).toMatchObject({ total: 1, items: [] });
    expect(pageOf(await list('?domain=pages.example&slug=nothing')).total).toBe(0);
  });

  it('lists every domain without a filter', async () => {
    const everything = pageOf(await list('?limit=1'));
    expect(everything.total).toBeGreaterThan(45);
    expect(everything.items[0]?.slug).toBe('page-44');
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=%2B5', 'limit'],
    ['limit=1e1', 'limit'],
    ['limit=٣', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=abc', 'offset'],
    ['limit=5&limit=5', 'limit'],
    ['domain=a.example&domain=b.example', 'domain'],
    ['slug=page-1', 'domain'],
    ['domain=', 'domain'],
  ])('returns 400 for ?%s and names the parameter', async (query, parameter) => {
    const reply = await list(`?${query}`);
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ parameter }] });
  });

  it.each([
    ['limit=-1', 'limit', 'must be at least 1'],
    ['limit=0', 'limit', 'must be at least 1'],
    ['limit=101', 'limit', 'must be at most 100'],
    ['offset=-99999999999999999999', 'offset', 'must be at least 0'],
    ['offset=-0', 'offset', 'must be an integer in decimal digits'],
    ['limit=1e1', 'limit', 'must be an integer in decimal digits'],
  ])('describes what is wrong with ?%s', async (query, parameter, detail) => {
    expect((await list(`?${query}`)).body).toMatchObject({ errors: [{ parameter, detail }] });
  });

  it('does not report a parameter as missing that was given twice', async () => {
    const { body } = await list('?domain=a.example&domain=a.example&slug=x');
    expect((body as { errors: unknown }).errors).toEqual([
      { parameter: 'domain', detail: 'must not be given more than once' },
    ]);
  });

  it('returns the issues of all parameters and ignores unknown ones', async () => {
    const reply = await list('?limit=x&offset=y&colour=red');
    expect((reply.body as { errors: unknown[] }).errors).toHaveLength(2);
    expect((await list('?colour=red&colour=blue&limit=1')).status).toBe(200);
  });

  it.each([
    ['over 5 MB', 'x', 51],
    ['that Lambda would not pass on', '"', 24],
  ])('rejects a page %s and names a limit that fits', async (what, character, count) => {
    const domain = `large-${what.length}.example`;
    const content = character.repeat(100_000);
    for (let n = 0; n < count; n += 1) await create(fields({ domain, content }));
    const reply = await list(`?domain=${domain}&limit=${count}`);
    expect(reply.body).toMatchObject({ status: 400, code: 'PAGE_TOO_LARGE' });
    const fits = /limit of (\d+) fits/.exec((reply.body as { detail: string }).detail)?.[1];
    expect((await list(`?domain=${domain}&limit=${fits}`)).status).toBe(200);
  });
});
