import type { RecordWrite } from './dynalite-modules.ts';
import type { Store } from './dynalite-store.ts';
import { type Answer, errorNameOf, type JsonObject } from './protocol.ts';

const CONDITIONAL_WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem']);

/** Whether a single write asks for the item that made its condition fail, which dynalite does not offer. */
export const wantsItemOnFailure = (operation: string, input: JsonObject): boolean =>
  CONDITIONAL_WRITES.has(operation) && input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';

/** The item that a write is about, as it is stored; undefined when there is none. */
const storedItem = async (store: Store, { TableName, Key, Item }: JsonObject): Promise<unknown> => {
  const found = await store.tableNamed(String(TableName));
  if ('fault' in found) return undefined;
  const written = (Key ?? Item) as JsonObject;
  const key = Object.fromEntries(
    found.table.KeySchema.map(({ AttributeName }) => [AttributeName, written[AttributeName]]),
  );
  return (await store.perform('GetItem', { TableName, Key: key })).body.Item;
};

/**
 * A single write whose refusal by its condition carries the item found there.
 * To be run exclusively, so that the item is the one that the condition saw.
 */
export const answerConditionalWrite = async (
  store: Store,
  operation: string,
  input: JsonObject,
  journal?: RecordWrite[],
): Promise<Answer> => {
  const answer = await store.perform(operation, input, journal);
  if (errorNameOf(answer) !== 'ConditionalCheckFailedException') return answer;
  if (input.ReturnValuesOnConditionCheckFailure !== 'ALL_OLD') return answer;
  const found = await storedItem(store, input);
  return found === undefined ? answer : { ...answer, body: { ...answer.body, Item: found } };
};
