import { DescribeTableCommand, type DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { Argument, type Command } from 'commander';
import { tables } from '../core/tables.ts';
import { hasNoRecord } from '../core/vehicles/erasure.ts';
import { type CommandResult, EXIT } from './command/command-result.ts';
import { exampleOf, formatNumber, readableTable } from './command/format.ts';
import { type CommandContext, type Runner, tableName } from './deployment/deployment.ts';
import { readComplianceParts } from './records/compliance-parts.ts';
import { type ErasureState, findErasures, isLaterState } from './records/erasures.ts';
import { readVehicleParts } from './records/vehicle-parts.ts';

/** A restored table of content is not used itself, but copied into a new one. */
const READ_PARTS = { vehicles: readVehicleParts, compliance: readComplianceParts };

type CheckedId = keyof typeof READ_PARTS;

const IDS = Object.keys(READ_PARTS) as readonly CheckedId[];

/** Number of items that are read. Several are read, because one damaged item does not make a table unusable. */
const SAMPLE = 25;

/** Without what a restored table lacks, erased vehicles would come back, and those that came back would be erased. */
const lackedErasures = async (id: CheckedId, name: string, context: CommandContext): Promise<string | undefined> => {
  const current = context.deployment.tablesInUse?.[id];
  if (current === undefined || current === name) return undefined;
  const [wanted, found] = await Promise.all([current, name].map((table) => findErasures(table, context)));
  if (wanted === undefined) context.notice(`${current} does not exist, so its erasures cannot be compared.`);
  const isLacked = ([one, state]: readonly [string, ErasureState]) => isLaterState(state, found?.get(one));
  const lacked = [...(wanted ?? [])].filter(isLacked).length;
  if (lacked === 0) return undefined;
  return `it lacks ${formatNumber(lacked)} erasures of ${current}, made or undone: "erase --from ${current}" copies them`;
};

const problemWith = async (id: CheckedId, name: string, context: CommandContext): Promise<string | undefined> => {
  const { db } = context.deployment;
  const client: DynamoDBClient = db;
  const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
  const { TableStatus, KeySchema = [], AttributeDefinitions = [] } = Table ?? {};
  if (TableStatus !== 'ACTIVE' && TableStatus !== 'UPDATING') return `it is ${TableStatus}: wait until it is ACTIVE`;
  const types = new Map(AttributeDefinitions.map(({ AttributeName, AttributeType }) => [AttributeName, AttributeType]));
  const found = KeySchema.map((one) => `${one.AttributeName} (${types.get(one.AttributeName)})`).join(' and ');
  const { name: keyName, type } = tables[id].partitionKey;
  const key = `${keyName} (${type})`;
  if (found !== key) return `its key is ${found}, not ${key}`;
  const { Items = [] } = await db.send(new ScanCommand({ TableName: name, Limit: SAMPLE }));
  if (Items.length === 0) return 'it has no items';
  // Both tables have the same erasures, so these say nothing about the kind of records.
  const records = Items.filter((item) => !hasNoRecord(item));
  if (records.length > 0 && !records.some((item) => READ_PARTS[id](item)?.size))
    return `none of its items that were read is a record of ${id}`;
  return lackedErasures(id, name, context);
};

const checkTables = async (ids: readonly CheckedId[], context: CommandContext): Promise<CommandResult> => {
  const checked = await Promise.all(
    ids.map(async (table) => {
      const name = tableName(context.deployment, table);
      const problem = await problemWith(table, name, context).catch((error: unknown) => {
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

export const addTablesCommands = (program: Command, run: Runner): void => {
  program
    .command('tables')
    .description('look at the tables themselves')
    .command('check')
    .description('whether a table, such as a restored one that --tables names, can be used: key, records and erasures')
    .addArgument(new Argument('[data]', 'only the table of this data').choices(IDS))
    .addHelpText('after', exampleOf('tables check vehicles --tables vehicles=restored-vehicles --region eu-west-2'))
    .action((data?: CheckedId) => run((context) => checkTables(data === undefined ? IDS : [data], context)));
};
