import { type Answer, isJsonObject, type JsonObject, validationRefusal } from './protocol.ts';

const MAX_ACTIONS = 100;

/** One action of a transaction, as the single operation that it amounts to. */
export interface Action {
  readonly operation: string;
  readonly input: JsonObject;
  /** A condition check changes nothing: what its operation would write is dropped. */
  readonly checksOnly: boolean;
}

/** A kind of action: the operation it amounts to and the members that it must have. */
interface ActionKind {
  readonly operation: string;
  readonly required: readonly string[];
  readonly checksOnly?: true;
}

export const WRITE_KINDS: Readonly<Record<string, ActionKind>> = {
  ConditionCheck: { operation: 'DeleteItem', required: ['TableName', 'Key', 'ConditionExpression'], checksOnly: true },
  Put: { operation: 'PutItem', required: ['TableName', 'Item'] },
  Delete: { operation: 'DeleteItem', required: ['TableName', 'Key'] },
  Update: { operation: 'UpdateItem', required: ['TableName', 'Key', 'UpdateExpression'] },
};

export const READ_KINDS: Readonly<Record<string, ActionKind>> = {
  Get: { operation: 'GetItem', required: ['TableName', 'Key'] },
};

const constraintRefusal = (path: string, constraint: string): Answer =>
  validationRefusal(`1 validation error detected: Value at '${path}' failed to satisfy constraint: ${constraint}`);

const parseAction = (
  item: unknown,
  index: number,
  kinds: Readonly<Record<string, ActionKind>>,
): Action | { fault: Answer } => {
  const [named, ...others] = isJsonObject(item) ? Object.entries(item).filter(([, action]) => action != null) : [];
  const [name, action] = named ?? [];
  const kind = name === undefined ? undefined : kinds[name];
  if (kind === undefined || others.length > 0 || !isJsonObject(action)) {
    return { fault: validationRefusal('TransactItems can only contain one of Check, Put, Update or Delete') };
  }
  const missing = kind.required.find((member) => action[member] == null);
  if (missing !== undefined) {
    const path = `transactItems.${index + 1}.member.${name}.${missing}`;
    return { fault: constraintRefusal(path, 'Member must not be null') };
  }
  const input = { ...action, ReturnConsumedCapacity: 'TOTAL' };
  return { operation: kind.operation, input, checksOnly: kind.checksOnly ?? false };
};

/** The actions of a transaction, or why it has none that could be tried. */
export const parseActions = (
  { TransactItems }: JsonObject,
  kinds: Readonly<Record<string, ActionKind>>,
): { actions: Action[] } | { fault: Answer } => {
  if (!Array.isArray(TransactItems) || TransactItems.length === 0) {
    return { fault: constraintRefusal('transactItems', 'Member must have length greater than or equal to 1') };
  }
  if (TransactItems.length > MAX_ACTIONS) {
    return {
      fault: constraintRefusal('transactItems', `Member must have length less than or equal to ${MAX_ACTIONS}`),
    };
  }
  const actions: Action[] = [];
  for (const [index, item] of TransactItems.entries()) {
    const parsed = parseAction(item, index, kinds);
    if ('fault' in parsed) return parsed;
    actions.push(parsed);
  }
  return { actions };
};
