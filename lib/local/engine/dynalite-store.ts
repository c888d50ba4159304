import {
  type DynaliteStore,
  type DynaliteTable,
  database,
  operations,
  type RecordWrite,
  validations,
} from './dynalite-modules.ts';
import {
  type EngineResponse,
  INTERNAL_SERVER_ERROR,
  isJsonObject,
  type JsonObject,
  UNKNOWN_OPERATION,
} from './protocol.ts';
import { requestStore } from './request-store.ts';

/** dynalite's own errors carry a response. Anything else that it throws is a failure of the engine. */
const responseOf = (error: unknown): EngineResponse => {
  const { statusCode, body } = (error ?? {}) as { statusCode?: number; body?: unknown };
  return statusCode !== undefined && isJsonObject(body) ? { status: statusCode, body } : INTERNAL_SERVER_ERROR;
};

/** The validated input. Works on a copy, because dynalite removes unknown members. */
const checkedInput = (store: DynaliteStore, operation: string, input: JsonObject): JsonObject => {
  const validation = operations.get(operation)?.validation;
  if (validation === undefined) throw { statusCode: UNKNOWN_OPERATION.status, body: UNKNOWN_OPERATION.body };
  const checked = validations.checkTypes(structuredClone(input), validation.types);
  validations.checkValidations(checked, validation.types, validation.custom, store);
  return checked;
};

/** Where the data is stored. */
export interface StoreOptions {
  /** An existing folder. If absent, the data is in memory and is lost when the engine ends. */
  readonly dataDirectory?: string;
}

/**
 * Opens the tables stored in a directory, or empty ones in memory. No request makes them throw or reject: errors are responses.
 * @throws the error of LevelDB with the `code` `LEVEL_DATABASE_NOT_OPEN`; its innermost cause is the most specific
 */
export const openStore = async ({ dataDirectory }: StoreOptions = {}) => {
  const path = dataDirectory === undefined ? {} : { path: dataDirectory };
  const store = database.create({ ...path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  await store.db.open();
  return {
    /** Performs one operation of the API. If `pendingWrites` is given, its writes are collected there instead of being made. */
    perform: (operation: string, input: JsonObject, pendingWrites?: RecordWrite[]) =>
      new Promise<EngineResponse>((resolve) => {
        const onError = (error: unknown): void => resolve(responseOf(error));
        try {
          const view = requestStore(store, pendingWrites === undefined ? { onError } : { onError, pendingWrites });
          const checked = checkedInput(store, operation, input);
          operations
            .get(operation)
            ?.perform(view, checked, (error, body) =>
              error ? onError(error) : resolve({ status: 200, body: body ?? {} }),
            );
        } catch (error) {
          onError(error);
        }
      }),

    /** The error of an input that is invalid whatever the tables contain; undefined when it is valid. */
    validate: (operation: string, input: JsonObject): EngineResponse | undefined => {
      try {
        checkedInput(store, operation, input);
        return undefined;
      } catch (error) {
        return responseOf(error);
      }
    },

    /** The description of a table, or the error when there is none. */
    tableNamed: (name: string) =>
      new Promise<{ table: DynaliteTable } | { error: EngineResponse }>((resolve) =>
        store.getTable(name, (error, table) => resolve(table ? { table } : { error: responseOf(error) })),
      ),

    /** Makes all writes or, if the process ends meanwhile, none. */
    commit: (writes: readonly RecordWrite[]): Promise<void> => store.db.batch(writes),

    close: (): Promise<void> => store.db.close(),
  };
};

export type Store = Awaited<ReturnType<typeof openStore>>;
