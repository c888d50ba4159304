/** Parses and validates the actions of a transaction, as far as this does not depend on stored items. */
import { type DynaliteTable, dynaliteDatabase } from './dynalite-modules.ts';
import type { Store } from './dynalite-store.ts';
import { isJsonObject, type JsonObject, validationError } from './protocol.ts';

export interface Action {
  readonly operation: string;
  readonly input: JsonObject;
  /** A condition check changes nothing: the writes of its operation are discarded. */
  readonly checksOnly: boolean;
}

/** The single operation that is equivalent to each kind of action. */
const OPERATIONS: Readonly<Record<string, string>> = {
  ConditionCheck: 'DeleteItem',
  Put: 'PutItem',
  Delete: 'DeleteItem',
  Update: 'UpdateItem',
};

const parseAction = (item: unknown): Action => {
  const [named, ...others] = isJsonObject(item) ? Object.entries(item).filter(([, action]) => action != null) : [];
  const [kind = '', action] = named ?? [];
  const operation = OPERATIONS[kind];
  if (operation === undefined || others.length > 0 || !isJsonObject(action)) {
    throw validationError('TransactItems can only contain one of Check, Put, Update or Delete');
  }
  const checksOnly = kind === 'ConditionCheck';
  if (checksOnly && action.ConditionExpression == null) {
    throw validationError('The action ConditionCheck must have a ConditionExpression');
  }
  return { operation, input: { ...action, ReturnConsumedCapacity: 'TOTAL' }, checksOnly };
};

/** The same text for two requests for one item; undefined for an invalid key, which the request itself reports. */
const itemIdentity = (table: DynaliteTable, { TableName, Key, Item }: JsonObject): string | undefined => {
  const invalid = isJsonObject(Key)
    ? dynaliteDatabase.validateKey(Key, table)
    : dynaliteDatabase.validateItem(Item as JsonObject, table);
  return invalid ? undefined : `${TableName} ${dynaliteDatabase.createKey((Key ?? Item) as JsonObject, table)}`;
};

/**
 * The actions of a transaction, which has far fewer than the 100 actions and 4 MB that DynamoDB permits.
 * @throws the error of one that is invalid whatever the items contain
 */
export const parseActions = async (store: Store, { TransactItems }: JsonObject): Promise<readonly Action[]> => {
  if (!Array.isArray(TransactItems) || TransactItems.length === 0) {
    throw validationError("Value at 'transactItems' must have members");
  }
  const actions = TransactItems.map(parseAction);
  const identities = new Set<string>();
  for (const action of actions) {
    store.validate(action.operation, action.input);
    const identity = itemIdentity(await store.tableNamed(String(action.input.TableName)), action.input);
    if (identity === undefined) continue;
    if (identities.has(identity)) {
      throw validationError('Transaction request cannot include multiple operations on one item');
    }
    identities.add(identity);
  }
  return actions;
};
