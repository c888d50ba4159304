import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentTable } from '../../core/content/content-table.ts';
import type { ContentItem } from '../../core/content/item.ts';
import { checkContent } from '../../lib/content-maintenance/content-check.ts';
import { contentImport } from '../../lib/content-maintenance/content-import.ts';
import { moment, someFields } from '../support/content.ts';
import { clientOf, startEngine, type TestEngine } from '../support/engine.ts';
import { always, type ChooseFault, forOperation } from '../support/fault-choosers.ts';
import { type Fault, startFaultProxy } from '../support/fault-proxy.ts';

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

/** The number of database calls. Each change has its own connection, so that no request of an earlier one is still running. */
const overProxy = async (choose: ChooseFault, change: (db: DynamoDBDocumentClient) => Promise<unknown>) => {
  const faults = await startFaultProxy(engine.endpoint);
  const db = clientOf(faults.endpoint);
  faults.inject(choose);
  try {
    await change(db);
    return faults.calls.length;
  } finally {
    db.destroy();
    await faults.close();
  }
};

const content = (db = engine.client) => contentTable(db, engine.names.content, 'live');
/** The time of a change whose database is gone. */
const brief = () => moment(150);

let serial = 0;
const aNewItem = () => {
  serial += 1;
  return content().create(someFields('from.example', `item-${serial}`), undefined, moment());
};

type Change = (db: DynamoDBDocumentClient, item: ContentItem, at: ReturnType<typeof moment>) => Promise<unknown>;

const changes: readonly (readonly [string, Change])[] = [
  [
    'a creation with an Idempotency-Key',
    (db, { slug }, at) =>
      content(db).create(someFields('new.example', slug), { keyId: 'key', idempotencyKey: slug }, at),
  ],
  ['an update', (db, { id }, at) => content(db).update(id, { title: 'New' }, undefined, at)],
  [
    'a move to another domain and slug',
    (db, { id, slug }, at) => content(db).update(id, { domain: 'to.example', slug: `${slug}-moved` }, undefined, at),
  ],
  ['a deletion', (db, { id }, at) => content(db).remove(id, undefined, at)],
  [
    'an import of several new items',
    (db, { slug }, at) => {
      const rows = [1, 2, 3].map((n) => someFields(n === 2 ? 'other.example' : 'many.example', `${slug}-${n}`));
      return contentImport(db, engine.names.content).importBatch(rows, at);
    },
  ],
];

/** The nth call and all calls after it fail, as when the process ends. */
const crashAt = async (nth: number, fault: Fault, change: Change): Promise<void> => {
  const item = await aNewItem();
  const choose: ChooseFault = (call) => (call.nth < nth ? undefined : call.nth === nth ? fault : 'resetBefore');
  await expect(overProxy(choose, (db) => change(db, item, brief()))).rejects.toThrow();
};

describe.each(changes)('%s that crashes', (_what, change) => {
  it.each(['resetBefore', 'resetAfter'] as const)(
    'at any database call (%s) is applied whole or not',
    async (fault) => {
      const item = await aNewItem();
      const calls = await overProxy(
        () => undefined,
        (db) => change(db, item, moment()),
      );
      expect(calls).toBeGreaterThan(1);
      for (let nth = 1; nth <= calls; nth += 1) {
        await crashAt(nth, fault, change);
        expect((await checkContent(engine.client, engine.names.content)).inconsistencies).toEqual([]);
      }
    },
  );
});

it('A creation whose response was lost is returned again for the same Idempotency-Key', async () => {
  const fields = someFields('lost.example', 'lost');
  const repeatable = { keyId: 'key', idempotencyKey: 'lost' };
  const losing = forOperation('TransactWriteItems', always('resetAfter'));
  await expect(overProxy(losing, (db) => content(db).create(fields, repeatable, brief()))).rejects.toThrow();
  const again = await content().create(fields, repeatable, moment());
  const listed = await content().list({ domain: 'lost.example' }, { offset: 0, limit: 5 }, moment().deadline);
  expect(listed).toEqual({ items: [again], total: 1 });
});
