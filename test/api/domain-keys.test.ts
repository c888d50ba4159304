import { describe, expect, it } from '@jest/globals';
import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import type { ContentItem } from '../../core/content/item.ts';
import type { Reply } from '../support/api.ts';
import { fillDomain, someFields } from '../support/content.ts';
import { always, forOperation, forTable } from '../support/fault-choosers.ts';
import { testApi } from '../support/test-api.ts';

const PATH = '/v1/api/content';
const [OURS, SECOND, FOREIGN] = ['ours.example', 'second.example', 'foreign.example'];

let one: string;
let two: string;
const api = testApi(async ({ engine, newKey }) => {
  for (const domain of [FOREIGN, OURS, SECOND]) await fillDomain(engine.client, engine.names.content, domain, 3);
  one = await newKey({ domains: [OURS] });
  two = await newKey({ domains: [OURS, SECOND] });
});

let slugs = 0;
const newSlug = () => {
  slugs += 1;
  return `new-${slugs}`;
};

const list = (key: string, query = '') => api.call('GET', `${PATH}${query}`, { key });
const create = (key: string, domain: string, headers = {}) =>
  api.call('POST', PATH, { key, headers, json: someFields(domain, newSlug()) });
const itemIn = async (domain: string) => (await create(api.key, domain)).body as ContentItem;
const read = (key: string, id: string) => api.call('GET', `${PATH}/${id}`, { key });
const update = (key: string, id: string, json: object, headers = {}) =>
  api.call('PUT', `${PATH}/${id}`, { key, json, headers });
const remove = (key: string, id: string, headers = {}) => api.call('DELETE', `${PATH}/${id}`, { key, headers });

const forbidden = (...domains: string[]) => ({
  status: 403,
  body: {
    code: 'DOMAIN_FORBIDDEN',
    title: 'Forbidden',
    detail: `This API key is bound to domains; send "domain" as one of: ${domains.join(', ')}.`,
  },
});
const notFound = { status: 404, body: { code: 'CONTENT_NOT_FOUND' } };
const pageOf = ({ body }: Reply) => body as { items: ContentItem[]; total: number };

describe('A key that is bound to domains', () => {
  it('creates, reads, changes and deletes items of its domains, in any case', async () => {
    const created = await create(two, 'Ours.EXAMPLE');
    expect(created).toMatchObject({ status: 201, body: { domain: OURS } });
    const { id } = created.body as ContentItem;
    expect(await read(two, id)).toMatchObject({ status: 200 });
    expect(await update(two, id, { domain: 'SECOND.example' })).toMatchObject({
      status: 200,
      body: { domain: SECOND },
    });
    expect(await remove(two, id)).toMatchObject({ status: 204 });
  });

  it('gets 403 for creating an item in another domain or moving one there, and nothing changes', async () => {
    const { total } = pageOf(await list(api.key, `?domain=${FOREIGN}`));
    expect(await create(two, FOREIGN)).toMatchObject(forbidden(OURS, SECOND));
    expect(await create(one, `sub.${OURS}`)).toMatchObject(forbidden(OURS));
    const { id } = await itemIn(OURS);
    expect(await update(one, id, { domain: SECOND })).toMatchObject(forbidden(OURS));
    expect(await read(one, id)).toMatchObject({ status: 200, body: { domain: OURS, version: 1 } });
    expect(pageOf(await list(api.key, `?domain=${FOREIGN}`)).total).toBe(total);
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
      const [foreign, missing] = [await request(id), await request(unknown)];
      expect(foreign).toMatchObject(notFound);
      const { requestId: _, ...body } = foreign.body as { requestId: string };
      expect(missing).toMatchObject({ status: 404, body });
    }
    expect(await read(api.key, id)).toMatchObject({ status: 200, body: { version: 1 } });
  });

  it('gets 403 for a list of another domain, and of a slug there', async () => {
    for (const key of [one, two]) {
      expect(await list(key, `?domain=${FOREIGN}`)).toMatchObject({ status: 403 });
      expect(await list(key, `?domain=${FOREIGN}&slug=item-1`)).toMatchObject({ status: 403 });
    }
    expect(await list(one, '?domain=OURS.example&slug=item-1')).toMatchObject({ status: 200, body: { total: 1 } });
    expect(await list(two, `?domain=${SECOND}`)).toMatchObject({ status: 200 });
  });

  it('lists its only domain by default, with its total and links', async () => {
    const named = await list(one, `?domain=${OURS}&limit=1&offset=1`);
    const unnamed = await list(one, '?limit=1&offset=1');
    expect(unnamed).toMatchObject({ status: 200, body: named.body as object });
    expect(unnamed.headers.get('link')).toBe(named.headers.get('link'));
    expect(unnamed.headers.get('link')).toContain(`domain=${OURS}&limit=1&offset=2`);
  });

  it('gets 403 for a list without a domain when it is bound to several', async () => {
    expect(await list(two)).toMatchObject(forbidden(OURS, SECOND));
  });

  it('is limited to its new domains at once, even when it was recently admitted', async () => {
    const key = await api.newKey();
    const id = keyIdOf(hashKey(key));
    expect(await list(key, `?domain=${FOREIGN}`)).toMatchObject({ status: 200 });
    await api.keys.update(id, { domains: [OURS] });
    expect(await list(key, `?domain=${FOREIGN}`)).toMatchObject(forbidden(OURS));
    expect(pageOf(await list(key)).items.every(({ domain }) => domain === OURS)).toBe(true);
    await api.keys.update(id, { domains: null });
    expect(await list(key, `?domain=${FOREIGN}`)).toMatchObject({ status: 200 });
  });

  it('sees its domains in its usage', async () => {
    expect(await api.call('GET', '/v1/usage', { key: two })).toMatchObject({
      body: { key: { domains: [OURS, SECOND], environment: 'unknown' } },
    });
  });
});

