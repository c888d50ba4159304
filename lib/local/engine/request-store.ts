import type { DynaliteStore, RecordStore, RecordWrite, Release } from './dynalite-modules.ts';

/** How one request works on the store. */
export interface RequestStoreOptions {
  /** Called with what a callback inside dynalite threw, which would otherwise end the process. */
  readonly onFault: (fault: unknown) => void;
  /** When given, writes are noted here instead of being made. */
  readonly journal?: RecordWrite[];
}

const guarded =
  <Parameters extends unknown[]>(callback: (...parameters: Parameters) => void, onFault: (fault: unknown) => void) =>
  (...parameters: Parameters): void => {
    try {
      callback(...parameters);
    } catch (fault) {
      onFault(fault);
    }
  };

/** Releases an item's lock even when the work under it throws; otherwise the item would be locked for good. */
const guardWork = (records: RecordStore, onFault: (fault: unknown) => void): Pick<RecordStore, 'get' | 'lock'> => {
  let releaseHeld = (): void => {};
  const fail = (fault: unknown): void => {
    releaseHeld();
    onFault(fault);
  };
  const releasing =
    (release: Release): Release =>
    (done) =>
    (...parameters) => {
      releaseHeld = () => {};
      release(done)(...parameters);
    };
  const hold = (run: (release: Release) => void) => (release: Release) => {
    releaseHeld = release(() => {});
    run(releasing(release));
  };
  return {
    get: (key, done) => records.get(key, guarded(done, fail)),
    lock: (key, run) => records.lock(key, guarded(hold(run), fail)),
  };
};

const recordsOf = (records: RecordStore, prefix: string, { onFault, journal }: RequestStoreOptions): RecordStore => {
  const guards = { ...records, ...guardWork(records, onFault) };
  if (journal === undefined) return guards;
  const note = (write: RecordWrite, done: (error: unknown) => void): void => {
    journal.push(write);
    setImmediate(guarded(done, onFault), null);
  };
  return {
    ...guards,
    put: (key, value, done) => note({ type: 'put', key: prefix + key, value }, done),
    del: (key, done) => note({ type: 'del', key: prefix + key }, done),
  };
};

/**
 * The store as one request sees it: faults reach that request instead of the process, and with a journal nothing is
 * written yet. The prefixes are those under which dynalite keeps the records of a table or index in its one database.
 */
export const requestStore = (store: DynaliteStore, options: RequestStoreOptions): DynaliteStore => ({
  ...store,
  getTable: (name, ...rest) => {
    const [checkStatus, done] = rest.length === 2 ? rest : [true as const, rest[0]];
    return store.getTable(name, checkStatus, guarded(done, options.onFault));
  },
  getItemDb: (table) => recordsOf(store.getItemDb(table), `item-${table}~`, options),
  getIndexDb: (type, table, index) =>
    recordsOf(store.getIndexDb(type, table, index), `index-${type.toLowerCase()}~${table}~${index}~`, options),
});
