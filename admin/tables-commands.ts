import { DescribeTableCommand, type DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { Argument, type Command } from 'commander';
import { ComplianceRecord } from '../core/compliance/compliance-record.ts';
import { readStored } from '../core/schemas/record-schema.ts';
import { tables } from '../core/tables.ts';
import { VehicleRecord } from '../core/vehicles/vehicle-record.ts';
import { type CommandResult, EXIT } from './command/command-result.ts';
import { exampleOf } from './command/format.ts';
import { readableTable } from './command/readable-table.ts';
import { type CommandContext, type Deployment, type Runner, tableName } from './deployment/deployment.ts';

/** The tables whose restored copies the setting `tables` of a stage can name. One of content is loaded, not restored. */
const RECORDS = { vehicles: VehicleRecord, compliance: ComplianceRecord };

type CheckedId = keyof typeof RECORDS;

const IDS = Object.keys(RECORDS) as readonly CheckedId[];

/** Items that are read: one that is damaged does not make a table unusable. */
const SAMPLE = 25;

const USABLE: readonly (string | undefined)[] = ['ACTIVE', 'UPDATING'];

const problemWith = async (db: Deployment['db'], id: CheckedId, name: string): Promise<string | undefined> => {
  const client: DynamoDBClient = db;
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  const { TableStatus, KeySchema = [], AttributeDefinitions = [] } = Table ?? {};
  if (!USABLE.includes(TableStatus)) return `it is ${TableStatus}: wait until it is ACTIVE`;
  const { partitionKey } = tables[id];
  const keys = KeySchema.map(({ AttributeName: key }) => {
    const type = AttributeDefinitions.find(({ AttributeName }) => AttributeName === key)?.AttributeType;
    return `${key} (${type})`;
  });
  const key = `${partitionKey.name} (${partitionKey.type})`;
  if (keys.join(' and ') !== key) return `its key is ${keys.join(' and ')}, not ${key}`;
  const { Items = [] } = await db.send(new ScanCommand({ TableName: name, Limit: SAMPLE }));
  if (Items.length === 0) return 'it has no items';
  const readable = Items.some((item) => readStored(RECORDS[id], item) !== undefined);
  return readable ? undefined : `none of its items that were read is a record of ${id}`;
};

const checkTables = async (ids: readonly CheckedId[], { deployment }: CommandContext): Promise<CommandResult> => {
  const checked = await Promise.all(
    ids.map(async (table) => {
      const name = tableName(deployment, table);
      const problem = await problemWith(deployment.db, table, name).catch((error: unknown) => {
        if (error instanceof ResourceNotFoundException) return 'it does not exist in this account and region';
        throw error;
      });
      return { table, name, problem: problem ?? null };
    }),
  );
  const rows = checked.map(({ table, name, problem }) => [table, name, problem ?? 'can be used']);
  return {
    text: readableTable(['data', 'table', 'result'], rows),
    data: { tables: checked },
    exitCode: checked.every(({ problem }) => problem === null) ? EXIT.done : EXIT.incomplete,
  };
};

/** Adds `tables check`. */
export const addTablesCommands = (program: Command, run: Runner): void => {
  program
    .command('tables')
    .description('look at the tables themselves')
    .command('check')
    .description('whether a table, such as a restored one that --tables names, can be used: key and records')
    .addArgument(new Argument('[data]', 'only the table of this data').choices(IDS))
    .addHelpText('after', exampleOf('tables check vehicles --tables vehicles=restored-vehicles --region eu-west-2'))
    .action((data?: CheckedId) => run((context) => checkTables(data === undefined ? IDS : [data], context)));
};
