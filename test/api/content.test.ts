import { describe, expect, it } from '@jest/globals';
import { contentImport } from '../../admin/import/content-import.ts';
import type { ContentItem } from '../../core/content/item.ts';
import { moment, someFields } from '../support/content.ts';
import { NOON } from '../support/records.ts';
import { type Call, useApi } from '../support/use-api.ts';

const PATH = '/v1/api/content';
const DAY_MS = 86_400_000;

const OURS = 'ours.example';
const SECOND = 'second.example';
const FOREIGN = 'foreign.example';

/** Keys that are bound to one domain and to two. */
let one: string;
let two: string;
const api = useApi(async ({ newKey }) => {
  one = await newKey({ domains: [OURS] });
  two = await newKey({ domains: [OURS, SECOND] });
});

/** By default the key is bound to no domain. */
type Options = Pick<Call, 'key' | 'headers'>;
/** An `If-Match` of another version. */
const OUTDATED = { headers: { 'If-Match': '"9"' } };

let serial = 0;
const fields = (changes: object = {}) => {
  serial += 1;
  return { title: 'Title', content: 'Text', domain: 'a.example', slug: `slug-${serial}`, ...changes };
};
const create = (json: object, options: Options = {}) => api.call('POST', PATH, { key: api.key, json, ...options });
const created = async (changes: object = {}) => (await create(fields(changes))).body as ContentItem;
const read = (id: string, options: Options = {}) => api.call('GET', `${PATH}/${id}`, { key: api.key, ...options });
const update = (id: string, json: object, options: Options = {}) =>
  api.call('PUT', `${PATH}/${id}`, { key: api.key, json, ...options });
const remove = (id: string, options: Options = {}) => api.call('DELETE', `${PATH}/${id}`, { key: api.key, ...options });
const list = async (query: string, options: Options = {}) =>
  (await api.call('GET', `${PATH}?${query}`, { key: api.key, ...options })).body;

/**
 * The life of an item, at both addresses: test/black-box. What a field may hold: test/unit/content/schemas.test.ts.
 * Concurrent changes: test/races.
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
    const once = { headers: { 'Idempotency-Key': 'once' } };
    const first = await create(body, once);
    const again = await create({ ...body, meta_description: '', domain: 'ONCE.example' }, once);
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
  });

  it('is not remembered for a slug that is taken, in any case of the domain', async () => {
    const { slug } = await created({ domain: 'fail.example' });
    const again = { headers: { 'Idempotency-Key': 'after-a-failure' } };
    const taken = await create(fields({ domain: 'Fail.Example', slug }), again);
    expect(taken.body).toMatchObject({ status: 409, code: 'SLUG_TAKEN' });
    expect((await create(fields({ domain: 'fail.example' }), again)).status).toBe(201);
  });

  it('expires after 24 hours, whether or not the database has removed it', async () => {
    const options = { headers: { 'Idempotency-Key': 'yesterday' } };
    const first = (await create(fields(), options)).body as ContentItem;
    api.clock.now = NOON + DAY_MS;
    const second = await create(fields(), options);
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

describe('If-Match and If-None-Match', () => {
  it.each(['"1"', '*', '"7", "1"'])('with If-Match, %s allows a change of version 1', async (ifMatch) => {
    const { id } = await created();
    expect((await update(id, { title: 'x' }, { headers: { 'If-Match': ifMatch } })).status).toBe(200);
  });

  it.each([
    ...['"2"', 'W/"1"', '1', '"7", 1', '""'].map((tags) => ['If-Match', tags] as const),
    ...['*', '"1"', '"7", "1"', 'W/"1"'].map((tags) => ['If-None-Match', tags] as const),
  ])('with %s, %s rejects a change of version 1 with 412', async (name, tags) => {
    const item = await created();
    const options = { headers: { [name]: tags } };
    const { body } = await update(item.id, { title: 'x' }, options);
    const detail = expect.stringMatching(name === 'If-Match' ? /"1"/ : /"1".*If-None-Match/);
    expect(body).toMatchObject({ code: 'PRECONDITION_FAILED', detail });
    expect((await remove(item.id, options)).status).toBe(412);
    expect((await read(item.id)).body).toEqual(item);
  });

  it('with If-None-Match, other versions allow a change, and a read is never 304', async () => {
    const { id } = await created();
    expect((await read(id, { headers: { 'If-None-Match': '"1"' } })).status).toBe(200);
    expect((await update(id, { title: 'x' }, { headers: { 'If-None-Match': '"2", W/"3"' } })).status).toBe(200);
  });

  it('are checked after 400 and 404, and before 409', async () => {
    const { id } = await created();
    const { slug } = await created();
    expect((await update('nothing', { slug: 'NO' }, OUTDATED)).status).toBe(400);
    for (const options of [OUTDATED, { headers: { 'If-None-Match': '*' } }]) {
      expect((await update('nothing', { title: 'x' }, options)).status).toBe(404);
    }
    expect((await remove('nothing', OUTDATED)).status).toBe(404);
    expect((await update(id, { slug }, OUTDATED)).status).toBe(412);
  });
});

/**
 * Every parameter: test/unit/content/schemas.test.ts; links: test/unit/http/request.test.ts; walks:
 * test/unit/content, test/black-box; changes while a list is read: test/races.
 */
