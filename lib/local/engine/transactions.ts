import type { RecordWrite } from './dynalite-modules.ts';
import type { Store } from './dynalite-store.ts';
import { type EngineResponse, type JsonObject, parseErrorName } from './protocol.ts';
import type { RequestTokens } from './request-tokens.ts';
import { type Action, parseActions, READS, WRITES } from './transaction-request.ts';
import { requireSuccess, sumConsumption } from './transaction-response.ts';

/** The stored item with the key of a write; undefined when there is none. */
const storedItem = async (store: Store, { TableName, Key, Item }: JsonObject): Promise<unknown> => {
  const { KeySchema } = await store.tableNamed(String(TableName));
  const written = (Key ?? Item) as JsonObject;
  const key = Object.fromEntries(KeySchema.map(({ AttributeName }) => [AttributeName, written[AttributeName]]));
  return (await store.perform('GetItem', { TableName, Key: key })).body.Item;
};

/**
 * The response of an action on its own and its pending writes. Nothing is written yet. When its condition fails, the response
 * contains the stored item, if the action asks for it: dynalite lacks this option.
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

/**
 * TransactWriteItems. Evaluates every action against the stored items, then commits all writes in one batch: all or
 * nothing, even if the process ends meanwhile. No other operation may run at the same time.
 * @throws RejectedRequest
 */
export const writeTransaction = async (
  store: Store,
  tokens: RequestTokens,
  input: JsonObject,
): Promise<EngineResponse> => {
  const actions = await parseActions(store, input, WRITES);
  const token = String(input.ClientRequestToken ?? '');
  const earlier = tokens.find(token, input.TransactItems);
  if (earlier !== undefined) return earlier;
  const evaluated = await Promise.all(actions.map((action) => evaluate(store, action)));
  const responses = evaluated.map(({ response }) => response);
  requireSuccess(responses);
  await store.commit(evaluated.flatMap(({ writes }) => writes));
  const response = { status: 200, body: sumConsumption(responses, input) };
  if (token !== '') tokens.add(token, input.TransactItems, response);
  return response;
};

/** TransactGetItems: the items as they are at one moment. No other operation may run at the same time. @throws RejectedRequest */
export const readTransaction = async (store: Store, input: JsonObject): Promise<EngineResponse> => {
  const actions = await parseActions(store, input, READS);
  const responses = await Promise.all(
    actions.map(({ operation, input }) => store.perform(operation, { ...input, ConsistentRead: true })),
  );
  requireSuccess(responses);
  const Responses = responses.map(({ body: { Item } }) => (Item === undefined ? {} : { Item }));
  return { status: 200, body: { Responses, ...sumConsumption(responses, input) } };
};
