import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CleanUp } from '../../lib/local/sam/clean-up.ts';
import { type OpenApi, openApi } from '../black-box/api.ts';
import { apiTests } from '../black-box/api-tests.ts';
import { adminProcess, prepareTarget } from '../black-box/prepare-target.ts';
import { freePort } from '../support/free-port.ts';
import { pythonTools } from '../support/python-tools.ts';
import { runCommand } from '../support/run-command.ts';
import { requireBaseImage } from './base-image.ts';
import { requireEngine } from './docker-engine.ts';
import { startPlainSam } from './plain-sam.ts';
import { type SamRun, startSamRun } from './sam-run.ts';

/*
 * Brings SAM CLI, a Docker engine where none answers, and AN IMAGE OF OURS in place of AWS's base image where that has not
 * been pulled (base-image.ts). Needs Python with venv; root on Debian for what has to be installed.
 */

// The first run builds for minutes: this only ends one that hangs.
jest.setTimeout(1_200_000);

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'bin', 'sam.ts');
const CANNOT_START = 2;

const cleanUp = new CleanUp();
let env: NodeJS.ProcessEnv;
let sam: SamRun;
let api: OpenApi;

beforeAll(async () => {
  const programs = pythonTools(join(import.meta.dirname, 'requirements.txt'), 'sam');
  const engine = await requireEngine(cleanUp);
  process.stdout.write(`The functions run on ${await requireBaseImage(engine, cleanUp)}.\n`);
  const ports = { PORT: String(await freePort()), DYNAMODB_PORT: String(await freePort()) };
  env = { ...engine, ...ports, PATH: [programs, engine.PATH].join(delimiter) };
  sam = await startSamRun(env, cleanUp);
  const keys = await prepareTarget(adminProcess(['--dynamodb', sam.dynamodb], process.env), new Date());
  api = openApi({ origin: sam.origin, keys });
});
afterAll(async () => {
  api?.close();
  await cleanUp.run();
});

describe('The functions in Lambda containers, by npm run sam', () => apiTests(() => api));

describe('cdk synth and sam local start-api, without npm run sam', () => {
  it('reject a request without a key, for which they need no database', async () => {
    const plain = await startPlainSam(env);
    const response = await fetch(`${plain.origin}/v1/vehicle/AB12CDE/insurance`);
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHORIZED' },
    });
    await plain.stop();
  });
});

describe('npm run sam', () => {
  const errorOf = (environment: NodeJS.ProcessEnv): string => {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM], { env: environment, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: CANNOT_START, stderr: expect.not.stringMatching(/^\s+at /m) });
    return stderr;
  };

  it('names the programs that are missing and where to get them', () => {
    const error = errorOf({ PATH: dirname(process.execPath) });
    expect(error).toMatch(/SAM CLI is not installed\. Get it/);
    expect(error).toMatch(/Docker is not installed\. Get it/);
  });

  it('reports that no Docker engine answers', () => {
    expect(errorOf({ ...env, DOCKER_HOST: 'unix:///nowhere' })).toMatch(/no engine answers\. Start/);
  });

  it('reports a port that is in use before it starts anything', () => {
    expect(errorOf({ ...env, PORT: new URL(sam.origin).port })).toMatch(/^Port \d+ is taken; set PORT/m);
  });

  // Last: it ends what the others use.
  it('stops and leaves no server, no container and no file', async () => {
    expect(await sam.stop()).toBe(0);
    for (const address of [sam.origin, sam.dynamodb]) await expect(fetch(address)).rejects.toThrow();
    const filter = ['--filter', 'label=sam.cli.container.type=lambda'];
    expect(await runCommand('docker', ['ps', '--all', '--quiet', ...filter], { env })).toBe('');
    expect(readdirSync(join(ROOT, 'cdk.out')).filter((name) => name.startsWith('sam-'))).toEqual([]);
  });
});
