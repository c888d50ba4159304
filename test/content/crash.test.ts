import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentTable } from '../../functions/content/content-table.ts';
import type { ContentItem } from '../../functions/content/item.ts';
import { contentCheck } from '../../lib/content-maintenance/content-check.ts';
import { contentImport } from '../../lib/content-maintenance/content-import.ts';
import { moment, someFields } from '../support/content.ts';
import { clientOf, startEngine, type TestEngine } from '../support/engine.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';

let engine: TestEngine;
let serial = 0;

beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

/** Each attempt has its own connection, so that no request of an earlier one is still running. */
const overProxy = async <T>(work: (db: DynamoDBDocumentClient, faults: FaultProxy) => Promise<T>): Promise<T> => {
  const faults = await startFaultProxy(engine.endpoint);
  const db = clientOf(faults.endpoint);
  try {
    return await work(db, faults);
  } finally {
    db.destroy();
    await faults.close();
  }
};

const healthy = () => contentTable(engine.client, engine.names.content);
/** Deadline of a change whose database is gone, in milliseconds. */
const PATIENCE_MS = 150;

const aNewItem = () => {
  serial += 1;
  return healthy().create(someFields('from.example', `item-${serial}`), undefined, moment());
};

type Change = (db: DynamoDBDocumentClient, item: ContentItem, patienceMs?: number) => Promise<unknown>;

/** Every kind of change of an item. */
const changes: readonly (readonly [string, Change])[] = [
  [
    'a creation with an Idempotency-Key',
    (db, { slug }, patienceMs) => {
      const repeatable = { keyId: 'key', idempotencyKey: slug };
      return contentTable(db, engine.names.content).create(
        someFields('new.example', slug),
        repeatable,
        moment(patienceMs),
      );
    },
  ],
  [
    'an update',
    (db, { id }, patienceMs) =>
      contentTable(db, engine.names.content).update(id, { title: 'New' }, undefined, moment(patienceMs)),
  ],
  [
    'a move to another domain and slug',
    (db, { id, slug }, patienceMs) => {
      const to = { domain: 'to.example', slug: `${slug}-moved` };
      return contentTable(db, engine.names.content).update(id, to, undefined, moment(patienceMs));
    },
  ],
  [
    'a deletion',
    (db, { id }, patienceMs) => contentTable(db, engine.names.content).remove(id, undefined, moment(patienceMs)),
  ],
  [
    'an import of several new items',
    (db, { slug }, patienceMs) => {
      const rows = [1, 2, 3].map((n) => someFields(n === 2 ? 'other.example' : 'many.example', `${slug}-${n}`));
      return contentImport(db, engine.names.content).importBatch(rows, moment(patienceMs));
    },
  ],
];

const callsOf = async (change: Change): Promise<number> => {
  const item = await aNewItem();
  return overProxy(async (db, faults) => {
    await change(db, item);
    return faults.calls.length;
  });
};

/** The nth call and all calls after it fail, as when the process ends. */
const crashAt = async (nth: number, fault: Fault, change: Change): Promise<void> => {
  const item = await aNewItem();
  await overProxy(async (db, faults) => {
    faults.inject(() => {
      if (faults.calls.length < nth) return undefined;
      return faults.calls.length === nth ? fault : 'resetBefore';
    });
    await expect(change(db, item, PATIENCE_MS)).rejects.toThrow();
  });
};

describe.each(changes)('%s that crashes', (_what, change) => {
  it.each(['resetBefore', 'resetAfter'] as const)(
    'at any of its database calls (%s) leaves all or nothing',
    async (fault) => {
      const calls = await callsOf(change);
      expect(calls).toBeGreaterThan(1);
      for (let nth = 1; nth <= calls; nth += 1) {
        await crashAt(nth, fault, change);
        expect((await contentCheck(engine.client, engine.names.content).check()).inconsistencies).toEqual([]);
      }
    },
  );
});

describe('A creation whose response was lost', () => {
  it('is returned again for the same Idempotency-Key', async () => {
    const fields = someFields('lost.example', 'lost');
    const repeatable = { keyId: 'key', idempotencyKey: 'lost' };
    await overProxy(async (db, faults) => {
      faults.inject(({ operation }) => (operation === 'TransactWriteItems' ? 'resetAfter' : undefined));
      const lost = contentTable(db, engine.names.content).create(fields, repeatable, moment(PATIENCE_MS));
      await expect(lost).rejects.toThrow();
    });
    const again = await healthy().create(fields, repeatable, moment());
    expect(await healthy().list({ domain: 'lost.example' }, { offset: 0, limit: 5 }, moment().deadline)).toEqual({
      items: [again],
      total: 1,
    });
  });
});
