import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import { blackBoxTests } from '../../black-box/all-tests.ts';
import { adminProcess, prepareTarget } from '../../black-box/prepare-target.ts';
import { type OpenHttpCaller, openHttpCaller } from '../../support/http-caller.ts';
import { type Program, startProgram } from '../../support/program.ts';
import { pythonTools } from '../../support/python-tools.ts';
import { runCommand } from '../../support/run-command.ts';
import { documentedCommands } from '../deploy/documented-commands.ts';
import { type DockerEngine, requireDocker } from './docker-engine.ts';

// The first run builds for minutes. This only ends a run that hangs.
jest.setTimeout(1_200_000);

const commandsWith = (text: string) => documentedCommands('Start', text, 'docs/sam-local.md');
const [startService = ''] = commandsWith('npm start');
const [synthesise = '', startApi = ''] = commandsWith('sam local');

let docker: DockerEngine;
let service: Program;
let sam: Program;
let api: OpenHttpCaller;

const start = (command: string, env: NodeJS.ProcessEnv) => startProgram('sh', ['-c', `exec ${command}`], env);

beforeAll(async () => {
  const programs = pythonTools(join(import.meta.dirname, 'requirements.txt'), 'sam');
  docker = await requireDocker();
  const env = { ...docker.env, SAM_CLI_TELEMETRY: '0', PATH: [programs, docker.env.PATH].join(delimiter) };
  service = start(startService, env);
  const output = await service.printed(/^Ready\./m);
  const [, dynamodb = ''] = /DynamoDB +(http:\S+)/.exec(output) ?? [];
  const keys = await prepareTarget(adminProcess(['--dynamodb', dynamodb], process.env), new Date());
  const forThisMachine = process.arch === 'arm64' ? synthesise.replace(/ -c \S+/, '') : synthesise;
  await runCommand('sh', ['-c', forThisMachine], { env });
  // An image that was built here, or pulled before, is not pulled again.
  sam = start(`${startApi} --skip-pull-image`, env);
  const [, origin = ''] = /Running on (http:\S+)/.exec(await sam.printed(/Running on http:\S+\s/)) ?? [];
  api = openHttpCaller({ origin, keys });
});
afterAll(async () => {
  api?.close();
  await sam?.stop();
  await service?.stop();
  await docker?.stop();
});

describe('The functions in Lambda containers, by the commands of docs/sam-local.md', () => {
  blackBoxTests(() => api);
});
