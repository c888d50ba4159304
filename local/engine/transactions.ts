/** Transactions that write, which dynalite lacks. No other operation may run at the same time. */
import { hash } from 'node:crypto';
import type { Store } from './dynalite-store.ts';
import {
  type EngineResponse,
  isJsonObject,
  type JsonObject,
  parseErrorName,
  RejectedRequest,
  validationError,
} from './protocol.ts';

/** Milliseconds for which DynamoDB recognises a client request token. */
const TOKEN_LIFETIME_MS = 10 * 60 * 1_000;
/** A transactional request consumes twice the capacity of the same request on its own. */
const TRANSACTION_FACTOR = 2;

const REASON_CODES: Readonly<Record<string, string>> = {
  ConditionalCheckFailedException: 'ConditionalCheckFailed',
  ValidationException: 'ValidationError',
};

interface Action {
  readonly operation: string;
  readonly input: JsonObject;
  /** The table and the key of the item. */
  readonly item: JsonObject;
  /** A condition check changes nothing: what its operation has deleted is put back. */
  readonly checksOnly: boolean;
}

/** The single operation that is equivalent to each kind of action. */
const OPERATIONS: Readonly<Record<string, string>> = {
  ConditionCheck: 'DeleteItem',
  Put: 'PutItem',
  Delete: 'DeleteItem',
  Update: 'UpdateItem',
};

const itemOf = async (store: Store, { TableName, Key, Item }: JsonObject): Promise<JsonObject> => {
  const { KeySchema } = await store.tableNamed(String(TableName));
  const named = (Key ?? Item) as JsonObject;
  const key = KeySchema.map(({ AttributeName }) => [AttributeName, named[AttributeName]]);
  return { TableName, Key: Object.fromEntries(key) };
};

/** @throws the error of an action that is invalid whatever the items contain */
const parseAction = async (store: Store, given: unknown): Promise<Action> => {
  const [[kind = '', action] = [], ...others] = isJsonObject(given) ? Object.entries(given) : [];
  const operation = OPERATIONS[kind];
  if (operation === undefined || others.length > 0 || !isJsonObject(action)) {
    throw validationError('TransactItems can only contain one of Check, Put, Update or Delete');
  }
  const checksOnly = kind === 'ConditionCheck';
  if (checksOnly && action.ConditionExpression == null) {
    throw validationError('The action ConditionCheck must have a ConditionExpression');
  }
  const input = { ...action, ReturnConsumedCapacity: 'TOTAL' };
  store.validate(operation, input);
  return { operation, input, item: await itemOf(store, input), checksOnly };
};

/** The actions of a transaction, which has far fewer than the 100 actions and 4 MB that DynamoDB permits. */
const parseActions = async (store: Store, { TransactItems }: JsonObject): Promise<readonly Action[]> => {
  if (!Array.isArray(TransactItems) || TransactItems.length === 0) {
    throw validationError("Value at 'transactItems' must have members");
  }
  const actions = await Promise.all(TransactItems.map((given) => parseAction(store, given)));
  if (new Set(actions.map(({ item }) => JSON.stringify(item))).size < actions.length) {
    throw validationError('Transaction request cannot include multiple operations on one item');
  }
  return actions;
};

/** The transactions of the last ten minutes by client request token, oldest first. */
export type AppliedTransactions = Map<
  string,
  { readonly fingerprint: string; readonly until: number; readonly response: EngineResponse }
>;

/** The response to the same request when it was applied. @throws RejectedRequest when its token had another one */
const findApplied = (applied: AppliedTransactions, token: string, fingerprint: string): EngineResponse | undefined => {
  for (const [old, { until }] of applied) {
    if (until > performance.now()) break;
    applied.delete(old);
  }
  const earlier = applied.get(token);
  if (earlier === undefined || earlier.fingerprint === fingerprint) return earlier?.response;
  throw new RejectedRequest('IdempotentParameterMismatchException', 'The token was used with other contents');
};

/**
 * Performs an action on its own. When its condition fails, the response has the stored item, if the action asks for it:
 * dynalite lacks this option.
 */
const perform = async (store: Store, { operation, input, item, checksOnly }: Action) => {
  const { Item } = (await store.perform('GetItem', { ...item, ConsistentRead: true })).body;
  const response = await store.perform(operation, input);
  const showsItem =
    Item !== undefined &&
    input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' &&
    parseErrorName(response) === 'ConditionalCheckFailedException';
  return {
    checksOnly,
    response: showsItem ? { ...response, body: { ...response.body, Item } } : response,
    undo: () =>
      Item === undefined
        ? store.perform('DeleteItem', item)
        : store.perform('PutItem', { TableName: item.TableName, Item }),
  };
};

const cancellationReason = (response: EngineResponse) => {
  const name = parseErrorName(response);
  if (name === undefined) return { Code: 'None' };
  const { Item, message, Message = '' } = response.body;
  const item = Item === undefined ? {} : { Item };
  return { Code: REASON_CODES[name] ?? name, Message: String(message ?? Message), ...item };
};

/** @throws RejectedRequest with one reason per action when one of them was rejected; Error when the engine failed */
const requireSuccess = (responses: readonly EngineResponse[]): void => {
  if (responses.some(({ status }) => status >= 500)) throw new Error('An action could not be performed');
  const reasons = responses.map(cancellationReason);
  if (reasons.every(({ Code }) => Code === 'None')) return;
  const codes = reasons.map(({ Code }) => Code).join(', ');
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  throw new RejectedRequest('TransactionCanceledException', message, { CancellationReasons: reasons });
};

/** The capacity that the actions consumed together, if the request asks for it. */
const sumConsumption = (responses: readonly EngineResponse[], { ReturnConsumedCapacity }: JsonObject): JsonObject => {
  if (ReturnConsumedCapacity !== 'TOTAL') return {};
  const units = new Map<string, number>();
  for (const { body } of responses) {
    const consumed = isJsonObject(body.ConsumedCapacity) ? body.ConsumedCapacity : {};
    const table = String(consumed.TableName);
    units.set(table, (units.get(table) ?? 0) + TRANSACTION_FACTOR * Number(consumed.CapacityUnits));
  }
  return { ConsumedCapacity: [...units].map(([TableName, CapacityUnits]) => ({ TableName, CapacityUnits })) };
};

/**
 * TransactWriteItems: performs the actions one after the other, and undoes all of them when one is rejected.
 * @throws RejectedRequest
 */
export const writeTransaction = async (
  store: Store,
  applied: AppliedTransactions,
  input: JsonObject,
): Promise<EngineResponse> => {
  const token = String(input.ClientRequestToken ?? '');
  const actions = await parseActions(store, input);
  const fingerprint = hash('sha256', JSON.stringify(input.TransactItems));
  const earlier = findApplied(applied, token, fingerprint);
  if (earlier !== undefined) return earlier;
  const performed: Awaited<ReturnType<typeof perform>>[] = [];
  for (const action of actions) performed.push(await perform(store, action));
  const responses = performed.map(({ response }) => response);
  const isRejected = responses.some(({ status }) => status !== 200);
  for (const { checksOnly, undo } of performed) if (isRejected || checksOnly) await undo();
  requireSuccess(responses);
  const response = { status: 200, body: sumConsumption(responses, input) };
  if (token !== '') applied.set(token, { fingerprint, until: performance.now() + TOKEN_LIFETIME_MS, response });
  return response;
};
