import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { LOCAL_TABLE_NAMES } from '../../../core/tables.ts';
import { localEnvironment } from '../environment.ts';
import { CannotStart, type LocalOptions } from '../options.ts';
import { prepareSampleDatabase } from '../sample-database.ts';
import { startBanner } from '../start-banner.ts';
import { bridgeGateway, HOST_NAME, runTool, startReachableEngine } from './docker.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Runs `sam local start-api` until `signal` kills it. @throws the signal's error; CannotStart if it ends itself */
const startApi = async (args: string[], env: NodeJS.ProcessEnv, signal: AbortSignal, banner: string): Promise<void> => {
  // In a process group that Ctrl-C does not reach: SAM CLI would take three seconds to remove each container.
  const killed = { detached: true, signal, killSignal: 'SIGKILL' } as const;
  const sam = spawn('sam', ['local', 'start-api', ...args], { env, stdio: ['ignore', 'inherit', 'pipe'], ...killed });
  createInterface({ input: sam.stderr }).on('line', (line) => {
    // SAM CLI warns so of every resource of a CDK template.
    if (!line.startsWith('Cannot detect function id from aws:cdk:path')) process.stdout.write(`${line}\n`);
    if (line.includes('Running on http')) process.stdout.write(`${banner}\n`);
  });
  await once(sam, 'close');
  throw new CannotStart('sam local has ended.');
};

/** Removes the containers that have a part of this folder mounted. */
const removeContainers = async (folder: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const list = await runTool('docker', ['ps', '--all', '--no-trunc', '--format', '{{.ID}} {{.Mounts}}'], env);
  const ids = list.split('\n').flatMap((line) => (line.includes(`${folder}/`) ? line.slice(0, line.indexOf(' ')) : []));
  if (ids.length > 0) await runTool('docker', ['rm', '--force', ...ids], env);
};

/**
 * Runs the API in Lambda containers until `signal` stops it, then stops everything that it started.
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
  try {
    const origin = `http://127.0.0.1:${port}`;
    const keys = await prepareSampleDatabase(engine.endpoint);
    const banner = startBanner({ origin, dynamodb: engine.endpoint, keys }, true);
    process.stdout.write('Synthesising the stack …\n');
    const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64';
    const synth = ['synth', '--quiet', '--no-notices', '-c', `architecture=${architecture}`, '--output', folder];
    await runTool(process.execPath, [join(ROOT, 'node_modules/aws-cdk/bin/cdk'), ...synth], env);
    // The template has logical ids as table names, and the endpoint of AWS.
    const variables = localEnvironment(`http://${HOST_NAME}:${new URL(engine.endpoint).port}`, LOCAL_TABLE_NAMES);
    const quiet = { POWERTOOLS_LOG_LEVEL: 'ERROR', POWERTOOLS_METRICS_NAMESPACE: '' };
    const variablesFile = join(folder, 'environment.json');
    await writeFile(variablesFile, JSON.stringify({ Parameters: { ...variables, ...quiet } }));
    const template = join(folder, 'vehicle-verification-dev.template.json');
    const files = ['--template', template, '--env-vars', variablesFile, '--port', String(port)];
    const containers = ['--add-host', `${HOST_NAME}:host-gateway`, '--warm-containers', 'LAZY', '--no-watch'];
    // Containers get dummy credentials, never this shell's. SAM CLI does not read Docker contexts.
    const withoutCredentials = { ...env, ...variables, AWS_PROFILE: undefined, AWS_SESSION_TOKEN: undefined };
    const host = await runTool('docker', ['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'], env);
    const samEnvironment = { ...withoutCredentials, SAM_CLI_TELEMETRY: '0', DOCKER_HOST: host };
    await startApi([...files, ...containers, ...samArguments], samEnvironment, signal, banner);
  } catch (error) {
    // Ctrl-C also interrupts the synthesis, which then fails.
    if (!signal.aborted) throw error;
  } finally {
    await engine.close();
    await rm(folder, { recursive: true, force: true });
    await removeContainers(folder, env);
  }
};
