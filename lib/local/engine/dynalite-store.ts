import {
  type DynaliteStore,
  type DynaliteTable,
  database,
  operations,
  type RecordWrite,
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

/** Data cannot be kept in the directory: another engine has it open, or it is not to be written. */
export class UnusableDataDirectory extends Error {
  override readonly name = 'UnusableDataDirectory';
  constructor(directory: string | undefined, cause: unknown) {
    super(`The data folder ${directory} cannot be used; is another service running on it?`, { cause });
  }
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

/**
 * Opens the tables kept in a directory, or empty ones in memory.
 * @throws UnusableDataDirectory
 */
export const openStore = async (dataDirectory?: string): Promise<Store> => {
  const store = database.create({
    ...(dataDirectory === undefined ? {} : { path: dataDirectory }),
    createTableMs: 0,
    deleteTableMs: 0,
    updateTableMs: 0,
  });
  try {
    await store.db.open();
  } catch (cause) {
    throw new UnusableDataDirectory(dataDirectory, cause);
  }
  return {
    perform: (operation, input, journal) => perform(store, operation, input, journal),
    faultIn: (operation, input) => faultIn(store, operation, input),
    tableNamed: (name) => tableNamed(store, name),
    commit: (journal) => store.db.batch(journal),
    close: () => store.db.close(),
  };
};
