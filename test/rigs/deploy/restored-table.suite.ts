import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Admin, adminProcess, prepareTarget } from '../../black-box/prepare-target.ts';
import { type OpenHttpCaller, openHttpCaller } from '../../support/http-caller.ts';
import { pythonTools } from '../../support/python-tools.ts';
import { cdk, deployProd, environmentFor } from './cloud-development-kit.ts';
import { deployedStack } from './deployed-stack.ts';
import { documentedCommands, runDocumented } from './documented-commands.ts';
import { type Emulator, startMinistack } from './ministack.ts';

// A deployment on a busy machine: this only ends one that hangs.
jest.setTimeout(600_000);

const STACK = 'vehicle-verification-prod';
/** The name of the restored table in docs/operations.md. */
const RESTORED = 'vehicles-20261120';
const SETTINGS = join(import.meta.dirname, '../../../stages/prod.json');
const [LOST, ERASED] = ['AB12CDE', 'BD51SMR'];

let folder: string;
let emulator: Emulator;
let env: NodeJS.ProcessEnv;
let stack: ReturnType<typeof deployedStack>;
let admin: Admin;
let api: OpenHttpCaller;
let ownTable: string;

const statuses = () =>
  Promise.all([LOST, ERASED].map(async (key) => (await api.call('GET', `/v1/vehicle/${key}/insurance`)).status));

const deployWith = async (tables: Readonly<Record<string, string>> | undefined): Promise<void> => {
  const settings = JSON.parse(await readFile(SETTINGS, 'utf8'));
  await writeFile(join(folder, 'prod.json'), JSON.stringify({ ...settings, tables }));
  await deployProd(env, join(folder, 'prod'), '-c', `stages=${folder}`, '-c', 'atOnce=true');
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restored-table-'));
  const programs = pythonTools(join(import.meta.dirname, 'requirements.txt'), 'ministack');
  emulator = await startMinistack(programs, folder);
  const shell = environmentFor(emulator.endpoint, join(folder, 'cdk-home'));
  env = { ...shell, PATH: `${programs}:${shell.PATH}` };
  stack = deployedStack(STACK, emulator.endpoint);
  await cdk(env)('bootstrap', '-c', 'stage=prod', '--output', join(folder, 'prod'));
  await deployWith(undefined);
  admin = adminProcess(['--stack', STACK, '--yes', STACK], env);
  api = openHttpCaller({
    origin: emulator.endpoint,
    host: await stack.apiHost(),
    keys: await prepareTarget(admin, new Date()),
  });
  ownTable = await stack.tableName('vehicles');
});
afterAll(async () => {
  api?.close();
  await emulator?.stop();
  await rm(folder, { recursive: true });
});

// In this order: each test finds the stack as the one before it left it.
describe('A restored table of vehicles, named by the setting `tables`', () => {
  it('can be used after the documented commands, erased vehicles left out', async () => {
    const commands = documentedCommands('Restore', RESTORED);
    const names = {
      VEHICLES_TABLE: ownTable,
      [STACK]: `${STACK} --yes ${STACK}`,
      'erased.txt': join(folder, 'erased.txt'),
    };
    const isThere = commands.findIndex((command) => command.startsWith('aws dynamodb wait')) + 1;
    await runDocumented(commands.slice(0, isThere), names, env);
    await writeFile(join(folder, 'erased.txt'), `${ERASED}\n`);
    await admin('remove', 'vehicles', '--registration', LOST);
    expect(await runDocumented(commands.slice(isThere), names, env)).toMatch(/vehicles-20261120 +can be used/);
    expect(await statuses()).toEqual([404, 200]);
  });

  it('answers once the setting is deployed, while the own table is kept', async () => {
    await deployWith({ vehicles: RESTORED });
    expect(await stack.tableName('vehicles')).toBe(RESTORED);
    expect(await statuses()).toEqual([200, 404]);
    expect(await admin('lookup', LOST)).toMatch(LOST);
    await expect(admin('tables', 'check', 'vehicles', '--tables', `vehicles=${ownTable}`)).resolves.toMatch(
      'can be used',
    );
  });

  it('answers no more once the setting is taken back', async () => {
    await deployWith(undefined);
    expect(await stack.tableName('vehicles')).toBe(ownTable);
    expect(await statuses()).toEqual([404, 200]);
  });
});
