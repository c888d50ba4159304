import { DeleteCommand, PutCommand, type QueryCommandInput, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { checkContent } from '../../admin/content/content-check.ts';
import { contentExport } from '../../admin/content/content-export.ts';
import { contentImport } from '../../admin/content/content-import.ts';
import { contentRepair } from '../../admin/content/content-repair.ts';
import type { Inconsistency } from '../../admin/content/content-scan.ts';
import { contentKeys } from '../../core/content/content-store.ts';
import { contentTable } from '../../core/content/content-table.ts';
import { fillDomain, moment, someFields } from '../support/content.ts';
import { clientOf, storeItems, type TestEngine } from '../support/engine.ts';
import { forOperation } from '../support/fault-choosers.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { useEngine } from '../support/use-engine.ts';

type Key = ReturnType<typeof itemKey>;

const { allocatorKey, counterKey, itemKey, memberKey, slugKey } = contentKeys('live');

const engine = useEngine();
let proxy: FaultProxy;
/** Through the proxy. */
let db: TestEngine['client'];
let TableName: string;

beforeAll(async () => {
  proxy = await startFaultProxy(engine.endpoint);
  db = clientOf(proxy.endpoint);
  TableName = engine.names.content;
});
afterEach(() => proxy.reset());
afterAll(async () => {
  db.destroy();
  await proxy.close();
});

const content = () => contentTable(engine.client, TableName, 'live');
const inconsistencies = async () => (await checkContent(db, TableName)).inconsistencies;
const repair = (found: Inconsistency) => contentRepair(db, TableName, 'live')(found);
const drop = (key: Key) => engine.client.send(new DeleteCommand({ TableName, Key: key }));
const put = (Item: Key & Record<string, unknown>) => engine.client.send(new PutCommand({ TableName, Item }));
const update = (key: Key, UpdateExpression: string, value: unknown) =>
  engine.client.send(
    new UpdateCommand({ TableName, Key: key, UpdateExpression, ExpressionAttributeValues: { ':value': value } }),
  );
const listOf = (domain: string) => `domain:${domain}`;
/** The ids of items `item-0` to `item-4`, new in a domain. */
const fill = (domain: string) => fillDomain(engine.client, TableName, domain, 5);

/** More than are confirmed at a time. */
const FREE_SLUGS = Array.from({ length: 40 }, (_, index) => `free-${index}`);

/** What happens to five items of a domain, given its name and their ids, and what a check finds. */
const DAMAGES: Readonly<
  Record<string, readonly [(domain: string, ids: readonly string[]) => Promise<unknown>, string[]]>
> = {
  'lost-member': [(domain) => drop(memberKey(listOf(domain), 2)), ['miscounted bucket', 'missing member']],
  'member-without-item': [
    (domain) => put({ ...memberKey(listOf(domain), 77), member: 'nobody' }),
    ['allocator behind', 'miscounted bucket', 'orphaned member'],
  ],
  'member-in-place-of-another': [
    (domain) => put({ ...memberKey(listOf(domain), 3), member: 'nobody' }),
    ['missing member', 'orphaned member'],
  ],
  'lost-slug-claim': [(domain) => drop(slugKey(domain, 'item-1')), ['missing slug claim']],
  'slug-claims-without-items': [
    (domain) =>
      storeItems(
        engine.client,
        TableName,
        FREE_SLUGS.map((slug) => ({ ...slugKey(domain, slug), id: 'no' })),
      ),
    FREE_SLUGS.map(() => 'orphaned slug claim'),
  ],
  'wrong-counter': [(domain) => put({ ...counterKey(listOf(domain), 0), members: 9 }), ['miscounted bucket']],
  'lost-counter': [(domain) => drop(counterKey(listOf(domain), 0)), ['miscounted bucket']],
  'lost-allocator': [(domain) => drop(allocatorKey(listOf(domain))), ['allocator behind']],
  'lost-item': [
    (_domain, [id = '']) => drop(itemKey(id)),
    // Also in the list of all.
    ['orphaned member', 'orphaned member', 'orphaned slug claim'],
  ],
};

describe('A check of content', () => {
  it('finds every damage, and nothing once each is repaired', async () => {
    for (const [domain, [damage]] of Object.entries(DAMAGES)) await damage(domain, await fill(domain));
    const found = await inconsistencies();
    const domainOf = (one: Inconsistency) =>
      'domain' in one ? one.domain : one.list === 'all' ? 'lost-item' : one.list.replace('domain:', '');
    const kinds = [...Map.groupBy(found, domainOf)].map(([domain, ones]) => [
      domain,
      ones.map(({ kind }) => kind).sort(),
    ]);
    expect(Object.fromEntries(kinds)).toEqual(
      Object.fromEntries(Object.entries(DAMAGES).map(([domain, [, expected]]) => [domain, expected])),
    );
    for (const each of found) expect(await repair(each)).toBe(true);
    expect(await inconsistencies()).toEqual([]);
    for (const domain of Object.keys(DAMAGES)) {
      const { total } = await content().list({ domain }, { offset: 0, limit: 1 }, moment().deadline);
      expect([domain, total]).toEqual([domain, domain === 'lost-item' ? 4 : 5]);
    }
  });

  it('reports a counter as busy, and a repair leaves it, when it changes during every count', async () => {
    const list = listOf('busy.example');
    await fill('busy.example');
    db.middlewareStack.add(
      (next) => async (args) => {
        const { Select, ExpressionAttributeValues } = args.input as QueryCommandInput;
        if (Select === 'COUNT' && String(ExpressionAttributeValues?.[':pk']).includes(list))
          await update(counterKey(list, 0), 'ADD members :value, changes :value', 1);
        return next(args);
      },
      { step: 'initialize', name: 'change' },
    );
    expect(await checkContent(db, TableName)).toMatchObject({ inconsistencies: [], busy: [{ list, bucket: 0 }] });
    const stale = { bucket: 0, counter: 5, members: 6, changes: 1 };
    expect(await repair({ kind: 'miscounted bucket', list, ...stale })).toBe(false);
    db.middlewareStack.remove('change');
    await put({ ...counterKey(list, 0), members: 5 });
  });
});

/** What is consistent, and what changes meanwhile: `npm run test:orders`. */
describe('A repair of content', () => {
  it('leaves a slug that two items have', async () => {
    const domain = 'twice.example';
    const slug = 'item-0';
    const [, id = ''] = await fill(domain);
    await update(itemKey(id), 'SET slug = :value', slug);
    expect(await repair({ kind: 'missing slug claim', domain, slug, id })).toBe(false);
  });

  it('advances an allocator without a transaction, which would reject a creation that allocates meanwhile', async () => {
    expect(await repair({ kind: 'allocator behind', list: 'domain:d.example', allocated: 7 })).toBe(true);
    expect(proxy.calls.map(({ operation }) => operation)).toEqual(['UpdateItem']);
  });
});

/** Their order in their lists: `npm run test:faults`, import content. */
describe('Concurrent batches of new items', () => {
  const splitIntoBatches = (domain: string) =>
    [0, 10, 20, 30].map((first) =>
      Array.from({ length: 10 }, (_, index) => someFields(domain, `item-${first + index}`)),
    );
  const stored = async (domain: string): Promise<string[]> => {
    const items = await Array.fromAsync(contentExport(engine.client, TableName).items());
    return items.filter((item) => item.domain === domain).map(({ slug }) => slug);
  };

  it('are not created when an earlier batch failed', async () => {
    const { importBatch } = contentImport(db, TableName);
    const [before = [], ...batches] = splitIntoBatches('cut.example');
    proxy.inject(
      forOperation('TransactWriteItems', ({ body }) => (body.includes('"item-10"') ? 'resetBefore' : undefined)),
    );
    const outcomes = await Promise.allSettled([
      importBatch(before, moment()),
      ...batches.map((rows, nth) => importBatch(rows, moment(nth === 0 ? 150 : undefined))),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
    expect(await stored('cut.example')).toEqual(before.map(({ slug }) => slug));
  });
});
