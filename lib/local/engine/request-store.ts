import type { DynaliteStore, RecordWrite } from './dynalite-modules.ts';

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
  getItemDb: (table) => {
    const records = store.getItemDb(table);
    const collect = (write: RecordWrite, done: (error: unknown) => void): void => {
      pendingWrites?.push(write);
      setImmediate(guarded(done, onError), null);
    };
    const collecting: Partial<typeof records> = {
      put: (key, value, done) => collect({ type: 'put', key: `item-${table}~${key}`, value }, done),
      del: (key, done) => collect({ type: 'del', key: `item-${table}~${key}` }, done),
    };
    return {
      ...records,
      get: (key, done) => records.get(key, guarded(done, onError)),
      // Operations run one at a time. An item that dynalite locks would stay locked after an error.
      lock: (_key, run) => guarded(run, onError)((done) => done),
      ...(pendingWrites && collecting),
    };
  },
});
