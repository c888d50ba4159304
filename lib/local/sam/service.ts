import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { LOCAL_TABLE_NAMES } from '../../../core/tables.ts';
import { localEnvironment } from '../environment.ts';
import { CannotStart, type LocalOptions } from '../options.ts';
import { prepareSampleDatabase } from '../sample-database.ts';
import { startBanner } from '../start-banner.ts';
import { bridgeGateway, HOST_NAME, removeContainers, runTool, startReachableEngine } from './docker.ts';

const ROOT = join(import.meta.dirname, '../../..');
const TEMPLATE = 'vehicle-verification-dev.template.json';
const RUNNING = /Running on http/;
/** SAM CLI prints this harmless warning for every resource of a CDK template. */
const NOISE = /^Cannot detect function id from aws:cdk:path/;

/** Synthesises the app for this machine's architecture. Returns the folders of the bundles, which the containers mount. */
const synthesise = async (folder: string, env: NodeJS.ProcessEnv): Promise<string[]> => {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64';
  const options = ['--quiet', '--no-notices', '-c', `architecture=${architecture}`, '--output', folder];
  await runTool(process.execPath, [join(ROOT, 'node_modules/aws-cdk/bin/cdk'), 'synth', ...options], env);
  const assets = (await readdir(folder)).filter((name) => name.startsWith('asset.')).map((name) => join(folder, name));
  for (const asset of assets) {
    await rename(join(asset, 'index.js'), join(asset, 'bundle.js'));
    await copyFile(join(import.meta.dirname, 'sam-handler.cjs'), join(asset, 'index.js'));
  }
  return assets;
};

/** Variables to replace the template's, where table names are logical ids and the endpoint is that of AWS. */
const variablesOf = (dynamodb: string): Record<string, string> => ({
  ...localEnvironment(`http://${HOST_NAME}:${new URL(dynamodb).port}`, LOCAL_TABLE_NAMES),
  POWERTOOLS_LOG_LEVEL: 'ERROR',
  POWERTOOLS_METRICS_NAMESPACE: '',
});

/** Containers get dummy credentials, never those of this shell. SAM CLI does not read Docker contexts. */
const samEnvironment = async (env: NodeJS.ProcessEnv, dynamodb: string): Promise<NodeJS.ProcessEnv> => ({
  ...env,
  ...localEnvironment(dynamodb, LOCAL_TABLE_NAMES),
  AWS_PROFILE: undefined,
  AWS_SESSION_TOKEN: undefined,
  SAM_CLI_TELEMETRY: '0',
  DOCKER_HOST: await runTool('docker', ['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'], env),
});

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Runs `sam local start-api` until it ends or is stopped. @throws CannotStart when it ends by itself */
const startApi = async (args: string[], env: NodeJS.ProcessEnv, signal: AbortSignal, banner: string): Promise<void> => {
  if (signal.aborted) return;
  // In its own process group, which Ctrl-C does not reach: SAM CLI would take three seconds to remove each container.
  const sam = spawn('sam', ['local', 'start-api', ...args], {
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  signal.addEventListener('abort', () => sam.kill('SIGKILL'));
  createInterface({ input: sam.stderr }).on('line', (line) => {
    if (!NOISE.test(line)) print(line);
    if (RUNNING.test(line)) print(banner);
  });
  await once(sam, 'close');
  if (!signal.aborted) throw new CannotStart('sam local has ended.');
};

/**
 * Runs the API in Lambda containers until `signal` stops it, then stops everything that it started.
 * @param samArguments further arguments for `sam local start-api`
 * @throws CannotStart with a message for the person who started it
 */
export const runSamLocal = async (
  { port, dynamodbPort, allowedHosts = [] }: LocalOptions,
  samArguments: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<void> => {
  await runTool('sam', ['--version'], env);
  const engine = await startReachableEngine(await bridgeGateway(env), dynamodbPort, allowedHosts);
  // In the project, because not every Docker engine can mount the system's temporary folder. Ignored by git.
  const folder = join(ROOT, 'cdk.out', `sam-${process.pid}`);
  let assets: string[] = [];
  try {
    const origin = `http://127.0.0.1:${port}`;
    const keys = await prepareSampleDatabase(engine.endpoint);
    const banner = startBanner({
      title: 'Vehicle verification API, in Lambda containers',
      origin,
      addresses: Object.entries({ 'Base address': `${origin}/v1`, DynamoDB: engine.endpoint }),
      keys,
      heading: 'Try (the first request to each endpoint starts its container)',
      requests: [`curl -s -H 'X-API-Key: ${keys.free}' ${origin}/v1/vehicle/AB12CDE/insurance`],
    });
    print('Synthesising the stack …');
    assets = await synthesise(folder, env);
    const environmentFile = join(folder, 'environment.json');
    await writeFile(environmentFile, JSON.stringify({ Parameters: variablesOf(engine.endpoint) }));
    const files = ['--template', join(folder, TEMPLATE), '--env-vars', environmentFile];
    const containers = ['--add-host', `${HOST_NAME}:host-gateway`, '--warm-containers', 'LAZY', '--no-watch'];
    const args = [...files, '--port', String(port), ...containers, ...samArguments];
    await startApi(args, await samEnvironment(env, engine.endpoint), signal, banner);
  } catch (error) {
    // Ctrl-C also interrupts the synthesis, which then fails.
    if (!signal.aborted) throw error;
  } finally {
    await engine.close();
    await rm(folder, { recursive: true, force: true });
    await removeContainers(assets, env);
  }
};
