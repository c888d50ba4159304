import { deleteChecksums, writeChecksums } from './data-checksums.ts';
import { allowDamage, type DataState, explainDataDirectory, prepareDataDirectory } from './data-directory.ts';
import {
  type DynaliteStore,
  type DynaliteTable,
  database,
  operations,
  type RecordWrite,
  repairDatabase,
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

const createStore = (path?: string): DynaliteStore =>
  database.create({ ...(path === undefined ? {} : { path }), createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });

/** Reads everything once. @throws the error of a record that cannot be read */
const readAll = async ({ db }: DynaliteStore): Promise<void> => {
  for await (const _record of db.iterator());
};

const openVerified = async (directory: string, state: DataState): Promise<DynaliteStore> => {
  const store = createStore(directory);
  try {
    await store.db.open();
    if (state.needsReading) await readAll(store);
    return store;
  } catch (error) {
    await store.db.close();
    throw error;
  }
};

const openKept = async (directory: string, force: boolean): Promise<DynaliteStore> => {
  const state = await prepareDataDirectory(directory);
  await allowDamage(directory, state, force);
  try {
    if (state.damage !== undefined) await repairDatabase(directory);
    return await openVerified(directory, state);
  } catch (error) {
    const failure = explainDataDirectory(directory, error);
    if (!force || !failure.isDamage) throw failure;
    await repairDatabase(directory);
    return openVerified(directory, { ...state, needsReading: false });
  }
};

/** Where the data is stored, and whether damaged data is used as far as it can be read. */
export interface StoreOptions {
  /** If absent, the data is in memory and is lost when the engine ends. */
  readonly dataDirectory?: string;
  readonly force?: boolean;
}

/**
 * Opens the tables stored in a directory, or empty ones in memory. No request makes them throw or reject: errors are responses.
 * @throws UnusableDataDirectory
 */
export const openStore = async ({ dataDirectory, force = false }: StoreOptions = {}) => {
  const store = dataDirectory === undefined ? createStore() : await openKept(dataDirectory, force);
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

    close: async (): Promise<void> => {
      await store.db.close();
      // Without checksums, for example because the disk is full, the next start reads all data instead.
      if (dataDirectory !== undefined) await writeChecksums(dataDirectory).catch(() => deleteChecksums(dataDirectory));
    },
  };
};

export type Store = Awaited<ReturnType<typeof openStore>>;
