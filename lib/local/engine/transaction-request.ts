/** Parses and validates the actions of a transaction, as far as this does not depend on stored items. */
import { type DynaliteTable, database } from './dynalite-modules.ts';
import type { Store } from './dynalite-store.ts';
import { type EngineResponse, isJsonObject, type JsonObject, validationError } from './protocol.ts';

const MAX_ACTIONS = 100;
const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;

/** One action of a transaction, as the equivalent single operation. */
export interface Action {
  readonly operation: string;
  readonly input: JsonObject;
  /** A condition check changes nothing: the writes of its operation are discarded. */
  readonly checksOnly: boolean;
}

/** A kind of action: its equivalent operation and its required members. */
interface ActionKind {
  readonly operation: string;
  readonly required: readonly string[];
  readonly checksOnly?: true;
}

type ActionKinds = Readonly<Record<string, ActionKind>>;

export const WRITE_KINDS: ActionKinds = {
  ConditionCheck: { operation: 'DeleteItem', required: ['TableName', 'Key', 'ConditionExpression'], checksOnly: true },
  Put: { operation: 'PutItem', required: ['TableName', 'Item'] },
  Delete: { operation: 'DeleteItem', required: ['TableName', 'Key'] },
  Update: { operation: 'UpdateItem', required: ['TableName', 'Key', 'UpdateExpression'] },
};

export const READ_KINDS: ActionKinds = {
  Get: { operation: 'GetItem', required: ['TableName', 'Key'] },
};

const constraintError = (path: string, constraint: string): EngineResponse =>
  validationError(`1 validation error detected: Value at '${path}' failed to satisfy constraint: ${constraint}`);

const parseAction = (item: unknown, index: number, kinds: ActionKinds): Action | { error: EngineResponse } => {
  const [named, ...others] = isJsonObject(item) ? Object.entries(item).filter(([, action]) => action != null) : [];
  const [name, action] = named ?? [];
  const kind = name === undefined ? undefined : kinds[name];
  if (kind === undefined || others.length > 0 || !isJsonObject(action)) {
    return { error: validationError('TransactItems can only contain one of Check, Put, Update or Delete') };
  }
  const missing = kind.required.find((member) => action[member] == null);
  if (missing !== undefined) {
    const path = `transactItems.${index + 1}.member.${name}.${missing}`;
    return { error: constraintError(path, 'Member must not be null') };
  }
  const input = { ...action, ReturnConsumedCapacity: 'TOTAL' };
  return { operation: kind.operation, input, checksOnly: kind.checksOnly ?? false };
};

/** The actions of a transaction, or the error of a request whose actions cannot be parsed. */
export const parseActions = (
  { TransactItems }: JsonObject,
  kinds: ActionKinds,
): { actions: Action[] } | { error: EngineResponse } => {
  if (!Array.isArray(TransactItems) || TransactItems.length === 0) {
    return { error: constraintError('transactItems', 'Member must have length greater than or equal to 1') };
  }
  if (TransactItems.length > MAX_ACTIONS) {
    return {
      error: constraintError('transactItems', `Member must have length less than or equal to ${MAX_ACTIONS}`),
    };
  }
  const actions: Action[] = [];
  for (const [index, item] of TransactItems.entries()) {
    const parsed = parseAction(item, index, kinds);
    if ('error' in parsed) return parsed;
    actions.push(parsed);
  }
  return { actions };
};

/** Equal for two actions on the same item; undefined when the key is invalid, which the action itself then reports. */
const itemIdentity = (table: DynaliteTable, { input }: Action): string | undefined => {
  const { TableName, Key, Item } = input;
  const invalid = isJsonObject(Key)
    ? database.validateKey(Key, table)
    : database.validateItem(Item as JsonObject, table);
  return invalid ? undefined : `${TableName} ${database.createKey((Key ?? Item) as JsonObject, table)}`;
};

const sizeOf = ({ input: { Item, Key, ExpressionAttributeValues } }: Action): number =>
  [Item, Key, ExpressionAttributeValues]
    .filter(isJsonObject)
    .reduce((bytes, part) => bytes + database.itemSize(part), 0);

/** The error of a transaction that is invalid whatever the items contain; undefined when it is valid. */
export const validateActions = async (
  store: Store,
  actions: readonly Action[],
): Promise<EngineResponse | undefined> => {
  const identities = new Set<string>();
  for (const action of actions) {
    const error = store.validate(action.operation, action.input);
    if (error !== undefined) return error;
    const found = await store.tableNamed(String(action.input.TableName));
    if ('error' in found) return found.error;
    const identity = itemIdentity(found.table, action);
    if (identity === undefined) continue;
    if (identities.has(identity)) {
      return validationError('Transaction request cannot include multiple operations on one item');
    }
    identities.add(identity);
  }
  const bytes = actions.reduce((sum, action) => sum + sizeOf(action), 0);
  if (bytes > MAX_TRANSACTION_BYTES) {
    return validationError(`Transaction payload size cannot exceed 4MB. Payload Size: ${bytes}`);
  }
  return undefined;
};
