/** The floor: an SDK handler that sends a lookup's database requests in parallel, and does nothing else. */
import { DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';

const db = new DynamoDBClient({});
const { KEYS_TABLE, USAGE_TABLE, VEHICLES_TABLE, KEY_ID = '' } = process.env;

/** Reads the key, counts the request and reads the vehicle; undefined when it is unknown. */
const lookUp = async (registration: string) => {
  const [, , { Item }] = await Promise.all([
    db.send(new GetItemCommand({ TableName: KEYS_TABLE, Key: { id: { S: KEY_ID } }, ConsistentRead: true })),
    db.send(
      new UpdateItemCommand({
        TableName: USAGE_TABLE,
        Key: { keyId: { S: KEY_ID }, windowStart: { N: '0' } },
        UpdateExpression: 'ADD used :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
        ReturnValues: 'UPDATED_NEW',
      }),
    ),
    db.send(new GetItemCommand({ TableName: VEHICLES_TABLE, Key: { registration: { S: registration } } })),
  ]);
  return Item;
};

export const handler = async (event: { readonly pathParameters: { readonly registration: string } }) => {
  const item = await lookUp(event.pathParameters.registration);
  return { statusCode: item ? 200 : 404, body: JSON.stringify(item) };
};
