import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EXIT } from '../../lib/admin/command/command-result.ts';
import { type OpenApi, openApi } from '../black-box/api.ts';
import { apiTests } from '../black-box/api-tests.ts';
import { type Admin, adminProcess, createKey, prepareTarget } from '../black-box/prepare-target.ts';
import { pythonTools } from '../support/python-tools.ts';
import { cdk, environmentFor } from './cloud-development-kit.ts';
import { deployedStack } from './deployed-stack.ts';
import { tearingDownOperator } from './left-tables.ts';
import { type Emulator, startMinistack } from './ministack.ts';
import { type RestoringOperator, restoringOperator } from './restore.ts';

// A deployment on a busy machine: this only ends one that hangs.
jest.setTimeout(600_000);

const STACK = 'vehicle-verification-dev';
const SAMPLES = join(import.meta.dirname, '../fixtures/samples');
const SETTINGS = join(import.meta.dirname, '../../stages/dev.json');
const DEPLOY = ['deploy', '--require-approval', 'never'] as const;

let folder: string;
let emulator: Emulator;
let env: NodeJS.ProcessEnv;
let run: ReturnType<typeof cdk>;
let stack: ReturnType<typeof deployedStack>;
let admin: Admin;
let api: OpenApi;
let programs: string;
let operator: RestoringOperator;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deploy-'));
  programs = pythonTools(join(import.meta.dirname, 'requirements.txt'), 'ministack');
  emulator = await startMinistack(programs, folder);
  env = environmentFor(emulator.endpoint);
  run = cdk(env, join(folder, 'cdk.out'));
  stack = deployedStack(STACK, emulator.endpoint);
  await run('bootstrap');
  await run(...DEPLOY);
  admin = adminProcess(['--stack', STACK], env);
  const keys = await prepareTarget(admin, new Date());
  api = openApi({ origin: emulator.endpoint, host: await stack.apiHost(), keys });
  const names = {
    CONTENT_TABLE: await stack.tableName('content'),
    KEYS_TABLE: await stack.tableName('keys'),
    VEHICLES_TABLE: await stack.tableName('vehicles'),
    COMPLIANCE_TABLE: await stack.tableName('compliance'),
    'vehicle-verification-prod': STACK,
    'restored.ndjson': join(folder, 'restored.ndjson'),
    'erased.txt': join(folder, 'erased.txt'),
  };
  operator = restoringOperator(names, { ...env, PATH: `${programs}:${env.PATH}` });
});
afterAll(async () => {
  api?.close();
  await emulator?.stop();
  await rm(folder, { recursive: true });
});

/** Writes the settings of a stage: those that are committed for dev, and these. */
const writeSettings = async (stage: string, changes: object): Promise<void> => {
  const settings = JSON.parse(await readFile(SETTINGS, 'utf8'));
  await writeFile(join(folder, `${stage}.json`), JSON.stringify({ ...settings, ...changes }));
};

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
    const importing = adminProcess(['--stack', STACK], env, [EXIT.done, EXIT.incomplete]);
    expect(await importing('import', kind, file)).toMatch(table);
  });

  apiTests(() => api);

  it('restores every table by the documented commands', async () => {
    await operator.restoreContent(api);
    await operator.restoreKeys(api, admin);
    await operator.restoreRecords(api, admin, 'compliance', { missing: 'AB12CDE', erased: 'LX52EPW' });
    await operator.restoreRecords(api, admin, 'vehicles', { missing: 'AB12CDE', erased: 'LX52EPW' });
    await operator.leavesNoTable();
  });

  it('is updated with other settings, and still answers', async () => {
    await writeSettings('dev', { alarmEmail: 'operator@example.com' });
    await run(...DEPLOY, '-c', `stages=${folder}`);
    expect(await stack.status()).toBe('UPDATE_COMPLETE');
    expect((await api.call('GET', '/v1/usage')).status).toBe(200);
  });

  describe('beside a stack that keeps its data', () => {
    const KEPT = 'vehicle-verification-kept';
    let kept: ReturnType<typeof deployedStack>;
    let left: ReturnType<typeof tearingDownOperator>;
    let ownTables: readonly string[];
    let keptTables: readonly string[];
    let key: string;
    let destroyOptions: readonly string[];

    const listLeftContent = async (host: string) => {
      const caller = openApi({ origin: emulator.endpoint, host, keys: api.keys });
      const { status, body } = await caller.call('GET', '/v1/api/content?domain=left.example', { key });
      caller.close();
      return { status, total: body.total };
    };

    beforeAll(async () => {
      await writeSettings('kept', { keepsData: true });
      ownTables = await stack.tableNames();
      const context = ['-c', `stages=${folder}`, '-c', 'stage=kept'];
      await run(...DEPLOY, ...context);
      kept = deployedStack(KEPT, emulator.endpoint);
      keptTables = await kept.tableNames();
      ({ key } = await createKey(adminProcess(['--stack', KEPT], env), 'premium'));
      const caller = openApi({
        origin: emulator.endpoint,
        host: await kept.apiHost(),
        keys: { ...api.keys, premium: key },
      });
      const item = { title: 'Left', content: 'Left', domain: 'left.example', slug: 'left' };
      expect((await caller.call('POST', '/v1/api/content', { json: item })).status).toBe(201);
      caller.close();
      destroyOptions = [...context, '--force'];
      left = tearingDownOperator(
        {
          stack: KEPT,
          destroyOptions: `stage=kept -c stages=${folder} --output ${join(folder, 'cdk.out')} --force`,
          newStack: STACK,
          keysTable: await kept.tableName('keys'),
          contentTable: await kept.tableName('content'),
          exportFile: join(folder, 'left.ndjson'),
        },
        { ...env, PATH: `${programs}:${env.PATH}` },
      );
    });

    it('that stack is not destroyed while it is protected', async () => {
      expect(await kept.isProtected()).toBe(true);
      await expect(run('destroy', ...destroyOptions)).rejects.toThrow(/[Tt]ermination ?[Pp]rotection/);
      expect(await kept.status()).toBe('CREATE_COMPLETE');
    });

    it('that stack is destroyed by the documented commands and its tables are retained', async () => {
      const host = await kept.apiHost();
      await left.destroyStack();
      expect(await kept.status()).toBeUndefined();
      expect(await listLeftContent(host).catch(() => ({}))).not.toMatchObject({ status: 200 });
      expect(await left.tables()).toEqual([...ownTables, ...keptTables].sort());
      expect(await left.listKeys()).toMatch(/^[0-9a-f]{20} +Black box/m);
    });

    it('gets the data of the retained tables by the documented commands', async () => {
      expect((await listLeftContent(await stack.apiHost())).status).toBe(401);
      await left.copyIntoNewStack();
      expect(await listLeftContent(await stack.apiHost())).toEqual({ status: 200, total: 1 });
    });

    it('is destroyed with its own tables, because it does not keep its data', async () => {
      expect(await stack.isProtected()).toBe(false);
      await run('destroy', '--force');
      expect(await stack.status()).toBeUndefined();
      expect(await left.tables()).toEqual(keptTables);
    });

    it('and the retained tables and logs are deleted by the documented commands', async () => {
      await left.deleteTables();
      expect(await left.tables()).toEqual([]);
      expect(await left.deleteLogGroups()).toBeGreaterThan(0);
      expect(await left.deleteLogGroups()).toBe(0);
    });
  });
});
