/** The region of a stack: from an option, the stage's settings, the environment or the profile. There is no default. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSharedConfigFiles } from '@smithy/core/config';
import { REGION_PATTERN } from '../../core/stage/outputs.ts';
import { CommandFailure } from '../command/command-result.ts';
import type { DeploymentContext } from './deployment.ts';

export interface Region {
  readonly name: string;
  /** Where the name comes from, for messages. */
  readonly source: string;
}

const REGION_NAME = new RegExp(`^${REGION_PATTERN}$`);

/** @throws CommandFailure when it has not the form of a region's name */
export const requireRegion = (name: string, source: string): Region => {
  if (REGION_NAME.test(name)) return { name, source };
  throw new CommandFailure(`"${name}" (${source}) is not the name of a region, such as eu-west-2`);
};

/** The stack names of `bin/app.ts`. */
const STACK_OF_STAGE = /^vehicle-verification-([a-z][a-z0-9-]*)$/;

/** The stacks that `cdk deploy` creates, at the end of a sentence; empty without settings of a stage. */
export const knownStacks = async (stagesFolder: string): Promise<string> => {
  const files = await readdir(stagesFolder).catch(() => []);
  const stacks = files.flatMap((file) => (file.endsWith('.json') ? `vehicle-verification-${file.slice(0, -5)}` : []));
  return stacks.length === 0 ? '' : `; the stages here have the stacks ${stacks.sort().join(', ')}`;
};

/** The region where `cdk deploy` creates the stack. @throws CommandFailure when the settings are invalid */
const stageRegion = async (stack: string, stagesFolder: string): Promise<Region | undefined> => {
  const stage = STACK_OF_STAGE.exec(stack)?.[1];
  if (stage === undefined) return undefined;
  const source = `stages/${stage}.json`;
  const settings = await readFile(join(stagesFolder, `${stage}.json`), 'utf8').catch(() => undefined);
  if (settings === undefined) return undefined;
  try {
    const { region } = JSON.parse(settings) as { readonly region?: unknown };
    return requireRegion(String(region), source);
  } catch (error) {
    throw error instanceof CommandFailure ? error : new CommandFailure(`${source} is not valid JSON`, { cause: error });
  }
};

const profileRegion = async (profile: string): Promise<string | undefined> => {
  const { configFile, credentialsFile } = await loadSharedConfigFiles();
  return credentialsFile[profile]?.region ?? configFile[profile]?.region;
};

/**
 * The first of `--region`, the stage's settings, `AWS_REGION`, `AWS_DEFAULT_REGION` and the profile.
 * A notice says when `--region` differs from the settings, as for the old stack of a stage that has moved.
 * @throws CommandFailure without one
 */
export const findRegion = async (
  stack: string,
  given: string | undefined,
  profile = 'default',
  { env, stagesFolder, notice }: DeploymentContext,
): Promise<Region> => {
  const settings = await stageRegion(stack, stagesFolder);
  const sources = [
    [given, '--region'],
    [settings?.name, settings?.source],
    [env.AWS_REGION, 'AWS_REGION'],
    [env.AWS_DEFAULT_REGION, 'AWS_DEFAULT_REGION'],
    [await profileRegion(profile), `the profile ${profile}`],
  ] as const;
  const [name, source] = sources.find(([name]) => name !== undefined && name !== '') ?? [];
  if (name === undefined || source === undefined) {
    throw new CommandFailure(`name the region of the stack ${stack} with --region${await knownStacks(stagesFolder)}`);
  }
  const region = requireRegion(name, source);
  if (settings !== undefined && settings.name !== name) {
    notice(`--region is ${name}, but ${settings.source} has ${settings.name}: the stack in ${name} is used`);
  }
  return region;
};
