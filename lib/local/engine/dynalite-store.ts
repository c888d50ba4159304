import { admitDamage, type DataState, explainDataDirectory, prepareDataDirectory } from './data-directory.ts';
import { breakSeal, sealFolder } from './data-seal.ts';
import {
  type DynaliteStore,
  type DynaliteTable,
  database,
  operations,
  type RecordWrite,
  repairDatabase,
  validations,
} from './dynalite-modules.ts';
import { type Answer, INTERNAL_FAILURE, isJsonObject, type JsonObject, refusal } from './protocol.ts';
import { requestStore } from './request-store.ts';

/** The tables of an embedded engine. Nothing here throws or rejects because of a request: it answers. */
export interface Store {
  /** Carries out one operation of the API. With a journal, its writes are noted there and not made. */
  readonly perform: (operation: string, input: JsonObject, journal?: RecordWrite[]) => Promise<Answer>;
  /** What is wrong with the input of an operation whatever the tables hold; undefined when nothing is. */
  readonly faultIn: (operation: string, input: JsonObject) => Answer | undefined;
  /** The description of a table, or the refusal when there is none. */
  readonly tableNamed: (name: string) => Promise<{ table: DynaliteTable } | { fault: Answer }>;
  /** Makes all of the journal's writes or, if the process ends meanwhile, none. */
  readonly commit: (journal: readonly RecordWrite[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** dynalite's own refusals carry an answer; anything else that it throws is a failure of the engine. */
export const answerOfFault = (fault: unknown): Answer => {
  const { statusCode, body } = (fault ?? {}) as { statusCode?: number; body?: unknown };
  return statusCode !== undefined && isJsonObject(body) ? { status: statusCode, body } : INTERNAL_FAILURE;
};

const UNKNOWN_OPERATION = refusal('service', 'UnknownOperationException', 'The operation is not known');

/** The input with the types that the operation expects. Works on a copy, because dynalite strips what it doesn't know. */
const checkedInput = (store: DynaliteStore, operation: string, input: JsonObject): JsonObject => {
  const validation = operations.get(operation)?.validation;
  if (validation === undefined) throw { statusCode: UNKNOWN_OPERATION.status, body: UNKNOWN_OPERATION.body };
  const checked = validations.checkTypes(structuredClone(input), validation.types);
  validations.checkValidations(checked, validation.types, validation.custom, store);
  return checked;
};

const perform = (
  store: DynaliteStore,
  operation: string,
  input: JsonObject,
  journal: RecordWrite[] | undefined,
): Promise<Answer> =>
  new Promise((resolve) => {
    const onFault = (fault: unknown): void => resolve(answerOfFault(fault));
    try {
      const view = requestStore(store, journal === undefined ? { onFault } : { onFault, journal });
      const checked = checkedInput(store, operation, input);
      operations
        .get(operation)
        ?.perform(view, checked, (fault, body) =>
          fault ? onFault(fault) : resolve({ status: 200, body: body ?? {} }),
        );
    } catch (fault) {
      onFault(fault);
    }
  });

const faultIn = (store: DynaliteStore, operation: string, input: JsonObject): Answer | undefined => {
  try {
    checkedInput(store, operation, input);
    return undefined;
  } catch (fault) {
    return answerOfFault(fault);
  }
};

const tableNamed = (store: DynaliteStore, name: string): Promise<{ table: DynaliteTable } | { fault: Answer }> =>
  new Promise((resolve) =>
    store.getTable(name, (fault, table) => resolve(table ? { table } : { fault: answerOfFault(fault) })),
  );

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
  await admitDamage(directory, state, force);
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

/** Where the data is kept, and whether damaged data is used as far as it can be read. */
export interface StoreOptions {
  /** Without it the data is in memory and ends with the engine. */
  readonly dataDirectory?: string;
  readonly force?: boolean;
}

/**
 * Opens the tables kept in a directory, or empty ones in memory.
 * @throws UnusableDataDirectory
 */
export const openStore = async ({ dataDirectory, force = false }: StoreOptions = {}): Promise<Store> => {
  const store = dataDirectory === undefined ? createStore() : await openKept(dataDirectory, force);
  const close = async (): Promise<void> => {
    await store.db.close();
    // Without a seal, on a full disk say, the next start reads everything instead.
    if (dataDirectory !== undefined) await sealFolder(dataDirectory).catch(() => breakSeal(dataDirectory));
  };
  return {
    perform: (operation, input, journal) => perform(store, operation, input, journal),
    faultIn: (operation, input) => faultIn(store, operation, input),
    tableNamed: (name) => tableNamed(store, name),
    commit: (journal) => store.db.batch(journal),
    close,
  };
};
