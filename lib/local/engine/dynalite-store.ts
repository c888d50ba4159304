import {
  type DynaliteStore,
  type DynaliteTable,
  database,
  operations,
  type RecordWrite,
  validations,
} from './dynalite-modules.ts';
import { type EngineResponse, type JsonObject, responseTo, unknownOperation } from './protocol.ts';
import { requestStore } from './request-store.ts';

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

/**
 * Opens the tables stored in an existing directory. Without one the tables are in memory, empty, and lost when the engine ends.
 * @throws the error of LevelDB with the `code` `LEVEL_DATABASE_NOT_OPEN`; its innermost cause is the most specific
 */
export const openStore = async (dataDirectory?: string) => {
  const path = dataDirectory === undefined ? {} : { path: dataDirectory };
  const store = database.create({ ...path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  await store.db.open();
  return {
    /**
     * Performs one operation of the API; errors are responses. If `pendingWrites` is given, its writes are collected there
     * instead of being made.
     */
    perform: (operation: string, input: JsonObject, pendingWrites?: RecordWrite[]) =>
      new Promise<EngineResponse>((resolve) => {
        const onError = (error: unknown): void => resolve(responseTo(error));
        try {
          const checked = checkedInput(store, operation, input);
          operationNamed(operation).perform(requestStore(store, onError, pendingWrites), checked, (error, body) =>
            error ? onError(error) : resolve({ status: 200, body: body ?? {} }),
          );
        } catch (error) {
          onError(error);
        }
      }),

    /** @throws dynalite's error of an input that is invalid whatever the tables contain */
    validate: (operation: string, input: JsonObject): void => void checkedInput(store, operation, input),

    /** The description of a table. @throws dynalite's error when there is none */
    tableNamed: (name: string) =>
      new Promise<DynaliteTable>((resolve, reject) =>
        store.getTable(name, (error, table) => (table ? resolve(table) : reject(error))),
      ),

    /** Makes all writes or, if the process ends meanwhile, none. */
    commit: (writes: readonly RecordWrite[]): Promise<void> => store.db.batch(writes),

    close: (): Promise<void> => store.db.close(),
  };
};

export type Store = Awaited<ReturnType<typeof openStore>>;