describe('GET /v1/api/content', () => {
  /** Stores items that are newer than those of other tests. */
  const store = async (...rows: ReturnType<typeof someFields>[]) => {
    serial += 1;
    const now = new Date(NOON + 2 * DAY_MS + serial * 1_000);
    const { importRow } = contentImport(api.engine.client, api.engine.names.content);
    for (const row of rows) await importRow(row, { ...moment(), now });
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

  it('rejects an `after` of another list, with everything else that is wrong and before the domain of the key', async () => {
    await store(someFields('cursor.example', 'x1'), someFields('cursor.example', 'x2'));
    const { next } = await list('domain=cursor.example&limit=1');
    expect(await list(`domain=Cursor.example&after=${next}`)).toMatchObject({ offset: 0 });
    const malformed = { parameter: 'after', detail: 'must be `next` of an earlier page of the same list' };
    const excluded = (parameter: string) => ({ parameter, detail: 'must not be given with `after`' });
    const limit = { parameter: 'limit', detail: 'must be at least 1' };
    const test = await api.newKey({ environment: 'test' });
    for (const [key, query, ...issues] of [
      [api.key, `after=${next}`, malformed],
      [api.key, `domain=b.example&after=${next}`, malformed],
      [api.key, `domain=cursor.example&after=${next}x`, malformed],
      [test, `domain=cursor.example&after=${next}`, malformed],
      [one, `domain=cursor.example&slug=x1&offset=0&after=${next}`, excluded('offset'), excluded('slug')],
      [one, 'domain=cursor.example&limit=0&offset=1&after=', limit, malformed, excluded('offset')],
    ] as const) {
      const { code, errors } = await list(query, { key });
      expect({ query, code }).toEqual({ query, code: 'VALIDATION_FAILED' });
      expect(errors).toHaveLength(issues.length);
      expect(errors).toEqual(expect.arrayContaining(issues));
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

const notFound = { status: 404, body: { code: 'CONTENT_NOT_FOUND' } };

/** 403 for a list, a creation and a move: the examples of the document. Which list: test/unit/content/item.test.ts. */
describe('A key that is bound to domains', () => {
  it('creates, reads, changes and deletes items of its domains, in any case, and sees them in its usage', async () => {
    const key = { key: two };
    const { status, body } = await create(fields({ domain: 'Ours.EXAMPLE' }), key);
    expect({ status, body }).toMatchObject({ status: 201, body: { domain: OURS } });
    const { id } = body as unknown as ContentItem;
    expect((await read(id, key)).status).toBe(200);
    expect((await update(id, { domain: 'SECOND.example' }, key)).body).toMatchObject({ domain: SECOND });
    expect((await remove(id, key)).status).toBe(204);
    const usage = await api.call('GET', '/v1/usage', key);
    expect(usage.body).toMatchObject({ key: { domains: [OURS, SECOND] } });
  });

  it('gets the same 404 for an item of another domain as for an unknown one', async () => {
    const { id } = await created({ domain: FOREIGN });
    const outdated = { key: one, ...OUTDATED };
    for (const request of [
      (item: string) => read(item, { key: one }),
      (item: string) => update(item, { title: 'Taken over' }, { key: one }),
      (item: string) => update(item, { domain: FOREIGN }, outdated),
      (item: string) => remove(item, outdated),
    ]) {
      const foreign = await request(id);
      const missing = await request('00000000-0000-4000-8000-000000000000');
      expect(foreign).toMatchObject(notFound);
      const { requestId: _, ...body } = foreign.body;
      expect(missing).toMatchObject({ status: 404, body });
    }
    expect((await read(id)).body).toMatchObject({ version: 1 });
  });

  it.each([
    ['changes', (id: string) => update(id, { title: 'Edited' }, { key: one })],
    ['deletes', (id: string) => remove(id, { key: one })],
  ])('gets 404 when an item left its domain after it was read and before the key %s it', async (_verb, request) => {
    const { id } = await created({ domain: OURS });
    let moving: Promise<unknown> | undefined;
    let isMoved = false;
    api.faults.inject(({ operation, body }) => {
      if (operation !== 'TransactWriteItems' || isMoved || body.includes(FOREIGN)) return undefined;
      moving ??= update(id, { domain: FOREIGN }).then(() => {
        isMoved = true;
      });
      return 'error';
    });
    expect(await request(id)).toMatchObject(notFound);
    await moving;
    expect((await read(id)).body).toMatchObject({ domain: FOREIGN, title: 'Title' });
  });

  it('gets 403 for another domain after 400, and before 412 and 409', async () => {
    const { id } = await created({ domain: OURS });
    const { slug } = await created({ domain: FOREIGN });
    const key = { key: one };
    expect((await create({ domain: FOREIGN }, key)).status).toBe(400);
    expect((await list(`domain=${FOREIGN}&limit=0`, key)).status).toBe(400);
    expect((await update(id, { domain: FOREIGN, slug: 'A b' }, key)).status).toBe(400);
    expect((await update(id, { domain: FOREIGN }, { ...key, ...OUTDATED })).status).toBe(403);
    expect((await update(id, { domain: FOREIGN, slug }, key)).status).toBe(403);
  });

  it('does not repeat a creation in another domain from before it was bound', async () => {
    const options = { key: await api.newKey(), headers: { 'Idempotency-Key': 'of a key that was bound later' } };
    const item = fields({ domain: FOREIGN });
    expect((await create(item, options)).status).toBe(201);
    await api.updateKey(options.key, { domains: [OURS] });
    expect((await create(item, options)).status).toBe(403);
  });
});
