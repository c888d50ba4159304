import { describe, expect, it } from '@jest/globals';
import { type DynaliteStore, database, type RecordWrite } from '../../../lib/local/engine/dynalite-modules.ts';
import { requestStore } from '../../../lib/local/engine/request-store.ts';

const openMemory = (): DynaliteStore => database.create({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });

/** What a callback inside an operation throws, as a fault in dynalite would. */
const FAULT = new Error('a fault inside an operation');
const fail = (): never => {
  throw FAULT;
};

describe("a request's view of the store", () => {
  it('hands a fault to the request and frees the item that it had locked', async () => {
    const store = openMemory();
    const fault = await new Promise((onFault) => {
      const records = requestStore(store, { onFault }).getItemDb('table');
      records.lock('key', () => records.get('key', fail));
    });
    expect(fault).toBe(FAULT);
    const next = new Promise<void>((locked) =>
      store.getItemDb('table').lock('key', (release) => release(() => locked())()),
    );
    await expect(next).resolves.toBeUndefined();
    await store.db.close();
  });

  it('writes nothing but a journal, which a batch then makes true', async () => {
    const store = openMemory();
    const journal: RecordWrite[] = [];
    const records = requestStore(store, { onFault: fail, journal }).getItemDb('table');
    const read = () => new Promise((resolve) => store.getItemDb('table').get('key', (_, value) => resolve(value)));
    await new Promise<void>((resolve) => records.put('key', { id: { S: 'key' } }, () => resolve()));
    expect(await read()).toBeUndefined();
    await store.db.batch(journal);
    expect(await read()).toEqual({ id: { S: 'key' } });
    await store.db.close();
  });
});
