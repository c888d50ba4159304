import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EXIT } from '../../lib/admin/command/outcome.ts';
import { type OpenApi, openApi } from '../black-box/api.ts';
import { apiTests } from '../black-box/api-tests.ts';
import { type Admin, adminProcess, prepareTarget } from '../black-box/prepare-target.ts';
import { vehicleTests } from '../black-box/vehicles.ts';
import { pythonTools } from '../support/python-tools.ts';
import { cdk, environmentFor } from './cloud-development-kit.ts';
import { deployedStack } from './deployed-stack.ts';
import { type Emulator, startMinistack } from './ministack.ts';
import { type RestoringOperator, restoringOperator } from './restore.ts';

// A deployment on a busy machine: this only ends one that hangs.
jest.setTimeout(600_000);

const STACK = 'vehicle-verification-dev';
const SAMPLES = join(import.meta.dirname, '../fixtures/samples');

let folder: string;
let emulator: Emulator;
let env: NodeJS.ProcessEnv;
let run: ReturnType<typeof cdk>;
let stack: ReturnType<typeof deployedStack>;
let admin: Admin;
let api: OpenApi;
let operator: RestoringOperator;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deploy-'));
  const programs = pythonTools(join(import.meta.dirname, 'requirements.txt'), 'ministack');
  emulator = await startMinistack(programs, folder);
  env = environmentFor(emulator.endpoint);
  run = cdk(env, join(folder, 'cdk.out'));
  stack = deployedStack(STACK, emulator.endpoint);
  await run('bootstrap');
  await run('deploy', '--require-approval', 'never');
  admin = adminProcess(['--stack', STACK], env);
  const keys = await prepareTarget(admin, new Date());
  api = openApi({ origin: emulator.endpoint, host: await stack.apiHost(), keys });
  const names = {
    CONTENT_TABLE: await stack.tableName('content'),
    KEYS_TABLE: await stack.tableName('keys'),
    NAME: 'left-behind-keys',
    'vehicle-verification-prod': STACK,
    'restored.ndjson': join(folder, 'restored.ndjson'),
  };
  operator = restoringOperator(names, { ...env, PATH: `${programs}:${env.PATH}` });
});
afterAll(async () => {
  api?.close();
  await emulator?.stop();
  await rm(folder, { recursive: true });
});

// In this order: each test finds the stack as the one before it left it.
describe('The stack, deployed with the cdk command to an AWS emulator', () => {
  it('is created', async () => {
    expect(await stack.status()).toBe('CREATE_COMPLETE');
  });

  it.each([
    ['vehicles', 'vehicles.csv', / +81 +60 +12 /],
    ['compliance', 'compliance.ndjson', / +57 +57 +0 /],
  ])('accepts an import of %s through --stack', async (kind, name, table) => {
    const file = join(folder, name);
    await copyFile(join(SAMPLES, name), file);
    const importing = adminProcess(['--stack', STACK], env, [EXIT.done, EXIT.someRejected]);
    expect(await importing('import', kind, file)).toMatch(table);
  });

  apiTests(() => api);

  it('restores content and keys by the documented commands', async () => {
    await operator.restoreContent(api);
    await operator.restoreKeys(api, admin);
    await operator.leavesNoTable();
  });

  it('is updated', async () => {
    await run('deploy', '--require-approval', 'never', '-c', 'alarmEmail=operator@example.com');
    expect(await stack.status()).toBe('UPDATE_COMPLETE');
  });

  describe('after the update', () => vehicleTests(() => api));

  it('is gone after its deletion, and the tables it left are read by the documented commands', async () => {
    await operator.leaveKeysBehind();
    await stack.remove();
    const { status } = await api.call('GET', '/v1/vehicle/AB12CDE/insurance').catch(() => ({ status: undefined }));
    expect(status).not.toBe(200);
    expect(await operator.readWhatIsLeft()).toMatch(/^[0-9a-f]{20} +Black box/m);
  });
});
