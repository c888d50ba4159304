import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { EXIT } from '../../../lib/admin/command/command-result.ts';
import { blackBoxTests } from '../../black-box/all-tests.ts';
import { type Admin, adminProcess, prepareTarget } from '../../black-box/prepare-target.ts';
import { type OpenHttpCaller, openHttpCaller } from '../../support/http-caller.ts';
import { pythonTools } from '../../support/python-tools.ts';
import { runCommand } from '../../support/run-command.ts';
import { cdk, deployProd, environmentFor } from './cloud-development-kit.ts';
import { deployedStack } from './deployed-stack.ts';
import { documentedCommands, runDocumented } from './documented-commands.ts';
import { tearingDownOperator } from './left-tables.ts';
import { type Emulator, startMinistack } from './ministack.ts';
import { type RestoringOperator, restoringOperator } from './restore.ts';

// A deployment on a busy machine: this only ends one that hangs.
jest.setTimeout(600_000);

const STACK = 'vehicle-verification-prod';
const NEW_STACK = 'vehicle-verification-dev';
const DOCS_URL = 'https://docs.example.com';
const ISSUER = 'https://api.example.com';
const SAMPLES = join(import.meta.dirname, '../../fixtures/samples');
const SETTINGS = join(import.meta.dirname, '../../../stages/prod.json');

let folder: string;
let emulator: Emulator;
let env: NodeJS.ProcessEnv;
let run: ReturnType<typeof cdk>;
let stack: ReturnType<typeof deployedStack>;
let admin: Admin;
let api: OpenHttpCaller;
let operator: RestoringOperator;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deploy-'));
  const programs = pythonTools(join(import.meta.dirname, 'requirements.txt'), 'ministack');
  emulator = await startMinistack(programs, folder);
  const shell = environmentFor(emulator.endpoint, join(folder, 'cdk-home'));
  env = { ...shell, PATH: `${programs}:${shell.PATH}` };
  run = cdk(env);
  stack = deployedStack(STACK, emulator.endpoint);
  await run('bootstrap', '-c', 'stage=prod', '--output', join(folder, 'prod'));
  await deployProd(env, join(folder, 'prod'));
  // Data is kept, so a change of it is confirmed.
  admin = adminProcess(['--stack', STACK, '--yes', STACK], env);
  const keys = await prepareTarget(admin, new Date());
  api = openHttpCaller({ origin: emulator.endpoint, host: await stack.apiHost(), keys });
  const names = {
    CONTENT_TABLE: await stack.tableName('content'),
    KEYS_TABLE: await stack.tableName('keys'),
    VEHICLES_TABLE: await stack.tableName('vehicles'),
    [STACK]: `${STACK} --yes ${STACK}`,
    'restored.ndjson': join(folder, 'restored.ndjson'),
    'erased.txt': join(folder, 'erased.txt'),
  };
  operator = restoringOperator(names, env);
});
afterAll(async () => {
  api?.close();
  await emulator?.stop();
  await rm(folder, { recursive: true });
});

