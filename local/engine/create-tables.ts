import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { type TableDescription, type TableId, type TableNames, tables } from '../../core/tables.ts';

/** Seconds. The defaults of the SDK are for tables in AWS. */
const WAIT = { maxWaitTime: 60, minDelay: 0.02, maxDelay: 0.2 };

const tableIds = Object.keys(tables) as TableId[];

const createTableInput = (TableName: string, { partitionKey, sortKey }: TableDescription): CreateTableCommandInput => {
  const keys = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  return {
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
    KeySchema: keys.map(({ name }, index) => ({ AttributeName: name, KeyType: index === 0 ? 'HASH' : 'RANGE' })),
  };
};

/** Whether this call created the table, which is active then. */
const createMissing = async (client: DynamoDBClient, name: string, description: TableDescription): Promise<boolean> => {
  const startedAt = Date.now();
  let created = true;
  try {
    await client.send(new CreateTableCommand(createTableInput(name, description)));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    // After a late response the next attempt finds the table that the one before has created.
    const isRetried = (error.$metadata.attempts ?? 1) > 1;
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    created = isRetried && Number(Table?.CreationDateTime) >= startedAt;
  }
  await waitUntilTableExists({ client, ...WAIT }, { TableName: name });
  return created;
};

/** Creates the missing tables and returns their ids. All tables are active then. Their items do not expire. */
export const createTables = async (client: DynamoDBClient, names: TableNames): Promise<TableId[]> => {
  const created = await Promise.all(tableIds.map((id) => createMissing(client, names[id], tables[id])));
  return tableIds.filter((_, index) => created[index]);
};
