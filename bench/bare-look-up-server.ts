/** The same three database calls at once and the stored item as JSON: no admission, no rules, no headers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { LOCAL_TABLE_NAMES as names } from '../functions/tables.ts';
import { prepareEngine } from '../test/support/prepared-engine.ts';

const { db, key, keyId } = await prepareEngine();

const server = createServer(async (_request, response) => {
  const [, , { Item = {} }] = await Promise.all([
    db.send(new GetItemCommand({ TableName: names.keys, Key: { id: { S: keyId } }, ConsistentRead: true })),
    db.send(
      new UpdateItemCommand({
        TableName: names.usage,
        Key: { keyId: { S: keyId }, windowStart: { N: '0' } },
        UpdateExpression: 'ADD used :one',
        ExpressionAttributeValues: { ':one': { N: '1' } },
        ReturnValues: 'UPDATED_NEW',
      }),
    ),
    db.send(new GetItemCommand({ TableName: names.vehicles, Key: { registration: { S: 'AB12CDE' } } })),
  ]);
  response.setHeader('content-type', 'application/json').end(JSON.stringify(unmarshall(Item)));
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key });
});
