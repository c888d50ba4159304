/** Transactions that write, which dynalite lacks. No other operation may run at the same time. */
import { hash } from 'node:crypto';
import { type DynaliteTable, dynaliteDatabase, type RecordWrite } from './dynalite-modules.ts';
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
const MAX_TOKEN_CHARACTERS = 36;
/** A transactional request consumes twice the capacity of the same request on its own. */
const TRANSACTION_FACTOR = 2;

const REASON_CODES: Readonly<Record<string, string>> = {
  ConditionalCheckFailedException: 'ConditionalCheckFailed',
  ValidationException: 'ValidationError',
};

interface Action {
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
const parseActions = async (store: Store, { TransactItems }: JsonObject): Promise<readonly Action[]> => {
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

/** The stored item with the key of a write; undefined when there is none. */
const storedItem = async (store: Store, { TableName, Key, Item }: JsonObject): Promise<unknown> => {
  const { KeySchema } = await store.tableNamed(String(TableName));
  const written = (Key ?? Item) as JsonObject;
  const key = Object.fromEntries(KeySchema.map(({ AttributeName }) => [AttributeName, written[AttributeName]]));
  return (await store.perform('GetItem', { TableName, Key: key })).body.Item;
};

/**
 * The response of an action on its own, and the writes that it would make. When its condition fails, the response has
 * the stored item, if the action asks for it: dynalite lacks this option.
 */
const evaluate = async (store: Store, { operation, input, checksOnly }: Action) => {
  const pendingWrites: RecordWrite[] = [];
  const response = await store.perform(operation, input, pendingWrites);
  const writes = checksOnly ? [] : pendingWrites;
  const asksForItem = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
  if (!asksForItem || parseErrorName(response) !== 'ConditionalCheckFailedException') return { response, writes };
  const Item = await storedItem(store, input);
  return { response: Item === undefined ? response : { ...response, body: { ...response.body, Item } }, writes };
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
 * TransactWriteItems: evaluates every action against the stored items, then commits all writes in one batch, all or
 * nothing even if the process ends meanwhile. @throws RejectedRequest
 */
export const writeTransaction = async (
  store: Store,
  applied: AppliedTransactions,
  input: JsonObject,
): Promise<EngineResponse> => {
  const token = String(input.ClientRequestToken ?? '');
  if (token.length > MAX_TOKEN_CHARACTERS) {
    throw validationError(`Value at 'clientRequestToken' must have at most ${MAX_TOKEN_CHARACTERS} characters`);
  }
  const actions = await parseActions(store, input);
  const fingerprint = hash('sha256', JSON.stringify(input.TransactItems));
  const earlier = findApplied(applied, token, fingerprint);
  if (earlier !== undefined) return earlier;
  const evaluated = await Promise.all(actions.map((action) => evaluate(store, action)));
  const responses = evaluated.map(({ response }) => response);
  requireSuccess(responses);
  await store.commit(evaluated.flatMap(({ writes }) => writes));
  const response = { status: 200, body: sumConsumption(responses, input) };
  if (token !== '') applied.set(token, { fingerprint, until: performance.now() + TOKEN_LIFETIME_MS, response });
  return response;
};
