import type { TableNames } from '../../../functions/tables.ts';
import { CommandFailure } from '../command/command-failure.ts';
import type { Deployment } from './deployment.ts';
import { LOCAL_ADDRESS, openLocalDeployment } from './local-deployment.ts';
import { openRegionDeployment } from './region-deployment.ts';
import { openStackDeployment } from './stack-deployment.ts';
import { parseTables } from './table-names.ts';

/** The options of every command that choose its deployment. */
export interface DeploymentOptions {
  readonly dynamodb?: string;
  readonly tables?: string;
  readonly stack?: string;
  readonly region?: string;
  readonly profile?: string;
  /** The confirmation that would be typed otherwise, passed by a script. */
  readonly yes?: string;
}

const requireStack = ({ region, profile, yes }: DeploymentOptions): void => {
  for (const [option, value] of Object.entries({ region, profile, yes })) {
    if (value !== undefined) throw new CommandFailure(`--${option} belongs to a deployed stack: name it with --stack`);
  }
};

/**
 * The deployment that the options name: a stack, whose outputs name its tables; tables in AWS without a stack; or an engine.
 * @throws CommandFailure when the options contradict each other, the address is not a URL or the stack cannot be found
 */
export const openDeployment = async (options: DeploymentOptions, localNames: TableNames): Promise<Deployment> => {
  const { dynamodb, stack, region } = options;
  const named = options.tables === undefined ? {} : parseTables(options.tables);
  if (stack !== undefined) {
    if (dynamodb === undefined) return openStackDeployment({ ...options, stack }, named);
    throw new CommandFailure('--stack finds the database by itself: leave out --dynamodb');
  }
  if (region !== undefined && dynamodb === undefined) {
    if (options.tables !== undefined) return openRegionDeployment({ ...options, region }, named);
    throw new CommandFailure('name the stack with --stack, or tables that have none with --tables keys=NAME');
  }
  requireStack(options);
  return openLocalDeployment(dynamodb ?? LOCAL_ADDRESS, { ...localNames, ...named });
};
