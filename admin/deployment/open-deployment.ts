import {
  CloudFormationClient,
  type CloudFormationClientConfig,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { DEFAULT_PLANS, type Plans, plansFrom } from '../../core/access/plans.ts';
import {
  IMPORT_METRICS_OUTPUT,
  INTAKE_OUTPUT,
  KEEPS_DATA_OUTPUT,
  PLANS_OUTPUT,
  tableOutput,
} from '../../core/stage/outputs.ts';
import { readPlans } from '../../core/stage/plans-schema.ts';
import { prefixedTableNames, type TableId, type TableNames, tables } from '../../core/tables.ts';
import { CommandFailure } from '../command/command-result.ts';
import { describeAwsError } from './aws-errors.ts';
import { callerArn, userName } from './aws-requests.ts';
import { connect, OTHER_SERVICE_TIMEOUTS } from './database.ts';
import type { Deployment, DeploymentContext } from './deployment.ts';
import { findRegion, knownStacks, type Region, requireRegion } from './region.ts';

/** The global options that choose the deployment. */
export interface DeploymentOptions {
  readonly dynamodb?: string;
  readonly tables?: string;
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string;
  /** The confirmation of a script; otherwise the operator types it. */
  readonly yes?: string;
}

const MAX_PORT = 65_535;

/** A local engine requires credentials, but accepts any. */
const LOCAL_ENGINE = { region: 'eu-west-2', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

const TABLE_IDS = Object.keys(tables) as TableId[];

const USAGE = `--tables takes the prefix of all table names, or single tables as ID=NAME,ID=NAME with the ids ${TABLE_IDS.join(', ')}`;

const isTableId = (text: string): text is TableId => Object.hasOwn(tables, text);

const parsePair = (pair: string): [TableId, string] => {
  const [id = '', name = '', ...more] = pair.split('=').map((part) => part.trim());
  if (isTableId(id) && name !== '' && more.length === 0) return [id, name];
  throw new CommandFailure(USAGE);
};

/** The value of `--tables`: `keys=NAME,content=NAME`, or a prefix of all names. A table name has no equals sign. */
const parseTables = (text: string): Partial<TableNames> => {
  if (!text.includes('=')) return prefixedTableNames(text);
  const pairs = text.split(',').map(parsePair);
  if (new Set(pairs.map(([id]) => id)).size < pairs.length) throw new CommandFailure(USAGE);
  return Object.fromEntries(pairs);
};

/** The address of the engine that `npm start` starts. @throws CommandFailure when `DYNAMODB_PORT` is not a port */
const localAddress = (port = '8000'): string => {
  if (/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= MAX_PORT) return `http://127.0.0.1:${port}`;
  throw new CommandFailure(`DYNAMODB_PORT must be a port number from 1 to ${MAX_PORT}, not "${port}"`);
};

/** The plans of the service on this machine. @throws CommandFailure naming everything that is wrong with `PLANS` */
const localPlans = ({ PLANS }: NodeJS.ProcessEnv): Plans => {
  const read = readPlans(PLANS);
  if ('plans' in read) return read.plans;
  throw new CommandFailure(read.problems.join('; '));
};

const isHttpAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

const openLocalDeployment = (
  { dynamodb, region, profile, yes }: DeploymentOptions,
  { tableNames, env }: DeploymentContext,
  named: Partial<TableNames>,
): Deployment => {
  for (const [option, value] of Object.entries({ region, profile, yes })) {
    if (value !== undefined) throw new CommandFailure(`--${option} belongs to a deployed stack: name it with --stack`);
  }
  const address = dynamodb ?? localAddress(env.DYNAMODB_PORT || undefined);
  if (!isHttpAddress(address)) {
    throw new CommandFailure(`--dynamodb takes the address of a DynamoDB engine, such as ${localAddress()}`);
  }
  return {
    db: connect({ ...LOCAL_ENGINE, endpoint: address }),
    readCaller: async () => userName(),
    address,
    remedy:
      'start it with "npm start", set DYNAMODB_PORT as its output says, or name another engine with --dynamodb URL',
    tableNames: { ...tableNames, ...named },
    tablesInUse: tableNames,
    plans: localPlans(env),
  };
};

interface StackPlace {
  readonly stack: string;
  readonly region: Region;
  readonly profile: string | undefined;
  readonly stagesFolder: string;
}

const explain = async (
  error: unknown,
  { stack, region, profile, stagesFolder }: StackPlace,
): Promise<CommandFailure> => {
  const sentence = /does not exist/.test(String(error))
    ? `there is no stack ${stack} in ${region.name} (from ${region.source}): check its name, the region and the account${await knownStacks(stagesFolder)}`
    : describeAwsError(error, profile, (name) => `the stack ${stack} could not be read (${name})`);
  return new CommandFailure(sentence, { cause: error });
};

const readOutputs = async (account: CloudFormationClientConfig, stack: string) => {
  const client = new CloudFormationClient({ ...account, requestHandler: OTHER_SERVICE_TIMEOUTS });
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    const outputs = Stacks[0]?.Outputs ?? [];
    return new Map(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
  } finally {
    client.destroy();
  }
};

/** The names of the tables are outputs of the stack, except those in `named`, such as a restored one. */
const openStackDeployment = async (
  place: StackPlace,
  named: Partial<TableNames>,
  yes: string | undefined,
): Promise<Deployment> => {
  const { stack, region, profile } = place;
  const account = { region: region.name, ...(profile && { profile }) };
  const outputs = await readOutputs(account, stack).catch(async (error: unknown) => {
    throw await explain(error, place);
  });
  const requireTableName = (id: TableId): string => {
    const name = named[id] ?? outputs.get(tableOutput(id));
    if (name) return name;
    throw new CommandFailure(`the stack ${stack} is not a stack of this service: it has no output ${tableOutput(id)}`);
  };
  const outputOf = (id: TableId) => outputs.get(tableOutput(id));
  const namespace = outputs.get(IMPORT_METRICS_OUTPUT);
  const intake = outputs.get(INTAKE_OUTPUT);
  return {
    tableNames: Object.fromEntries(TABLE_IDS.map((id) => [id, requireTableName(id)])) as TableNames,
    tablesInUse: Object.fromEntries(TABLE_IDS.flatMap((id) => (outputOf(id) ? [[id, outputOf(id)]] : []))),
    plans: plansFrom(outputs.get(PLANS_OUTPUT)),
    db: connect(account),
    readCaller: () => callerArn(account),
    aws: { profile },
    address: `the stack ${stack} in ${region.name}`,
    remedy: 'check the stack in the CloudFormation console',
    ...(namespace && { importMetrics: { namespace, account } }),
    ...(intake && { intake: { ...JSON.parse(intake), account } }),
    ...(outputs.get(KEEPS_DATA_OUTPUT) === 'yes' && { guard: { name: stack, given: yes } }),
  };
};

/**
 * Opens a stack, tables in AWS that a deleted stack retained, or a local engine. Tables without a stack count as
 * production data, because only that is retained; the name of the first one confirms changes.
 * @throws CommandFailure for invalid options, and for a stack that is missing, unreadable or of another service
 */
export const openDeployment = async (options: DeploymentOptions, context: DeploymentContext): Promise<Deployment> => {
  const { dynamodb, stack, region, yes } = options;
  const named = options.tables === undefined ? {} : parseTables(options.tables);
  const profile = options.profile ?? (context.env.AWS_PROFILE || undefined);
  if (stack !== undefined) {
    if (dynamodb !== undefined) {
      throw new CommandFailure('--stack finds the database by itself: leave out --dynamodb');
    }
    const found = await findRegion(stack, region, profile, context);
    const { stagesFolder } = context;
    return openStackDeployment({ stack, region: found, profile, stagesFolder }, named, yes);
  }
  if (region === undefined || dynamodb !== undefined) return openLocalDeployment(options, context, named);
  if (options.tables === undefined) {
    throw new CommandFailure('name the stack with --stack, or tables without a stack with --tables keys=NAME');
  }
  requireRegion(region, '--region');
  const account = { region, ...(profile && { profile }) };
  return {
    db: connect(account),
    readCaller: () => callerArn(account),
    aws: { profile },
    tableNames: named,
    plans: DEFAULT_PLANS,
    address: `AWS in ${region}`,
    remedy: 'check the region and the table names',
    guard: { name: Object.values(named)[0] ?? '', given: yes },
  };
};
