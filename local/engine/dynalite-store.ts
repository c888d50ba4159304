import {
  type DynaliteStore,
  type DynaliteTable,
  dynaliteDatabase,
  operations,
  validations,
} from './dynalite-modules.ts';
import { type EngineResponse, type JsonObject, responseTo, unknownOperation } from './protocol.ts';

const operationNamed = (name: string) => {
  const operation = operations.get(name);
  if (operation === undefined) throw unknownOperation();
  return operation;
};

/** The validated input. Works on a copy, because dynalite removes unknown members. */
const checkedInput = (store: DynaliteStore, operation: string, input: JsonObject): JsonObject => {
  const { types, custom } = operationNamed(operation).validation;
  const checked = validations.checkTypes(structuredClone(input), types);
  validations.checkValidations(checked, types, custom, store);
  return checked;
};

/** Passes on what a callback inside dynalite throws. Uncaught, it would end the process. */
const catchErrors =
  <Parameters extends unknown[]>(callback: (...parameters: Parameters) => void, onError: (error: unknown) => void) =>
  (...parameters: Parameters): void => {
    try {
      callback(...parameters);
    } catch (error) {
      onError(error);
    }
  };

/** The store for one request, whose errors reach `onError`. */
const requestStore = (store: DynaliteStore, onError: (error: unknown) => void): DynaliteStore => ({
  ...store,
  getTable: (name, ...rest) => {
    const [checkStatus, done] = rest.length === 2 ? rest : [true as const, rest[0]];
    return store.getTable(name, checkStatus, catchErrors(done, onError));
  },
  getItemDb: (table) => {
    const records = store.getItemDb(table);
    return {
      ...records,
      // A query or a scan evaluates its filter in a listener of this stream.
      createValueStream: (options) => {
        const stream = records.createValueStream(options);
        const emit = stream.emit.bind(stream);
        return Object.assign(stream, { emit: catchErrors(emit, onError) });
      },
      get: (key, done) => records.get(key, catchErrors(done, onError)),
      // Operations run one at a time. An item that dynalite locks would stay locked after an error.
      lock: (_key, run) => catchErrors(run, onError)((done) => done),
    };
  },
});

/**
 * Opens the tables in an existing directory. Without one the tables are in memory, and are lost when the engine ends.
 * @throws the error of LevelDB with the `code` `LEVEL_DATABASE_NOT_OPEN`; its innermost cause is the most specific
 */
export const openStore = async (dataDirectory?: string) => {
  const path = dataDirectory === undefined ? {} : { path: dataDirectory };
  const store = dynaliteDatabase.create({ ...path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  await store.db.open();
  return {
    /** Performs one operation of the API; errors are responses. */
    perform: (operation: string, input: JsonObject) =>
      new Promise<EngineResponse>((resolve) => {
        const onError = (error: unknown): void => resolve(responseTo(error));
        catchErrors(() => {
          const checked = checkedInput(store, operation, input);
          operationNamed(operation).perform(requestStore(store, onError), checked, (error, body) =>
            error ? onError(error) : resolve({ status: 200, body: body ?? {} }),
          );
        }, onError)();
      }),

    /** @throws dynalite's error of an input that is invalid whatever the tables contain */
    validate: (operation: string, input: JsonObject): void => void checkedInput(store, operation, input),

    /** @throws dynalite's error when there is no such table */
    tableNamed: (name: string) =>
      new Promise<DynaliteTable>((resolve, reject) =>
        store.getTable(name, (error, table) => (table ? resolve(table) : reject(error))),
      ),

    close: (): Promise<void> => store.db.close(),
  };
};

export type Store = Awaited<ReturnType<typeof openStore>>;