// In this order: each test finds the stack as the one before it left it.
describe('The stack, deployed with the cdk command to an AWS emulator', () => {
  it.each([
    ['vehicles', 'vehicles.csv', / +81 +60 +0 +12 /],
    ['compliance', 'compliance.ndjson', / +57 +57 +0 +0 /],
  ])('accepts an import of %s through --stack', async (kind, name, table) => {
    const file = join(folder, name);
    await copyFile(join(SAMPLES, name), file);
    const importing = adminProcess(['--stack', STACK, '--yes', STACK], env, [EXIT.done, EXIT.incomplete]);
    expect(await importing('import', kind, file)).toMatch(table);
  });

  blackBoxTests(() => api);

  it('restores tables by the documented commands', async () => {
    await operator.restoreContent(api);
    await operator.restoreKeys(api, admin);
    await operator.restoreVehicles(api, admin, 'AB12CDE', 'LX52EPW');
    await operator.leavesNoTable();
  });

  describe('updated with other settings and other code', () => {
    const problemType = async () => (await api.call('GET', '/v1/usage', { key: api.keys.revoked })).body.type;
    const versions = () => join(folder, 'live-versions');

    beforeAll(async () => {
      const expectImports = { vehicles: '26h', compliance: '7d' };
      await writeFile(versions(), await runCommand('.ci/live-versions', [STACK], { env }));
      const changes = { docsUrl: DOCS_URL, expectImports, signedAnswers: { issuer: ISSUER, keys: ['new', 'old'] } };
      const settings = JSON.parse(await readFile(SETTINGS, 'utf8'));
      await writeFile(join(folder, 'prod.json'), JSON.stringify({ ...settings, ...changes }));
      // The bundles with the SDK's own client: other code, the same answers.
      await deployProd({ ...env, DYNAMODB_CLIENT: 'sdk' }, join(folder, 'prod'), '-c', `stages=${folder}`);
    });

    it('answers with the new version of a function', async () => {
      expect(await stack.status()).toBe('UPDATE_COMPLETE');
      expect((await api.call('GET', '/v1/usage')).status).toBe(200);
      expect(await problemType()).toMatch(DOCS_URL);
    });

    it('answers with the version to which the documented commands move its alias', async () => {
      const [list = '', listVersions = '', move = ''] = documentedCommands('Update and roll back', 'update-alias');
      const functions = (await runDocumented([list], {}, env)).split(/\s+/);
      const FUNCTION = functions.find((name) => name.includes('usageFunction')) ?? '';
      const versions = await runDocumented([listVersions], { FUNCTION }, env);
      const [before = [], after = []] = versions.matchAll(/^(\d+)\t.*\t(sha256:.*)$/gm);
      // The hash of its code.
      expect(before[2]).not.toBe(after[2]);
      await runDocumented([move], { FUNCTION, VERSION: before[1] ?? '' }, env);
      expect(await problemType()).not.toMatch(DOCS_URL);
      await runDocumented([move], { FUNCTION, VERSION: after[1] ?? '' }, env);
      expect(await problemType()).toMatch(DOCS_URL);
    });

    it('signs an answer by KMS, with the first of the published keys', async () => {
      const { body } = await api.call('GET', '/.well-known/jwks.json', { key: undefined });
      const { keys } = body as unknown as JSONWebKeySet;
      const { status, text } = await api.call('GET', '/v1/vehicle/AB12CDE/insurance', {
        headers: { accept: 'application/jwt' },
      });
      const { payload, protectedHeader } = await jwtVerify(text, createLocalJWKSet({ keys }), { issuer: ISSUER });
      expect([status, payload.answer]).toMatchObject([200, { registration: 'AB12CDE' }]);
      expect([keys.length, protectedHeader.kid]).toEqual([2, keys[0]?.kid]);
    });

    it("moves the aliases back when the smoke test fails, as the emulator has no address that the probe's function reaches", async () => {
      await expect(runCommand('.ci/smoke-test', [STACK, versions()], { env })).rejects.toThrow(
        /GET \/v1\/usage cannot be reached.*The aliases were moved back to the versions before this deployment\./s,
      );
      // The update has added a function, which stays as it is.
      const live = (await runCommand('.ci/live-versions', [STACK], { env })).split('\n');
      expect(live).toEqual(expect.arrayContaining((await readFile(versions(), 'utf8')).split('\n')));
      expect(await problemType()).not.toMatch(DOCS_URL);
    });

    it('publishes what an import has loaded, as it expects imports', async () => {
      await admin('import', 'compliance', join(folder, 'compliance.ndjson'));
      const list = ['cloudwatch', 'list-metrics', '--namespace', 'VehicleVerification/prod'];
      expect(await runCommand('aws', list, { env })).toMatch('ComplianceLoaded');
    });
  });

  describe('beside a new stack with the committed settings of dev', () => {
    let added: ReturnType<typeof deployedStack>;
    let left: ReturnType<typeof tearingDownOperator>;
    let addedTables: readonly string[];
    let keptTables: readonly string[];

    const listLeftContent = async (host: string) => {
      const caller = openHttpCaller({ origin: emulator.endpoint, host, keys: api.keys });
      const { status, body } = await caller.call('GET', '/v1/api/content?domain=left.example');
      caller.close();
      return { status, total: body.total };
    };

    beforeAll(async () => {
      const item = { title: 'Left', content: 'Left', domain: 'left.example', slug: 'left' };
      expect((await api.call('POST', '/v1/api/content', { json: item })).status).toBe(201);
      await run('deploy', '--require-approval', 'never', '--output', join(folder, 'dev'));
      added = deployedStack(NEW_STACK, emulator.endpoint);
      addedTables = await added.tableNames();
      keptTables = await stack.tableNames();
      left = tearingDownOperator(
        {
          destroyOptions: `stage=prod --output ${join(folder, 'prod')} --force`,
          newStack: NEW_STACK,
          keysTable: await stack.tableName('keys'),
          contentTable: await stack.tableName('content'),
          exportFile: join(folder, 'left.ndjson'),
        },
        env,
      );
    });

    it('is not destroyed while it is protected', async () => {
      expect(await stack.isProtected()).toBe(true);
      await expect(run('destroy', '--app', join(folder, 'prod'), '--force')).rejects.toThrow(
        /[Tt]ermination ?[Pp]rotection/,
      );
      expect(await stack.status()).toBe('UPDATE_COMPLETE');
    });

    it('is destroyed by the documented commands and its tables are retained', async () => {
      const host = await stack.apiHost();
      await left.destroyStack();
      expect(await stack.status()).toBeUndefined();
      expect(await listLeftContent(host).catch(() => ({}))).not.toMatchObject({ status: 200 });
      expect(await left.tables()).toEqual([...addedTables, ...keptTables].sort());
      expect(await left.listKeys()).toMatch(/^[0-9a-f]{20} +Black box/m);
    });

    it('gives the new stack the data of the retained tables by the documented commands', async () => {
      expect((await listLeftContent(await added.apiHost())).status).toBe(401);
      await left.copyIntoNewStack();
      expect(await listLeftContent(await added.apiHost())).toEqual({ status: 200, total: 1 });
    });

    it('keeps its tables when the new stack, which does not keep its data, is destroyed', async () => {
      expect(await added.isProtected()).toBe(false);
      await run('destroy', '--app', join(folder, 'dev'), '--force');
      expect(await added.status()).toBeUndefined();
      expect(await left.tables()).toEqual(keptTables);
    });

    it('has its retained tables and logs deleted by the documented commands', async () => {
      await left.deleteTables();
      expect(await left.tables()).toEqual([]);
      expect(await left.deleteLogGroups()).toBeGreaterThan(0);
      expect(await left.deleteLogGroups()).toBe(0);
    });
  });
});
