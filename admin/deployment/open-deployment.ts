import {
  CloudFormationClient,
  type CloudFormationClientConfig,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { DEFAULT_PLANS, plansFrom } from '../../core/access/plans.ts';
import { CHECKS, checksFrom } from '../../core/checks.ts';
import {
  CHECKS_OUTPUT,
  IMPORT_METRICS_OUTPUT,
  INTAKE_OUTPUT,
  KEEPS_DATA_OUTPUT,
  LOOKUP_LOG_OUTPUT,
  PLANS_OUTPUT,
  tableOutput,
} from '../../core/stage/outputs.ts';
import { readPlans } from '../../core/stage/plans-schema.ts';
import { prefixedTableNames, type TableId, type TableNames, tables } from '../../core/tables.ts';
import { CommandFailure } from '../command/command-result.ts';
import type { AdminContext } from '../command/context.ts';
import { describeAwsError } from './aws-errors.ts';
import { connect, OTHER_SERVICE_TIMEOUTS } from './database.ts';
import type { Deployment } from './deployment.ts';
import { findRegion, knownStacks, requireProfile, requireRegion } from './region.ts';

export interface DeploymentOptions {
  readonly dynamodb?: string;
  readonly tables?: string;
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string | undefined;
  readonly yes?: string;
  readonly readUnits?: number;
}

/** Read units a second that a command by hand takes from a table on AWS, of the 3,000 of all loads together. */
const READ_UNITS = 500;

/** A local engine requires credentials, but accepts any. */
const LOCAL_ENGINE = { region: 'eu-west-2', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

const TABLE_IDS = Object.keys(tables) as TableId[];

const USAGE = `--tables takes the prefix of all table names, or single tables as ID=NAME,ID=NAME with the ids ${TABLE_IDS.join(', ')}`;

/** The value of `--tables`: `keys=NAME,content=NAME`, or a prefix of all names. A table name has no equals sign. */
const parseTables = (text: string): Partial<TableNames> => {
  if (!text.includes('=')) return prefixedTableNames(text);
  const pairs = text.split(',').map((pair) => pair.split('=').map((part) => part.trim()));
  if (pairs.every(([id = '', name, ...more]) => Object.hasOwn(tables, id) && name && more.length === 0)) {
    return Object.fromEntries(pairs);
  }
  throw new CommandFailure(USAGE);
};

/** The variables of `npm start`. @throws CommandFailure */
const readVariables = ({ PLANS, CHECKS: checks }: NodeJS.ProcessEnv) => {
  try {
    return { plans: readPlans(PLANS), checks: checksFrom(checks || undefined) };
  } catch (error) {
    throw new CommandFailure((error as Error).message);
  }
};

const openLocalDeployment = (
  { dynamodb, region, profile, yes, readUnits }: DeploymentOptions,
  { tableNames, env }: AdminContext,
  named: Partial<TableNames>,
): Deployment => {
  for (const [option, value] of Object.entries({ region, profile, yes })) {
    if (value !== undefined) throw new CommandFailure(`--${option} belongs to a deployed stack: name it with --stack`);
  }
  const address = dynamodb ?? `http://127.0.0.1:${env.DYNAMODB_PORT || 8000}`;
  if (!URL.canParse(address) || !/^https?:/i.test(address)) {
    throw new CommandFailure(
      `${address} (--dynamodb, or port DYNAMODB_PORT) is not the address of a DynamoDB engine, such as http://127.0.0.1:8000`,
    );
  }
  return {
    db: connect({ ...LOCAL_ENGINE, endpoint: address }),
    address,
    remedy:
      'start it with "npm start", set DYNAMODB_PORT as its output says, or name another engine with --dynamodb URL',
    tableNames: { ...tableNames, ...named },
    tablesInUse: tableNames,
    ...readVariables(env),
    readUnits,
    // The engine has a KMS too. Its log is a file.
    lookupLog: { key: 'local', logGroups: [], retentionDays: 0, endpoints: { kms: address, logs: address } },
  };
};

const readOutputs = async (account: CloudFormationClientConfig, stack: string) => {
  const client = new CloudFormationClient({ ...account, requestHandler: OTHER_SERVICE_TIMEOUTS });
  const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
  const outputs = Stacks[0]?.Outputs ?? [];
  return new Map(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
};

/** Opens a stack. Its outputs have the names of the tables, except those in `named`, such as a restored one. */
const openStackDeployment = async (
  stack: string,
  { region: given, profile, yes, readUnits = READ_UNITS }: DeploymentOptions,
  context: AdminContext,
  named: Partial<TableNames>,
): Promise<Deployment> => {
  const region = await findRegion(stack, given, profile, context);
  const account = { region: region.name, ...(profile && { profile }) };
  const outputs = await readOutputs(account, stack).catch(async (error: unknown) => {
    const sentence = /does not exist/.test(String(error))
      ? `there is no stack ${stack} in ${region.name} (from ${region.source}): check its name, the region and the account${await knownStacks(context.stagesFolder)}`
      : describeAwsError(error, profile, `the stack ${stack} could not be read: CloudFormation`);
    throw new CommandFailure(sentence, { cause: error });
  });
  const tablesInUse: Partial<TableNames> = Object.fromEntries(
    TABLE_IDS.map((id) => [id, outputs.get(tableOutput(id))]).filter(([, name]) => name !== undefined),
  );
  const tableNames = { ...tablesInUse, ...named };
  const missing = TABLE_IDS.find((id) => tableNames[id] === undefined);
  if (missing !== undefined) {
    throw new CommandFailure(
      `the stack ${stack} is not a stack of this service: it has no output ${tableOutput(missing)}`,
    );
  }
  const intake = outputs.get(INTAKE_OUTPUT);
  const importMetrics = outputs.get(IMPORT_METRICS_OUTPUT);
  const lookupLog = outputs.get(LOOKUP_LOG_OUTPUT);
  return {
    tableNames,
    tablesInUse,
    plans: plansFrom(outputs.get(PLANS_OUTPUT)),
    checks: checksFrom(outputs.get(CHECKS_OUTPUT)),
    readUnits,
    db: connect(account),
    account,
    address: `the stack ${stack} in ${region.name}`,
    remedy: 'check the stack in the CloudFormation console',
    ...(importMetrics && { importMetrics }),
    ...(intake && { intake: JSON.parse(intake) }),
    ...(lookupLog && { lookupLog: JSON.parse(lookupLog) }),
    ...(outputs.get(KEEPS_DATA_OUTPUT) === 'yes' && { guard: { name: stack, given: yes } }),
  };
};

/**
 * Opens a stack, tables in AWS that a deleted stack retained, or a local engine. Tables without a stack count as
 * production data, because only the tables of production are retained. The name of the first table confirms changes.
 * @throws CommandFailure for invalid options, and for a stack that is missing, unreadable or of another service
 */
export const openDeployment = async (given: DeploymentOptions, context: AdminContext): Promise<Deployment> => {
  const profile = given.profile ?? (context.env.AWS_PROFILE || undefined);
  const { dynamodb, stack, region, yes } = given;
  const named = given.tables === undefined ? {} : parseTables(given.tables);
  if (stack === undefined && (region === undefined || dynamodb !== undefined)) {
    return openLocalDeployment(given, context, named);
  }
  await requireProfile(profile, given.profile === undefined ? 'AWS_PROFILE' : '--profile');
  if (stack !== undefined) return openStackDeployment(stack, { ...given, profile }, context, named);
  if (region === undefined || given.tables === undefined) {
    throw new CommandFailure('name the stack with --stack, or tables without a stack with --tables keys=NAME');
  }
  requireRegion(region, '--region');
  const account = { region, ...(profile && { profile }) };
  return {
    db: connect(account),
    account,
    tableNames: named,
    plans: DEFAULT_PLANS,
    checks: CHECKS,
    readUnits: given.readUnits ?? READ_UNITS,
    address: `AWS in ${region}`,
    remedy: 'check the region and the table names',
    guard: { name: Object.values(named)[0] ?? '', given: yes },
  };
};
