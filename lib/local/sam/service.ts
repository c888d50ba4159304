import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { LOCAL_TABLE_NAMES } from '../../../core/tables.ts';
import type { DemoKeys } from '../demo-keys.ts';
import { localEnvironment } from '../environment.ts';
import { CannotStart, explainListenError, type LocalOptions } from '../options.ts';
import { prepareSampleDatabase } from '../sample-database.ts';
import type { CleanUp } from './clean-up.ts';
import { bridgeGateway, engineAddress, removeContainers } from './docker.ts';
import { HOST_NAME, startReachableEngine } from './reachable-engine.ts';
import { type SamProcess, startSam } from './sam-process.ts';
import { type SynthesisedApp, synthesiseForSam } from './template.ts';
import { requireTools } from './tools.ts';

/** In the project, because not every Docker engine can mount the system's temporary folder. Ignored by git. */
const PARENT_FOLDER = join(import.meta.dirname, '../../../cdk.out');

/** The API in containers on this machine. */
export interface SamService {
  readonly origin: string;
  readonly dynamodb: string;
  readonly keys: DemoKeys;
  /** Resolves when SAM has ended, for whatever reason. */
  readonly ended: Promise<unknown>;
}

/** How to run it, and where it prints its progress. */
export interface SamOptions extends Pick<LocalOptions, 'port' | 'dynamodbPort' | 'allowedHosts'> {
  /** Further arguments for `sam local start-api`. */
  readonly samArguments: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly print: (line: string) => void;
}

/** @throws CannotStart when the port cannot be used */
const requireFreePort = async (port: number): Promise<void> => {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening').catch(explainListenError('PORT', port));
  server.close();
};

const createTemporaryFolder = async (cleanUp: CleanUp): Promise<string> => {
  const folder = join(PARENT_FOLDER, `sam-${process.pid}`);
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(folder, { recursive: true });
  return folder;
};

/**
 * Replaces the environment of the template, in which a table's name is its logical id and the endpoint is AWS. SAM replaces only
 * variables that the template declares.
 */
export const containerEnvironment = (endpoint: string): Record<string, string> => ({
  ...localEnvironment(endpoint, LOCAL_TABLE_NAMES),
  POWERTOOLS_LOG_LEVEL: 'ERROR',
  // Metrics are not collected here.
  POWERTOOLS_METRICS_NAMESPACE: '',
});

/** Writes the environment file of SAM and returns its path. */
const writeEnvironmentFile = async (folder: string, endpoint: string): Promise<string> => {
  const file = join(folder, 'environment.json');
  await writeFile(file, JSON.stringify({ Parameters: containerEnvironment(endpoint) }, null, 2));
  return file;
};

/** Makes the clean-up wait until this work has ended, in success or failure. */
const uninterrupted = <Result>(work: Promise<Result>, cleanUp: CleanUp): Promise<Result> => {
  cleanUp.defer(async () => {
    await work.catch(() => undefined);
  });
  return work;
};

/** Containers get dummy credentials, never those of this shell. */
const samEnvironment = async (env: NodeJS.ProcessEnv, dynamodb: string): Promise<NodeJS.ProcessEnv> => {
  const { AWS_PROFILE: _profile, AWS_SESSION_TOKEN: _token, ...rest } = env;
  const DOCKER_HOST = await engineAddress(env);
  return { ...rest, ...localEnvironment(dynamodb, LOCAL_TABLE_NAMES), DOCKER_HOST, SAM_CLI_TELEMETRY: '0' };
};

const samArguments = (template: string, environmentFile: string, { port, samArguments }: SamOptions): string[] => [
  ...['--template', template, '--env-vars', environmentFile, '--port', String(port)],
  ...['--add-host', `${HOST_NAME}:host-gateway`],
  // One container per function, reused between requests as in Lambda. The files never change, so none are watched.
  ...['--warm-containers', 'LAZY', '--no-watch'],
  ...samArguments,
];

const runSam = (
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { assets }: SynthesisedApp,
  { print }: SamOptions,
  cleanUp: CleanUp,
): SamProcess => {
  if (cleanUp.hasStarted) throw new CannotStart('Stopped.');
  const sam = startSam(args, env, print);
  const remove = () => removeContainers(assets, env);
  // Runs from last to first: SAM takes three seconds to remove each container, so they are removed before it stops, and
  // those that it started meanwhile after it has stopped.
  cleanUp.defer(remove);
  cleanUp.defer(sam.stop);
  cleanUp.defer(remove);
  return sam;
};

/**
 * Starts database and SAM, and adds how to end each to `cleanUp`, so that the start can be interrupted at any time.
 * @throws CannotStart with a message for the person who started it
 */
export const startSamService = async (options: SamOptions, cleanUp: CleanUp): Promise<SamService> => {
  const { env, port, print } = options;
  await requireTools(env);
  await requireFreePort(port);
  const engine = await startReachableEngine(await bridgeGateway(env), options.dynamodbPort, options.allowedHosts);
  cleanUp.defer(engine.close);
  const keys = await prepareSampleDatabase(engine.endpoint);
  const folder = await createTemporaryFolder(cleanUp);
  print('Synthesising the stack …');
  const app = await uninterrupted(synthesiseForSam(folder, env), cleanUp);
  const environmentFile = await writeEnvironmentFile(folder, `http://${HOST_NAME}:${new URL(engine.endpoint).port}`);
  print('Starting SAM …');
  const environment = await samEnvironment(env, engine.endpoint);
  const sam = runSam(samArguments(app.template, environmentFile, options), environment, app, options, cleanUp);
  await sam.running;
  return { origin: `http://127.0.0.1:${port}`, dynamodb: engine.endpoint, keys, ended: sam.ended };
};
