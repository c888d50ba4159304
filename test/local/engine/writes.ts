/** Short forms of single writes for tests of the engine. Items have a string key `id`. */
import {
  type AttributeValue,
  type ConditionCheck,
  type Delete,
  type DynamoDBClient,
  GetItemCommand,
  type Put,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type Update,
} from '@aws-sdk/client-dynamodb';

/** The key of an item. */
export const keyOf = (id: string) => ({ id: { S: id } });

export const itemOf = (id: string, value = '') => ({ ...keyOf(id), value: { S: value } });

export const put = (TableName: string, id: string, value = '', more: Partial<Put> = {}): TransactWriteItem => ({
  Put: { TableName, Item: itemOf(id, value), ...more },
});

export const putNew = (table: string, id: string, more: Partial<Put> = {}): TransactWriteItem =>
  put(table, id, 'new', { ConditionExpression: 'attribute_not_exists(id)', ...more });

export const remove = (TableName: string, id: string, more: Partial<Delete> = {}): TransactWriteItem => ({
  Delete: { TableName, Key: keyOf(id), ...more },
});

export const add = (TableName: string, id: string, change: number, more: Partial<Update> = {}): TransactWriteItem => ({
  Update: {
    TableName,
    Key: keyOf(id),
    UpdateExpression: 'ADD amount :change',
    ExpressionAttributeValues: { ':change': { N: String(change) } },
    ...more,
  },
});

export const requirePresent = (
  TableName: string,
  id: string,
  more: Partial<ConditionCheck> = {},
): TransactWriteItem => ({
  ConditionCheck: { TableName, Key: keyOf(id), ConditionExpression: 'attribute_exists(id)', ...more },
});

export const write = (client: DynamoDBClient, TransactItems: TransactWriteItem[], ClientRequestToken?: string) =>
  client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken, ReturnConsumedCapacity: 'TOTAL' }));

export const read = async (
  client: DynamoDBClient,
  TableName: string,
  id: string,
): Promise<Record<string, AttributeValue> | undefined> =>
  (await client.send(new GetItemCommand({ TableName, Key: keyOf(id), ConsistentRead: true }))).Item;

/** The error of a call that must fail. */
export const errorOf = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('the call succeeded');
};
