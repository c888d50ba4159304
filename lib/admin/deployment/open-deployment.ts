import type { AdminContext } from '../command/context.ts';
import { CommandFailure } from '../command/outcome.ts';
import { connect } from './database.ts';
import type { CommandContext, Deployment } from './deployment.ts';
import { regionOf, requireRegion } from './region.ts';
import { openStackDeployment } from './stack-deployment.ts';
import { onlyNamed, parseTables } from './table-names.ts';

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

const DEFAULT_PORT = '8000';
const MAX_PORT = 65_535;

/** A local engine requires credentials, but accepts any. */
const LOCAL_ENGINE = { region: 'eu-west-2', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

/** The address of the engine that `npm start` starts. @throws CommandFailure when `DYNAMODB_PORT` is not a port */
const localAddress = (port: string = DEFAULT_PORT): string => {
  if (/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= MAX_PORT) return `http://127.0.0.1:${port}`;
  throw new CommandFailure(`DYNAMODB_PORT must be a port number from 1 to ${MAX_PORT}, not "${port}"`);
};

const isHttpAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Opens the tables of a local engine. Sends no request. */
const openLocalDeployment = (
  { dynamodb, region, profile, yes }: DeploymentOptions,
  { tableNames, dynamodbPort }: AdminContext,
  named: Partial<Deployment['tableNames']>,
): Deployment => {
  for (const [option, value] of Object.entries({ region, profile, yes })) {
    if (value !== undefined) throw new CommandFailure(`--${option} belongs to a deployed stack: name it with --stack`);
  }
  const address = dynamodb ?? localAddress(dynamodbPort || undefined);
  if (!isHttpAddress(address)) {
    throw new CommandFailure(`--dynamodb takes the address of a DynamoDB engine, such as ${localAddress()}`);
  }
  return {
    db: connect({ ...LOCAL_ENGINE, endpoint: address }),
    address,
    remedy: 'start it with "npm start", or name another with --dynamodb URL',
    tableNames: { ...tableNames, ...named },
  };
};

/**
 * Opens the deployment that the options name: a stack, whose outputs name its tables; tables in AWS without a stack, such as
 * those that a deleted stack retained; or a local engine. Tables without a stack count as production data: only that is
 * retained. Changing it requires the name of the first table.
 * @throws CommandFailure when the options contradict each other, the address is not a URL or the stack cannot be found
 */
export const openDeployment = async (
  options: DeploymentOptions,
  context: AdminContext,
  notice: CommandContext['notice'],
): Promise<Deployment> => {
  const { dynamodb, stack, region, profile, yes } = options;
  const named = options.tables === undefined ? {} : parseTables(options.tables);
  const profileInUse = profile ?? context.aws.profile;
  if (stack !== undefined) {
    if (dynamodb !== undefined) {
      throw new CommandFailure('--stack finds the database by itself: leave out --dynamodb');
    }
    const found = await regionOf({ stack, region, profile: profileInUse }, context, notice);
    return openStackDeployment({ stack, region: found, profile, profileInUse, named, yes });
  }
  if (region === undefined || dynamodb !== undefined) return openLocalDeployment(options, context, named);
  if (options.tables === undefined) {
    throw new CommandFailure('name the stack with --stack, or tables without a stack with --tables keys=NAME');
  }
  requireRegion(region, '--region');
  return {
    db: connect({ region, ...(profile && { profile }) }),
    aws: { profile: profileInUse },
    tableNames: onlyNamed(named),
    address: `AWS in ${region}`,
    remedy: 'check the region and the table names',
    guard: { name: Object.values(named)[0] ?? '', given: yes },
  };
};
