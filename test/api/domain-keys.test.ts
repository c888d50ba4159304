import { describe, expect, it } from '@jest/globals';
import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import type { ContentItem } from '../../core/content/item.ts';
import { NOON } from '../support/clock.ts';
import { fillDomain, someFields } from '../support/content.ts';
import { useApi } from '../support/use-api.ts';

const PATH = '/v1/api/content';
const OURS = 'ours.example';
const SECOND = 'second.example';
const FOREIGN = 'foreign.example';

let one: string;
let two: string;
const api = useApi(async ({ engine, newKey }) => {
  for (const domain of [FOREIGN, OURS, SECOND]) await fillDomain(engine.client, engine.names.content, domain, 3);
  one = await newKey({ domains: [OURS] });
  two = await newKey({ domains: [OURS, SECOND] });
});

let slugs = 0;
const newSlug = () => {
  slugs += 1;
  return `new-${slugs}`;
};

const list = (key: string, query: string) => api.call('GET', `${PATH}${query}`, { key });
const create = (key: string, domain: string, headers = {}) =>
  api.call('POST', PATH, { key, headers, json: someFields(domain, newSlug()) });
const itemIn = async (domain: string) => (await create(api.key, domain)).body as ContentItem;
const read = (key: string, id: string) => api.call('GET', `${PATH}/${id}`, { key });
const update = (key: string, id: string, json: object, headers = {}) =>
  api.call('PUT', `${PATH}/${id}`, { key, json, headers });
const remove = (key: string, id: string, headers = {}) => api.call('DELETE', `${PATH}/${id}`, { key, headers });
const bind = (key: string, domains: readonly string[] | null) =>
  api.keys.update(keyIdOf(hashKey(key), 'live'), { domains }, { by: 'tester', at: new Date(NOON) });

const notFound = { status: 404, body: { code: 'CONTENT_NOT_FOUND' } };

/** 403 for a list, a creation and a move: the examples of the document. Which list: test/unit/content/item.test.ts. */
describe('A key that is bound to domains', () => {
  it('creates, reads, changes and deletes items of its domains, in any case, and sees them in its usage', async () => {
    const created = await create(two, 'Ours.EXAMPLE');
    expect(created).toMatchObject({ status: 201, body: { domain: OURS } });
    const { id } = created.body as ContentItem;
    expect((await read(two, id)).status).toBe(200);
    expect((await update(two, id, { domain: 'SECOND.example' })).body).toMatchObject({ domain: SECOND });
    expect((await remove(two, id)).status).toBe(204);
    const { body } = await api.call('GET', '/v1/usage', { key: two });
    expect(body).toMatchObject({ key: { domains: [OURS, SECOND] } });
  });

  it('gets the same 404 for an item of another domain as for an unknown one', async () => {
    const { id } = await itemIn(FOREIGN);
    const unknown = '00000000-0000-4000-8000-000000000000';
    for (const request of [
      (item: string) => read(one, item),
      (item: string) => update(one, item, { title: 'Taken over' }),
      (item: string) => update(one, item, { domain: FOREIGN }, { 'If-Match': '"9"' }),
      (item: string) => remove(one, item, { 'If-Match': '"9"' }),
    ]) {
      const foreign = await request(id);
      const missing = await request(unknown);
      expect(foreign).toMatchObject(notFound);
      const { requestId: _, ...body } = foreign.body as { requestId: string };
      expect(missing).toMatchObject({ status: 404, body });
    }
    expect((await read(api.key, id)).body).toMatchObject({ version: 1 });
  });

  it.each([
    ['changes', (id: string) => update(one, id, { title: 'Edited' })],
    ['deletes', (id: string) => remove(one, id)],
  ])('gets 404 when an item left its domain after it was read and before the key %s it', async (_verb, request) => {
    const { id } = await itemIn(OURS);
    let moving: Promise<unknown> | undefined;
    let isMoved = false;
    api.faults.inject(({ operation, body }) => {
      if (operation !== 'TransactWriteItems' || isMoved || body.includes(FOREIGN)) return undefined;
      moving ??= update(api.key, id, { domain: FOREIGN }).then(() => {
        isMoved = true;
      });
      return 'error';
    });
    expect(await request(id)).toMatchObject(notFound);
    await moving;
    expect((await read(api.key, id)).body).toMatchObject({ domain: FOREIGN, title: expect.stringMatching('^Title') });
  });
});

describe('403 DOMAIN_FORBIDDEN', () => {
  it('comes after 400', async () => {
    expect((await api.call('POST', PATH, { key: one, json: { domain: FOREIGN } })).status).toBe(400);
    expect((await list(one, `?domain=${FOREIGN}&limit=0`)).status).toBe(400);
    expect((await update(one, (await itemIn(OURS)).id, { domain: FOREIGN, slug: 'A b' })).status).toBe(400);
  });

  it('comes before 412 and 409', async () => {
    const { id } = await itemIn(OURS);
    expect((await update(one, id, { domain: FOREIGN }, { 'If-Match': '"9"' })).status).toBe(403);
    expect((await update(one, id, { domain: FOREIGN, slug: 'item-0' })).status).toBe(403);
    const again = { 'Idempotency-Key': 'of a key that was bound later' };
    const key = await api.newKey();
    expect((await create(key, FOREIGN, again)).status).toBe(201);
    await bind(key, [OURS]);
    expect((await create(key, FOREIGN, again)).status).toBe(403);
  });
});
