import type { RecordWrite } from './dynalite-modules.ts';
import type { Store } from './dynalite-store.ts';
import { type EngineResponse, errorNameOf, type JsonObject } from './protocol.ts';

const CONDITIONAL_WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

/** Whether a single write asks for the item that failed its condition. dynalite lacks this option. */
export const wantsItemOnFailure = (operation: string, input: JsonObject): boolean =>
  CONDITIONAL_WRITES.has(operation) && input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';

/** The stored item with the key of a write; undefined when there is none. */
const storedItem = async (store: Store, { TableName, Key, Item }: JsonObject): Promise<unknown> => {
  const found = await store.tableNamed(String(TableName));
  if ('error' in found) return undefined;
  const written = (Key ?? Item) as JsonObject;
  const key = Object.fromEntries(
    found.table.KeySchema.map(({ AttributeName }) => [AttributeName, written[AttributeName]]),
  );
  return (await store.perform('GetItem', { TableName, Key: key })).body.Item;
};

/**
 * Performs a single write. When its condition fails and the request asks for it, the response contains the stored item.
 * The caller holds the exclusive lock, so that this is the item that the condition was evaluated on.
 */
export const performConditionalWrite = async (
  store: Store,
  operation: string,
  input: JsonObject,
  pendingWrites?: RecordWrite[],
): Promise<EngineResponse> => {
  const response = await store.perform(operation, input, pendingWrites);
  if (errorNameOf(response) !== 'ConditionalCheckFailedException') return response;
  if (input.ReturnValuesOnConditionCheckFailure !== 'ALL_OLD') return response;
  const item = await storedItem(store, input);
  return item === undefined ? response : { ...response, body: { ...response.body, Item: item } };
};
