import type { DynaliteStore, RecordStore, RecordWrite, Release } from './dynalite-modules.ts';

/** Called with an error that a callback inside dynalite threw. Uncaught, it would end the process. */
type OnError = (error: unknown) => void;

const guarded =
  <Parameters extends unknown[]>(callback: (...parameters: Parameters) => void, onError: OnError) =>
  (...parameters: Parameters): void => {
    try {
      callback(...parameters);
    } catch (error) {
      onError(error);
    }
  };

/** Releases an item's lock even when the code that holds it throws. Otherwise the item would stay locked forever. */
const guardWork = (records: RecordStore, onError: OnError): Pick<RecordStore, 'get' | 'lock'> => {
  let releaseHeld = (): void => {};
  const fail = (error: unknown): void => {
    releaseHeld();
    onError(error);
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

const recordsOf = (
  records: RecordStore,
  prefix: string,
  onError: OnError,
  pendingWrites: RecordWrite[] | undefined,
): RecordStore => {
  const guards = { ...records, ...guardWork(records, onError) };
  if (pendingWrites === undefined) return guards;
  const collect = (write: RecordWrite, done: (error: unknown) => void): void => {
    pendingWrites.push(write);
    setImmediate(guarded(done, onError), null);
  };
  return {
    ...guards,
    put: (key, value, done) => collect({ type: 'put', key: prefix + key, value }, done),
    del: (key, done) => collect({ type: 'del', key: prefix + key }, done),
  };
};

/**
 * The store as one request sees it: errors reach that request instead of the process, and writes are collected in
 * `pendingWrites`, if it is given, instead of being made. The prefix is the one that dynalite uses for the records of a table
 * in its one database; our tables have no index.
 */
export const requestStore = (store: DynaliteStore, onError: OnError, pendingWrites?: RecordWrite[]): DynaliteStore => ({
  ...store,
  getTable: (name, ...rest) => {
    const [checkStatus, done] = rest.length === 2 ? rest : [true as const, rest[0]];
    return store.getTable(name, checkStatus, guarded(done, onError));
  },
  getItemDb: (table) => recordsOf(store.getItemDb(table), `item-${table}~`, onError, pendingWrites),
});
