import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCAL_TABLE_NAMES } from '../../../functions/tables.ts';
import type { DemoKeys } from '../demo-keys.ts';
import { localEnvironment } from '../environment.ts';
import { CannotStart, type LocalOptions } from '../options.ts';
import { fillDatabase } from '../sample-database.ts';
import type { CleanUp } from './clean-up.ts';
import { bridgeGateway, engineAddress, removeContainers } from './docker.ts';
import { writeEnvironmentFile } from './environment-file.ts';
import { requireFreePort } from './free-port.ts';
import { requireTools } from './prerequisites.ts';
import { HOST_NAME, startReachableEngine } from './reachable-engine.ts';
import { type SamProcess, startSam } from './sam-process.ts';
import { type SynthesisedApp, synthesiseForSam } from './template.ts';

/** Ignored by git, and in the project, since not every Docker engine can mount the system's temporary folder. */
const SCRATCH = join(import.meta.dirname, '../../../cdk.out');

/** The API in containers, on this machine. */
export interface SamService {
  readonly origin: string;
  readonly dynamodb: string;
  readonly keys: DemoKeys;
  /** Resolves when SAM has ended, asked or not. */
  readonly ended: Promise<unknown>;
}

/** How to run it, and where it says what happens. */
export interface SamOptions extends Pick<LocalOptions, 'port' | 'dynamodbPort' | 'allowedHosts'> {
  /** Further arguments for `sam local start-api`. */
  readonly samArguments: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
}

const makeScratch = async (cleanUp: CleanUp): Promise<string> => {
  const folder = join(SCRATCH, `sam-${process.pid}`);
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(folder, { recursive: true });
  return folder;
};

/** Nothing is cleaned up before this work has come to its end, good or bad. */
const uninterrupted = <Result>(work: Promise<Result>, cleanUp: CleanUp): Promise<Result> => {
  cleanUp.defer(async () => {
    await work.catch(() => undefined);
  });
  return work;
};

/** Containers see dummy credentials, never those of whoever starts them. */
const samEnvironment = async (env: NodeJS.ProcessEnv, dynamodb: string): Promise<NodeJS.ProcessEnv> => {
  const { AWS_PROFILE: _profile, AWS_SESSION_TOKEN: _token, ...rest } = env;
  const DOCKER_HOST = await engineAddress(env);
  return { ...rest, ...localEnvironment(dynamodb, LOCAL_TABLE_NAMES), DOCKER_HOST, SAM_CLI_TELEMETRY: '0' };
};

const samArguments = (template: string, environmentFile: string, { port, samArguments }: SamOptions): string[] => [
  ...['--template', template, '--env-vars', environmentFile, '--port', String(port)],
  ...['--add-host', `${HOST_NAME}:host-gateway`],
  // A container per function, kept between requests, as Lambda does; nothing in the scratch folder ever changes.
  ...['--warm-containers', 'LAZY', '--no-watch'],
  ...samArguments,
];

const runSam = (
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { assets }: SynthesisedApp,
  { say }: SamOptions,
  cleanUp: CleanUp,
): SamProcess => {
  // Once it is being stopped, nothing new may start.
  if (cleanUp.begun) throw new CannotStart('Stopped.');
  const sam = startSam(args, env, say);
  const remove = () => removeContainers(assets, env);
  // From last to first. SAM's own way takes three seconds for each container; what it began meanwhile goes after it.
  cleanUp.defer(remove);
  cleanUp.defer(sam.stop);
  cleanUp.defer(remove);
  return sam;
};

/**
 * Starts database, data and SAM, and puts the end of each on `cleanUp`, so that it can be ended at any time.
 * @throws CannotStart in words for the person who asked
 */
export const startSamService = async (options: SamOptions, cleanUp: CleanUp): Promise<SamService> => {
  const { env, port, say } = options;
  await requireTools(env);
  await requireFreePort(port);
  const engine = await startReachableEngine(await bridgeGateway(env), options.dynamodbPort, options.allowedHosts);
  cleanUp.defer(engine.close);
  const keys = await fillDatabase(engine.endpoint, new Date());
  const folder = await makeScratch(cleanUp);
  say('Synthesising the stack …');
  const app = await uninterrupted(synthesiseForSam(folder, env), cleanUp);
  const environmentFile = await writeEnvironmentFile(folder, `http://${HOST_NAME}:${new URL(engine.endpoint).port}`);
  say('Starting SAM …');
  const environment = await samEnvironment(env, engine.endpoint);
  const sam = runSam(samArguments(app.template, environmentFile, options), environment, app, options, cleanUp);
  await sam.running;
  return { origin: `http://127.0.0.1:${port}`, dynamodb: engine.endpoint, keys, ended: sam.ended };
};
