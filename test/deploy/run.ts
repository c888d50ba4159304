/**
 * The whole way of a deployment on an AWS emulator, with the real cdk command: bootstrap, deploy, keys and data by the
 * operator CLI, every endpoint from outside, the documented restore, an update, the end. `npm run test:deploy`; stops at the
 * first fault.
 */
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../lib/admin/command/exit-codes.ts';
import { adminProcess } from '../black-box/admin-process.ts';
import { openApi, type Target } from '../black-box/api.ts';
import { type Admin, prepareTarget } from '../black-box/prepare-target.ts';
import { runChecks } from '../black-box/run-checks.ts';
import { vehicleChecks } from '../black-box/vehicle-checks.ts';
import { cdk, environmentFor } from './cloud-development-kit.ts';
import { deployedStack } from './deployed-stack.ts';
import { installMinistack, PROGRAMS, startMinistack } from './ministack.ts';
import { type RestoringOperator, restoringOperator } from './restore.ts';

const STACK = 'vehicle-verification-dev';
const SAMPLES = join(import.meta.dirname, '../fixtures/samples');

const say = (line: string) => process.stdout.write(`${line}\n`);

const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const started = performance.now();
  const result = await work();
  say(`${((performance.now() - started) / 1_000).toFixed(1).padStart(6)} s  ${name}`);
  return result;
};

/** An operator's first load: 5,554 rows of 5,000 vehicles, some of which are refused. */
const loadSampleFiles = async (folder: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const admin = adminProcess(['--stack', STACK], env, [EXIT.done, EXIT.someRejected]);
  for (const [kind, name, loaded] of [
    ['vehicles', 'vehicles.csv', '5,000'],
    ['compliance', 'compliance.ndjson', '4,774'],
  ] as const) {
    const file = join(folder, name);
    await copyFile(join(SAMPLES, name), file);
    assert.ok((await admin('import', kind, file)).includes(loaded), `${loaded} ${kind} should have been loaded`);
  }
};

type Stack = ReturnType<typeof deployedStack>;

const operatorOf = async (stack: Stack, folder: string, env: NodeJS.ProcessEnv) =>
  restoringOperator(
    {
      CONTENT_TABLE: await stack.tableName('content'),
      KEYS_TABLE: await stack.tableName('keys'),
      NAME: 'left-behind-keys',
      'vehicle-verification-prod': STACK,
      'restored.ndjson': join(folder, 'restored.ndjson'),
    },
    { ...env, PATH: `${PROGRAMS}:${env.PATH}` },
  );

const restore = async (target: Target, operator: RestoringOperator, admin: Admin): Promise<void> => {
  const api = openApi(target);
  try {
    await operator.restoreContent(api);
    await operator.restoreKeys(api, admin);
    await operator.leavesNoTable();
  } finally {
    api.close();
  }
};

const deployAndDrive = async (endpoint: string, folder: string): Promise<number> => {
  const env = environmentFor(endpoint);
  const run = cdk(env, join(folder, 'cdk.out'));
  const stack = deployedStack(STACK, endpoint);
  await step('cdk synth', () => run('synth', '--quiet'));
  await step('cdk bootstrap', () => run('bootstrap'));
  await step('cdk deploy', () => run('deploy', '--require-approval', 'never'));
  assert.equal(await stack.status(), 'CREATE_COMPLETE');
  await step('import of the sample files through --stack', () => loadSampleFiles(folder, env));
  const admin = adminProcess(['--stack', STACK], env);
  const keys = await step('sample vehicles and keys through --stack', () => prepareTarget(admin, new Date()));
  const target = { origin: endpoint, host: await stack.apiHost(), keys };
  const held = await step('every endpoint through the deployed API', () => runChecks(target, say));
  const operator = await operatorOf(stack, folder, env);
  await step('the documented commands to restore content and keys', () => restore(target, operator, admin));
  await step('cdk deploy of a change', () =>
    run('deploy', '--require-approval', 'never', '-c', 'alarmEmail=operator@example.com'),
  );
  assert.equal(await stack.status(), 'UPDATE_COMPLETE');
  const heldAfter = await step('look-ups after the update', () => runChecks(target, () => undefined, vehicleChecks));
  await operator.leaveKeysBehind();
  await step('deletion', stack.remove);
  await assert.rejects(
    runChecks(target, () => undefined, vehicleChecks),
    'the API must be gone with its stack',
  );
  await step('the documented commands for tables without a stack', async () =>
    assert.match(await operator.readWhatIsLeft(), /^[0-9a-f]{20} +Black box/m),
  );
  return held + heldAfter;
};

const folder = await mkdtemp(join(tmpdir(), 'deploy-'));
try {
  await step('MiniStack installed', installMinistack);
  const { endpoint, stop } = await step('MiniStack started', () => startMinistack(folder));
  try {
    say(`${await deployAndDrive(endpoint, folder)} checks held against the deployed API`);
  } finally {
    await stop();
  }
} catch (error) {
  say(`failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true });
}
