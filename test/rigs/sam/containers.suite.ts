import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { blackBoxTests } from '../../black-box/all-tests.ts';
import { adminProcess, createKey, prepareTarget } from '../../black-box/prepare-target.ts';
import { freePort } from '../../support/free-port.ts';
import { type OpenHttpCaller, openHttpCaller } from '../../support/http-caller.ts';
import { type Program, startProgram } from '../../support/program.ts';
import { pythonTools } from '../../support/python-tools.ts';
import { runCommand } from '../../support/run-command.ts';
import { type DockerEngine, requireDocker } from './docker-engine.ts';

// The first run builds for minutes. This only ends a run that hangs.
jest.setTimeout(1_200_000);

const ROOT = join(import.meta.dirname, '../../..');
const SAM = [join(ROOT, 'bin', 'sam.ts'), '--skip-pull-image'];

let docker: DockerEngine;
let env: NodeJS.ProcessEnv;
let sam: Program;
let origin: string;
let dynamodb: string;
let api: OpenHttpCaller;

beforeAll(async () => {
  const programs = pythonTools(join(import.meta.dirname, 'requirements.txt'), 'sam');
  docker = await requireDocker();
  const ports = { PORT: String(await freePort()), DYNAMODB_PORT: String(await freePort()) };
  env = { ...docker.env, ...ports, PATH: [programs, docker.env.PATH].join(delimiter) };
  sam = startProgram(process.execPath, SAM, env);
  const output = await sam.printed(/^Ready\./m);
  origin = /Base address +(http:\/\/[^/]+)/.exec(output)?.[1] ?? '';
  dynamodb = /DynamoDB +(http:\S+)/.exec(output)?.[1] ?? '';
  api = openHttpCaller({ origin, keys: await prepareTarget(admin(), new Date()) });
});
afterAll(async () => {
  api?.close();
  await sam?.stop();
  await docker?.stop();
});

const admin = () => adminProcess(['--dynamodb', dynamodb], process.env);

describe('The functions in Lambda containers, by npm run sam', () => blackBoxTests(() => api));

describe('The two commands of docs/sam-local.md', () => {
  it('serve a request with a key from the database that the environment file names', async () => {
    const document = readFileSync(join(ROOT, 'docs/sam-local.md'), 'utf8');
    const [, variables = ''] = /```json\n(.*?)```/s.exec(document) ?? [];
    const [, synth = '', start = ''] = /```sh\n(npx cdk synth.*?)\n(sam local.*?)\n```/s.exec(document) ?? [];
    await runCommand('sh', ['-c', process.arch === 'arm64' ? synth.replace(/ -c \S+/, '') : synth], { env, cwd: ROOT });
    const { key } = await createKey(admin(), 'free');
    const folder = await mkdtemp(join(tmpdir(), 'sam-'));
    const file = join(folder, 'environment.json');
    await writeFile(file, variables.replace(':8000', `:${new URL(dynamodb).port}`));
    const port = await freePort();
    const command = `exec ${start.replace('environment.json', file)} --skip-pull-image --port ${port}`;
    const plain = startProgram('sh', ['-c', command], env);
    try {
      await plain.printed(/Running on http/);
      const response = await fetch(`http://127.0.0.1:${port}/v1/usage`, { headers: { 'X-API-Key': key } });
      expect([response.status, await response.json()]).toMatchObject([200, { key: { plan: 'free' } }]);
    } finally {
      await plain.stop();
      await rm(folder, { recursive: true });
    }
  });
});

describe('npm run sam', () => {
  // Last, because it stops what the other tests use.
  it('stops and leaves no server, no container and no file', async () => {
    expect(await sam.stop()).toBe(0);
    for (const address of [origin, dynamodb]) await expect(fetch(address)).rejects.toThrow();
    const filter = ['--filter', 'label=sam.cli.container.type=lambda'];
    expect(await runCommand('docker', ['ps', '--all', '--quiet', ...filter], { env })).toBe('');
    expect(readdirSync(join(ROOT, 'cdk.out')).filter((name) => name.startsWith('sam-'))).toEqual([]);
  });
});
