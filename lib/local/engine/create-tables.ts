import {
  CreateTableCommand,
  type CreateTableCommandInput,
  type DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { type TableDescription, type TableId, type TableNames, tables } from '../../../core/tables.ts';

/** Seconds. The defaults of the SDK are for tables in AWS. */
const WAIT = { maxWaitTime: 60, minDelay: 0.02, maxDelay: 0.2 };

const tableIds = Object.keys(tables) as TableId[];

const creationOf = (TableName: string, { partitionKey, sortKey }: TableDescription): CreateTableCommandInput => {
  const keys = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
    KeySchema: keys.map(({ name }, index) => ({ AttributeName: name, KeyType: index === 0 ? 'HASH' : 'RANGE' })),
  };
};

/** dynalite does not support expiry; nothing relies on it. */
const expireBy = async (client: DynamoDBClient, TableName: string, AttributeName: string): Promise<void> => {
  try {
    await client.send(
      new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName, Enabled: true } }),
    );
  } catch (error) {
    if (!(error instanceof Error && error.name === 'UnknownOperationException')) throw error;
  }
};

/** Whether this call created the table. */
const createMissing = async (client: DynamoDBClient, name: string, description: TableDescription): Promise<boolean> => {
  try {
    await client.send(new CreateTableCommand(creationOf(name, description)));
    return true;
  } catch (error) {
    if (error instanceof ResourceInUseException) return false;
    throw error;
  }
};

const ensureTable = async (
  client: DynamoDBClient,
  name: string,
  description: TableDescription,
  expire: boolean,
): Promise<boolean> => {
  const created = await createMissing(client, name, description);
  await waitUntilTableExists({ client, ...WAIT }, { TableName: name });
  if (created && expire && description.timeToLiveAttribute)
    await expireBy(client, name, description.timeToLiveAttribute);
  return created;
};

/**
 * Creates the missing tables and returns their ids. When it returns, all tables are active. Items expire where the engine
 * supports it, unless `expire` is false.
 */
export const createTables = async (
  client: DynamoDBClient,
  names: TableNames,
  { expire = true } = {},
): Promise<TableId[]> => {
  const created = await Promise.all(tableIds.map((id) => ensureTable(client, names[id], tables[id], expire)));
  return tableIds.filter((_, index) => created[index]);
};