describe('403 DOMAIN_FORBIDDEN', () => {
  it('comes after 400', async () => {
    expect(await api.call('POST', PATH, { key: one, json: { domain: FOREIGN } })).toMatchObject({ status: 400 });
    expect(await list(one, `?domain=${FOREIGN}&limit=0`)).toMatchObject({ status: 400 });
    expect(await update(one, (await itemIn(OURS)).id, { domain: FOREIGN, slug: 'A b' })).toMatchObject({ status: 400 });
  });

  it('comes before 412 and 409', async () => {
    const { id } = await itemIn(OURS);
    expect(await update(one, id, { domain: FOREIGN }, { 'If-Match': '"9"' })).toMatchObject({ status: 403 });
    expect(await update(one, id, { domain: FOREIGN, slug: 'item-0' })).toMatchObject({ status: 403 });
    const again = { 'Idempotency-Key': 'of a key that was bound later' };
    const key = await api.newKey();
    expect(await create(key, FOREIGN, again)).toMatchObject({ status: 201 });
    await api.keys.update(keyIdOf(hashKey(key)), { domains: [OURS] });
    expect(await create(key, FOREIGN, again)).toMatchObject({ status: 403 });
  });
});

describe('A list without a domain', () => {
  it('reads nothing before its caller is known, also for a recently admitted key', async () => {
    const readsBeforeAdmission = async (query: string) => {
      await list(api.key);
      api.faults.reset();
      api.faults.inject(forTable(api.engine.names.keys, forOperation('GetItem', always('error'))));
      expect(await list(api.key, query)).toMatchObject({ status: 500 });
      const reads = api.faults.calls.filter(({ tables }) => tables.includes(api.engine.names.content)).length;
      api.faults.reset();
      return reads;
    };
    expect(await readsBeforeAdmission('')).toBe(0);
    expect(await readsBeforeAdmission(`?domain=${OURS}`)).toBeGreaterThan(0);
  });
});

describe('Items that move between domains while a bound key changes them', () => {
  it('are never changed or deleted by it in another domain', async () => {
    const writes: { version: number; domain: string }[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { id } = await itemIn(OURS);
      const note = ({ status, body }: Reply) => {
        if (status === 200) writes.push(body as ContentItem);
      };
      const moves = [FOREIGN, OURS, FOREIGN, OURS, FOREIGN].map(async (domain) => {
        await update(api.key, id, { domain });
      });
      const edits = Array.from({ length: 6 }, async (_, edit) =>
        note(await update(one, id, { title: `Edit ${edit}` })),
      );
      await Promise.all([...moves, ...edits]);
      // Whatever the order was, the last word is the unbound key's: what the bound one wrote is of its own domain.
      await update(api.key, id, { domain: FOREIGN });
      expect(await remove(one, id)).toMatchObject(notFound);
      expect(await read(api.key, id)).toMatchObject({ status: 200, body: { domain: FOREIGN } });
    }
    expect(writes.length).toBeGreaterThan(0);
    expect(writes.filter(({ domain }) => domain !== OURS)).toEqual([]);
  });

  it.each([
    ['changes', (id: string) => update(one, id, { title: 'Edited' })],
    ['deletes', (id: string) => remove(one, id)],
  ])('are not found when they left after they were read and before the bound key %s them', async (_verb, request) => {
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
    expect(await read(api.key, id)).toMatchObject({
      body: { domain: FOREIGN, title: expect.stringMatching('^Title') },
    });
  });
});
