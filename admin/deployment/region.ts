/**
 * The AWS profile, and the region of a stack: from an option, the stage's settings, the environment or the profile.
 * There is no default region.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSharedConfigFiles } from '@smithy/core/config';
import { REGION_NAME } from '../../core/stage/outputs.ts';
import { CommandFailure } from '../command/command-result.ts';
import type { AdminContext } from '../command/context.ts';

/** @param source where the name comes from, for messages */
export const requireRegion = (name: string, source: string) => {
  if (REGION_NAME.test(name)) return { name, source };
  throw new CommandFailure(`"${name}" (${source}) is not the name of a region, such as eu-west-2`);
};

/** As in `bin/app.ts`, before the name of the stage. */
const STACK_PREFIX = 'vehicle-verification-';

/** The stacks of the stages that have settings, as the end of a sentence; empty when there are none. */
export const knownStacks = async (stagesFolder: string): Promise<string> => {
  const files = await readdir(stagesFolder).catch(() => []);
  const stacks = files.flatMap((file) => (file.endsWith('.json') ? STACK_PREFIX + file.slice(0, -5) : []));
  return stacks.length === 0 ? '' : `; the stages here have the stacks ${stacks.sort().join(', ')}`;
};

const stageRegion = async (file: string, stagesFolder: string): Promise<string | undefined> => {
  const settings = await readFile(join(stagesFolder, file), 'utf8').catch(() => undefined);
  try {
    return settings && String(JSON.parse(settings).region);
  } catch (error) {
    throw new CommandFailure(`stages/${file} is not valid JSON`, { cause: error });
  }
};

/** @throws CommandFailure for a profile that does not exist; the SDK only says that it has no credentials */
export const requireProfile = async (profile: string | undefined, source: string): Promise<void> => {
  if (profile === undefined) return;
  const { configFile, credentialsFile } = await loadSharedConfigFiles();
  if (profile in configFile || profile in credentialsFile) return;
  throw new CommandFailure(
    `there is no AWS profile ${profile} (${source}): "aws configure list-profiles" shows those that there are`,
  );
};

export const findRegion = async (
  stack: string,
  given: string | undefined,
  profile = 'default',
  { env, stagesFolder }: AdminContext,
) => {
  const { configFile, credentialsFile } = await loadSharedConfigFiles();
  const file = `${stack.replace(STACK_PREFIX, '')}.json`;
  const sources = [
    [given, '--region'],
    [await stageRegion(file, stagesFolder), `stages/${file}`],
    [env.AWS_REGION, 'AWS_REGION'],
    [env.AWS_DEFAULT_REGION, 'AWS_DEFAULT_REGION'],
    [credentialsFile[profile]?.region ?? configFile[profile]?.region, `the profile ${profile}`],
  ] as const;
  const [name, source] = sources.find(([name]) => name) ?? [];
  if (name && source) return requireRegion(name, source);
  throw new CommandFailure(`name the region of the stack ${stack} with --region${await knownStacks(stagesFolder)}`);
};
