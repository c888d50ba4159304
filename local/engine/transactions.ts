/** Transactions that write, which dynalite lacks. No other operation may run at the same time. */
import type { recentMap } from '../../core/runtime/recent-map.ts';
import type { Store } from './dynalite-store.ts';
import { type EngineResponse, type JsonObject, parseErrorName, RejectedRequest, validationError } from './protocol.ts';

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
const parseAction = async (store: Store, given: object): Promise<Action> => {
  const [[kind, action] = ['', {}]] = Object.entries(given) as [string, JsonObject][];
  const checksOnly = kind === 'ConditionCheck';
  if (checksOnly && action.ConditionExpression == null) {
    throw validationError('The action ConditionCheck must have a ConditionExpression');
  }
  const operation = OPERATIONS[kind] ?? kind;
  const input = { ...action, ReturnConsumedCapacity: 'TOTAL' };
  store.validate(operation, input);
  return { operation, input, item: await itemOf(store, input), checksOnly };
};

/** The actions of a transaction, which has far fewer than the 100 actions and 4 MB that DynamoDB permits. */
const parseActions = async (store: Store, items: readonly object[]): Promise<readonly Action[]> => {
  const actions = await Promise.all(items.map((given) => parseAction(store, given)));
  if (new Set(actions.map(({ item }) => JSON.stringify(item))).size < actions.length) {
    throw validationError('Transaction request cannot include multiple operations on one item');
  }
  return actions;
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

/** The capacity that the actions consumed together, of all tables. */
const sumConsumption = (responses: readonly EngineResponse[]): JsonObject => {
  const units = responses.map(({ body }) => Number((body.ConsumedCapacity as JsonObject).CapacityUnits));
  const CapacityUnits = TRANSACTION_FACTOR * units.reduce((sum, one) => sum + one, 0);
  return { ConsumedCapacity: [{ CapacityUnits }] };
};

/**
 * TransactWriteItems: performs the actions one after the other, and undoes all of them when one is rejected. A process
 * that is killed meanwhile may leave a part of them.
 * @param applied the responses to the transactions that were applied last, by client request token
 * @throws RejectedRequest; Error when the engine failed
 */
export const writeTransaction = async (
  store: Store,
  applied: ReturnType<typeof recentMap<EngineResponse>>,
  { TransactItems, ClientRequestToken }: JsonObject,
): Promise<EngineResponse> => {
  const token = String(ClientRequestToken ?? '');
  const earlier = applied.get(token);
  if (earlier !== undefined) return earlier;
  const actions = await parseActions(store, TransactItems as readonly object[]);
  const performed: Awaited<ReturnType<typeof perform>>[] = [];
  for (const action of actions) performed.push(await perform(store, action));
  const responses = performed.map(({ response }) => response);
  const isRejected = responses.some(({ status }) => status !== 200);
  for (const { undo } of performed.filter(({ checksOnly }) => isRejected || checksOnly)) {
    const { status } = await undo();
    if (status !== 200) throw new Error('An action of a transaction could not be undone.');
  }
  requireSuccess(responses);
  const response = { status: 200, body: sumConsumption(responses) };
  if (token !== '') applied.remember(token, response);
  return response;
};
