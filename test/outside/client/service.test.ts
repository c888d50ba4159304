import { describe, expect, it } from '@jest/globals';
import { importLibrary, virtualTime } from './installed-package.ts';
import { useService } from './use-client.ts';

const { VehicleVerification } = await importLibrary();

const { service, proxy } = useService();

/** A client of the service through the proxy, whose delays take no time, with a key of a plan or the test key. */
const clientOf = (plan: string, options: object = {}) =>
  new VehicleVerification({
    baseUrl: `${proxy().origin}/v1`,
    apiKey: { ...service().keys.plans, test: service().keys.test }[plan] ?? '',
    timing: { sleep: virtualTime().timing.sleep },
    ...options,
  });
const requestsTo = (method: string, path: RegExp) =>
  proxy().requests.filter((request) => request.method === method && path.test(request.path));
const failureOf = (promise: Promise<unknown>) => promise.catch((error: unknown) => error);

let slugs = 0;
const newItem = (domain = 'client.example') => {
  slugs += 1;
  return { title: 'Title', content: 'Text', domain, slug: `item-${slugs}` };
};

describe('The client', () => {
  it('tries once when the address begins with https:// and the service has no TLS', async () => {
    const client = clientOf('premium', { baseUrl: `${proxy().origin.replace('http:', 'https:')}/v1` });
    expect(String(await failureOf(client.usage()))).toMatch(/ in 1 attempt \(.*: it does not speak HTTPS\)\.$/);
  });

  it('retries unread registrations only with a backoff, and leaves them unread after all attempts', async () => {
    const time = virtualTime();
    const client = clientOf('test', { timing: time.timing });
    const results = await client.verify(['KR08 NIL', 'ER19 THR']);
    expect(await client.verify([])).toEqual([]);
    expect(results).toMatchObject([{ policy: null }, { code: 'LOOKUP_UNAVAILABLE' }]);
    const asked = requestsTo('POST', /bulk-insurance/).map(({ body }) => JSON.parse(body).registrations);
    expect(asked).toEqual([['KR08 NIL', 'ER19 THR'], ...Array(4).fill(['ER19 THR'])]);
    expect(time.waits).toEqual([250, 500, 1_000, 2_000]);
  });

  it('creates one item when two calls have the same idempotency key', async () => {
    const { content } = clientOf('premium');
    const item = newItem();
    const { id } = await content.create(item, { idempotencyKey: item.slug });
    expect(await content.create(item, { idempotencyKey: item.slug })).toMatchObject({ id });
  });

  it('reads every item of every page once', async () => {
    const client = clientOf('premium');
    const items = await Array.fromAsync(client.content.list({ domain: 'help.example', pageSize: 10 }));
    expect([items.length, new Set(items.map(({ id }) => id)).size]).toEqual([25, 25]);
    expect(await Array.fromAsync(client.content.list({ domain: 'nothing.example' }))).toEqual([]);
    const [{ slug = '' } = {}] = items;
    expect(await Array.fromAsync(client.content.list({ domain: 'help.example', slug }))).toEqual(items.slice(0, 1));
  });

  it('reads each item once in a loop that deletes what it lists and creates others', async () => {
    const { content } = clientOf('premium');
    const domain = 'emptied.example';
    const before: string[] = [];
    for (let count = 0; count < 5; count += 1) before.push((await content.create(newItem(domain))).id);
    const listed: string[] = [];
    for await (const { id } of content.list({ domain, pageSize: 2 })) {
      listed.push(id);
      await content.delete(id);
      await content.create(newItem(domain));
    }
    expect(listed).toEqual(before.toReversed());
  });

  it('rejects a page without `next`, which would end a list early', async () => {
    const { content } = clientOf('premium', { fetch: async () => Response.json({ items: [], total: 0 }) });
    await expect(Array.fromAsync(content.list())).rejects.toThrow('not a page of content');
  });

  it('requests smaller pages when large items do not fit', async () => {
    const client = clientOf('premium');
    const domain = 'large.example';
    for (let count = 0; count < 60; count += 1)
      await client.content.create({ ...newItem(domain), content: 'x'.repeat(100_000) });
    proxy().inject(() => undefined);
    const items = await Array.fromAsync(client.content.list({ domain, pageSize: 100 }));
    expect(new Set(items.map(({ id }) => id)).size).toBe(60);
    const limits = requestsTo('GET', /limit=/).map(({ path }) => Number(/limit=(\d+)/.exec(path)?.[1]));
    expect(limits).toEqual([100, 50, 25, 25, 25]);
  });

  it('repeats an edit on the current version when others change the item', async () => {
    const { content } = clientOf('premium');
    const { id } = await content.create(newItem());
    const letters = ['a', 'b', 'c', 'd'];
    await Promise.all(letters.map((letter) => content.update(id, (item) => ({ content: item.content + letter }))));
    const item = await content.get(id);
    expect([item.version, [...item.content.slice(4)].toSorted()]).toEqual([5, letters]);
    await content.delete(id);
    expect(await failureOf(content.delete(id))).toMatchObject({ status: 404, code: 'CONTENT_NOT_FOUND' });
    expect(await failureOf(content.update(id, () => ({ title: 'x' })))).toMatchObject({ status: 404 });
  });
});

