import { describe, expect, it } from '@jest/globals';
import { type DynaliteStore, database, type RecordWrite } from '../../../lib/local/engine/dynalite-modules.ts';
import { requestStore } from '../../../lib/local/engine/request-store.ts';

const openMemory = (): DynaliteStore => database.create({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });

/** The error that a callback inside an operation throws, like a bug in dynalite. */
const ERROR = new Error('thrown inside an operation');
const fail = (): never => {
  throw ERROR;
};

describe("a request's view of the store", () => {
  it('passes an error to the request and leaves the item unlocked', async () => {
    const store = openMemory();
    const error = await new Promise((onError) => {
      const records = requestStore(store, onError).getItemDb('table');
      records.lock('key', () => records.get('key', fail));
    });
    expect(error).toBe(ERROR);
    const next = new Promise<void>((locked) =>
      requestStore(store, fail)
        .getItemDb('table')
        .lock('key', () => locked()),
    );
    await expect(next).resolves.toBeUndefined();
    await store.db.close();
  });

  it('collects writes, which a batch then applies', async () => {
    const store = openMemory();
    const pendingWrites: RecordWrite[] = [];
    const records = requestStore(store, fail, pendingWrites).getItemDb('table');
    const read = () => new Promise((resolve) => store.getItemDb('table').get('key', (_, value) => resolve(value)));
    await new Promise<void>((resolve) => records.put('key', { id: { S: 'key' } }, () => resolve()));
    expect(await read()).toBeUndefined();
    await store.db.batch(pendingWrites);
    expect(await read()).toEqual({ id: { S: 'key' } });
    await store.db.close();
  });
});
