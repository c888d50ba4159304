import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import { blackBoxTests } from '../../black-box/all-tests.ts';
import { type OpenHttpCaller, openHttpCaller } from '../../black-box/http-caller.ts';
import { adminProcess, prepareTarget } from '../../black-box/prepare-target.ts';
import { type Program, runCommand, startProgram } from '../../support/program.ts';
import { CACHE, pythonTools } from '../python-tools.ts';

const BRIDGE = 'docker0';
const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'x86_64';
/** The image that SAM CLI uses, and the one that it builds from it. */
const BASE_IMAGE = `public.ecr.aws/lambda/nodejs:24-${ARCHITECTURE}`;
const IMAGE_OF_SAM = `public.ecr.aws/lambda/nodejs:24-rapid-${ARCHITECTURE}`;

/** A Docker engine with a base image, as the environment that names it. */
interface DockerEngine {
  readonly env: NodeJS.ProcessEnv;
  /** Stops and removes what this test started. */
  readonly stop: () => Promise<unknown>;
}

const succeeds = (command: string, args: readonly string[], env = process.env): Promise<boolean> =>
  runCommand(command, args, { env }).then(
    () => true,
    () => false,
  );

/** Also works inside another container: no firewall rules, no forwarding, no overlay. */
const startOwn = async (): Promise<DockerEngine> => {
  const folder = await mkdtemp(join(tmpdir(), 'docker-'));
  const hadBridge = existsSync(`/sys/class/net/${BRIDGE}`);
  const host = `unix://${join(folder, 'socket')}`;
  const places = ['data-root', 'exec-root', 'pidfile'].flatMap((name) => [`--${name}`, join(folder, name)]);
  const network = ['--iptables=false', '--ip6tables=false', '--ip-forward=false'];
  const engine = startProgram('dockerd', ['--host', host, ...places, ...network, '--storage-driver=vfs'], process.env);
  const stop = async () => {
    await engine.stop();
    if (!hadBridge) await runCommand('ip', ['link', 'delete', BRIDGE]);
    await rm(folder, { recursive: true });
  };
  await engine.printed(/API listen on/);
  return { env: { ...process.env, DOCKER_HOST: host }, stop };
};

/** The running Docker engine, or a new one; with AWS's base image if it was pulled, otherwise with a substitute. */
const requireDocker = async (): Promise<DockerEngine> => {
  const engine = (await succeeds('docker', ['version']))
    ? { env: process.env, stop: async () => {} }
    : await startOwn();
  const { env } = engine;
  if (await succeeds('docker', ['image', 'inspect', BASE_IMAGE], env)) return engine;
  const removeImages = () => succeeds('docker', ['image', 'rm', '--force', IMAGE_OF_SAM, BASE_IMAGE], env);
  await removeImages();
  await runCommand(join(import.meta.dirname, 'build-base-image'), [BASE_IMAGE, CACHE], { env });
  process.stdout.write("The functions run on a stand-in of ours for AWS's base image.\n");
  const stop = async () => {
    await removeImages();
    await engine.stop();
  };
  return { env, stop };
};

// The first run builds for minutes. This only ends a run that hangs.
jest.setTimeout(1_200_000);

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/testing.md'), 'utf8').replaceAll('\\\n', '');
const documented = (start: string): string => new RegExp(`^${start}.*$`, 'm').exec(PAGE)?.[0] ?? 'false';

let docker: DockerEngine;
let service: Program;
let sam: Program;
let api: OpenHttpCaller;

const start = (command: string, env: NodeJS.ProcessEnv) => startProgram('sh', ['-c', `exec ${command}`], env);

beforeAll(async () => {
  const programs = await pythonTools('sam', 'aws-sam-cli==1.170.0');
  docker = await requireDocker();
  const env = { ...docker.env, SAM_CLI_TELEMETRY: '0', PATH: [programs, docker.env.PATH].join(delimiter) };
  service = start(documented('npm start'), env);
  const output = await service.printed(/^Ready\./m);
  const [, dynamodb = ''] = /DynamoDB +(http:\S+)/.exec(output) ?? [];
  const keys = await prepareTarget(adminProcess(['--dynamodb', dynamodb], process.env), new Date());
  const synthesise = documented('npx cdk synth');
  await runCommand('sh', ['-c', process.arch === 'arm64' ? synthesise.replace(/ -c \S+/, '') : synthesise], { env });
  // An image that was built here, or pulled before, is not pulled again.
  sam = start(`${documented('sam local start-api')} --skip-pull-image`, env);
  const [, origin = ''] = /Running on (http:\S+)/.exec(await sam.printed(/Running on http:\S+\s/)) ?? [];
  api = openHttpCaller({ origin, keys });
});
afterAll(async () => {
  api?.close();
  await sam?.stop();
  await service?.stop();
  await docker?.stop();
});

describe('The functions in Lambda containers, by the commands of docs/testing.md#in-lambdas-containers', () => {
  blackBoxTests(() => api);
});