const FAULTS = [
  ...(['throttle', 'resetBefore', 'resetAfter', 'error', 'errorAfter', 'html', 'truncate', 'truncateJson'] as const),
  // Longer than any test: the timeout ends the attempt.
  { slowMs: 600_000 },
];

it.each(FAULTS)(
  'An item is created once, changed once and deleted with the fault %j in the first request of each kind',
  async (fault) => {
    const { content } = clientOf('premium', { timeoutMs: typeof fault === 'object' ? 1_000 : 60_000 });
    const met = new Set<string>();
    proxy().inject(({ method, path }) => {
      const kind = `${method} ${path.split('?')[0]}`;
      if (met.has(kind)) return undefined;
      met.add(kind);
      return fault;
    });
    const fields = newItem(`fault-${slugs}.example`);
    const created = await content.create(fields);
    const domain = fields.domain.toUpperCase();
    const changed = await content.update(created.id, (item) => ({ content: `${item.content}!`, domain }));
    expect(changed).toMatchObject({ ...fields, content: 'Text!', version: 2 });
    expect(await Array.fromAsync(content.list({ domain: fields.domain }))).toEqual([changed]);
    await content.delete(created.id);
    expect(await Array.fromAsync(content.list({ domain: fields.domain }))).toEqual([]);
    const creations = requestsTo('POST', /content$/).map(({ body }) => body);
    expect([new Set(creations).size, creations.length]).toEqual([1, 2]);
    // 204 has nothing to truncate.
    expect(requestsTo('DELETE', /./)).toHaveLength(String(fault).startsWith('truncate') ? 1 : 2);
  },
);

const among = ({ nth }: { nth: number }) => (nth % 3 === 0 ? undefined : FAULTS[nth % (FAULTS.length - 1)]);

it('With faults of every kind in two of three requests an edit is applied once, or rejects with the 412 of a change whose outcome is unknown', async () => {
  const { content } = clientOf('premium', { attempts: 15 });
  const { id } = await content.create(newItem());
  proxy().inject(among);
  const letters = [...'abcde'];
  const edits = letters.map((letter) => content.update(id, (item) => ({ content: item.content + letter })));
  const outcomes = await Promise.allSettled(edits);
  proxy().inject(() => undefined);
  const found = (await content.get(id)).content.slice(4);
  expect(new Set(found).size).toBe(found.length);
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') expect(found).toContain(letters[index]);
    else expect(outcome.reason).toMatchObject({ status: 412, isAfterLostAnswer: true });
  }
  expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true);
});
