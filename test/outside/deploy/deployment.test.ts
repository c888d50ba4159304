import { randomUUID } from 'node:crypto';
import { copyFile, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TableId } from '../../../core/tables.ts';
import { blackBoxTests } from '../../black-box/all-tests.ts';
import { type OpenHttpCaller, openHttpCaller } from '../../black-box/http-caller.ts';
import { type Admin, adminProcess, createKey, prepareTarget } from '../../black-box/prepare-target.ts';
import { vehicleLine } from '../../support/import-files.ts';
import { runCommand } from '../../support/program.ts';
import { documentedCommands, type Names, scriptOf } from './documented-commands.ts';
import { STACK, useEmulator } from './use-emulator.ts';

const NEW_STACK = 'vehicle-verification-dev';
const DOCS_URL = 'https://docs.example.com';
/** The names in the guide. */
const RESTORED = { content: 'content-20261120', vehicles: 'vehicles-20261120' };
const ROOT = join(import.meta.dirname, '../../..');

const { inFolder, env, endpoint, aws, query, cdk, deployProd, stack: stackNamed } = useEmulator();
const stack = stackNamed(STACK);
const added = stackNamed(NEW_STACK);
let admin: Admin;
let api: OpenHttpCaller;

/** The tables whose names the documented commands printed after the deployment that followed the failed one. */
let listed: readonly string[];

beforeAll(async () => {
  await failToDeploy();
  const again = documentedCommands('Update and roll back', 'update-termination-protection');
  const [, tables = ''] = (await runDocumented(again, deployingProd())).split(/^(?=\[)/m);
  listed = JSON.parse(tables);
  // Data is kept, so a change of it is confirmed.
  admin = adminProcess(['--stack', STACK, '--yes', STACK], env);
  const keys = await prepareTarget(admin, new Date());
  api = openHttpCaller({ origin: endpoint(), host: await stack.apiHost(), keys });
});
afterAll(() => api?.close());

/** Runs documented commands with the names that exist here, and returns what they print. */
const runDocumented = (commands: readonly string[], names: Names = {}, cwd = ROOT): Promise<string> =>
  runCommand('/bin/sh', ['-ec', scriptOf(commands, names)], { env, cwd });

/** The options with which the documented commands deploy prod here. */
const deployingProd = (): Names => ({
  'stage=prod': `stage=prod --output ${inFolder('prod')}`,
  'cdk deploy': 'cdk deploy --require-approval never',
});

/** Deploys prod with an alarm that the emulator rejects. */
const failToDeploy = async (): Promise<void> => {
  const committed = JSON.parse(await readFile(join(ROOT, 'stages/prod.json'), 'utf8'));
  await mkdir(inFolder('failing'));
  // With another owner, so that the template has another name in the bucket of the bootstrap.
  await writeFile(inFolder('failing/prod.json'), JSON.stringify({ ...committed, owner: 'Failing' }));
  const output = inFolder('failing/output');
  await cdk('synth', '--quiet', '-c', 'stage=prod', '-c', `stages=${inFolder('failing')}`, '--output', output);
  const file = join(output, `${STACK}.template.json`);
  const template = JSON.parse(await readFile(file, 'utf8'));
  const Properties = { Metrics: [{ Id: 'a', Expression: '1' }] };
  template.Resources.Rejected = { Type: 'AWS::CloudWatch::Alarm', Properties };
  await writeFile(file, JSON.stringify(template));
  await expect(cdk('deploy', '--app', output, '--require-approval', 'never')).rejects.toThrow('failed to deploy');
};

/** A setting that the code of an earlier release does not know. */
const NEW_SETTING = 'docsUrl';

/** Rolls prod back by the documented commands: the code is that of an earlier release, the settings are these. */
const rollBack = async (changes: object): Promise<string> => {
  const tag = inFolder('tag');
  const files = await runCommand('git', ['ls-files'], { cwd: ROOT });
  const folders = new Set(files.split('\n').map((file) => file.split('/')[0] ?? ''));
  const filter = (path: string) => !path.includes('node_modules');
  for (const name of folders) await cp(join(ROOT, name), join(tag, name), { recursive: true, filter });
  await symlink(join(ROOT, 'node_modules'), join(tag, 'node_modules'));
  const schema = join(tag, 'core/stage/stage-schema.ts');
  await writeFile(schema, (await readFile(schema, 'utf8')).replace(`  ${NEW_SETTING}: `, '  unknownThen: '));
  const settings = join(tag, 'stages/prod.json');
  const committed = JSON.parse(await readFile(settings, 'utf8'));
  await writeFile(settings, JSON.stringify({ ...committed, ...changes }));
  const [, leaveOut = ''] = documentedCommands('Update and roll back', '.ci/known-settings');
  const { CDK_APP } = env;
  env.CDK_APP = CDK_APP?.replaceAll(ROOT, tag);
  try {
    const deploy = documentedCommands('Update and roll back', '.ci/check-kept');
    return await runDocumented([leaveOut, ...deploy], { 'cdk deploy': 'cdk deploy --require-approval never' }, tag);
  } finally {
    env.CDK_APP = CDK_APP;
  }
};

const inRestore = (text: string) => documentedCommands('Restore', text);
/** The status of a lookup. */
const insurance = async (registration: string, key = api.keys.premium) =>
  (await api.call('GET', `/v1/vehicle/${registration}/insurance`, { key })).status;

const protectTable = () => inRestore('update-time-to-live --table-name TABLE');

/**
 * Restores a table by the documented commands, then does `meanwhile`, then uses it by these commands.
 * @param table its name; a copy is deleted
 */
const restore = async (
  id: TableId,
  use: readonly string[],
  meanwhile: () => Promise<unknown>,
  table = `restored-${id}`,
): Promise<string> => {
  const { [id]: TABLE = '' }: Partial<Record<TableId, string>> = RESTORED;
  const names = {
    TABLE,
    VEHICLES_TABLE: await stack.tableName(id),
    'restored-vehicles': table,
    [STACK]: `${STACK} --yes ${STACK}`,
    'restored.ndjson': inFolder('restored.ndjson'),
  };
  await runDocumented(inRestore('--target-table-name restored-vehicles '), names);
  await meanwhile();
  const printed = await runDocumented(use, names);
  if (table === `restored-${id}`) await runDocumented(inRestore('delete-table'), names);
  return printed;
};

// In this order: each test finds the stack as the one before it left it.
describe('The stack, deployed with the cdk command to an AWS emulator', () => {
  it('is deployed by the documented commands after its first deployment has failed', async () => {
    expect(await stack.status()).toBe('CREATE_COMPLETE');
    // The emulator leaves no table of the failed stack over.
    expect(listed.toSorted()).toEqual(await stack.tableNames());
  });

  blackBoxTests(() => api);

  it('has vehicles as they were before a wrong file after the documented commands', async () => {
    const wrong = inFolder('wrong.ndjson');
    await writeFile(wrong, ['WR10NGA', 'BD51SMR'].map((registration) => vehicleLine({ registration })).join('\n'));
    await admin('import', 'vehicles', wrong);
    expect(await insurance('WR10NGA')).toBe(200);
    const names = { LOAD: `${wrong}.changes.ndjson`, [STACK]: `${STACK} --yes ${STACK}` };
    const printed = await runDocumented(documentedCommands('IntakeFailed', 'undo LOAD', 'runbook.md'), names);
    expect(printed).toMatch(/\n +2 +2 +0 +0 /);
    expect([await insurance('WR10NGA'), await insurance('BD51SMR')]).toEqual([404, 200]);
  });

  describe('restored by the documented commands', () => {
    it('has content and vehicles as they were at the restore points, without erased ones, while the stage uses the new tables', async () => {
      const domain = `d${randomUUID().slice(0, 8)}.example`;
      const create = async (slug: string) =>
        (await api.call('POST', '/v1/api/content', { json: { title: slug, content: slug, domain, slug } })).body.id;
      const statusOf = async (id: unknown) => (await api.call('GET', `/v1/api/content/${id}`)).status;
      const [removed, erased] = ['TC11ALL', 'BD51SMR'];
      const deleted = await create('old');
      let later: unknown;
      const copied = [...inRestore('create-table'), ...protectTable(), ...inRestore('export content')];
      await restore('content', copied, async () => {
        expect((await api.call('DELETE', `/v1/api/content/${deleted}`)).status).toBe(204);
        later = await create('later');
      });
      // Nothing expires in a table of vehicles.
      const used = [...protectTable().slice(0, -1), ...inRestore('tables check vehicles')];
      const removeAndErase = async () => {
        await admin('remove', 'vehicles', '--registration', removed, '--staging', inFolder('.'));
        await admin('erase', '--registration', erased);
      };
      const printed = await restore('vehicles', used, removeAndErase, RESTORED.vehicles);
      expect(printed).toMatch(/vehicles-20261120 +can be used/);
      const statuses = async () => ({
        deleted: await statusOf(deleted),
        later: await statusOf(later),
        removed: await insurance(removed),
        erased: await insurance(erased),
      });
      const inMain = { tables: RESTORED, intake: [{ prefix: 'added/', import: 'vehicles', expect: '7d' }] };
      await deployProd(inMain);
      const restored = { deleted: 200, later: 404, removed: 200, erased: 404 };
      expect(await statuses()).toEqual(restored);

      const goes = 'entry added/, table content-20261120, table vehicles-20261120. Nothing was deployed.';
      await cdk('synth', '--quiet', '-c', 'stage=prod', '--output', inFolder('committed'));
      await expect(runCommand('.ci/check-kept', [STACK, inFolder('committed')], { env })).rejects.toThrow(goes);
      expect(await rollBack({ ...inMain, docsUrl: DOCS_URL })).toContain(`${NEW_SETTING} is left out`);
      expect(await statuses()).toEqual(restored);
      expect(JSON.parse(await stack.output('IntakeSettings')).entries).toEqual(inMain.intake);
      expect((await api.call('GET', `/v1/api/content?domain=${domain}`)).body.total).toBe(1);
      expect(await stack.tableName('vehicles')).toBe(RESTORED.vehicles);
      await deployProd();
      expect(await statuses()).toEqual({ deleted: 404, later: 200, removed: 404, erased: 404 });
      for (const name of Object.values(RESTORED)) {
        await runDocumented(documentedCommands('Tear down', 'OLD_TABLE'), { OLD_TABLE: name });
      }
    });

    it('has a missing key again, and one that was revoked after the restore point stays revoked', async () => {
      const revoked = await createKey(admin, 'free');
      const missing = await createKey(admin, 'free');
      await restore('keys', inRestore('--from restored-keys'), async () => {
        await admin('keys', 'revoke', revoked.id);
        const key = JSON.stringify({ id: { S: missing.id } });
        await aws('dynamodb', 'delete-item', '--table-name', await stack.tableName('keys'), '--key', key);
        expect(await insurance('AB12CDE', missing.key)).toBe(401);
      });
      expect(await insurance('AB12CDE', revoked.key)).toBe(401);
      expect(await insurance('AB12CDE', missing.key)).toBe(200);
    });

    it('has a missing record again, and one that was erased stays erased', async () => {
      const [missing, erased] = ['AB12CDE', 'MT17DUE'];
      expect(await insurance(missing)).toBe(200);
      expect(await insurance(erased)).toBe(200);
      await restore('vehicles', inRestore('--restore --if-newer'), async () => {
        await admin('remove', 'vehicles', '--registration', missing, '--staging', inFolder('.'));
        await admin('erase', '--registration', erased);
        expect([await insurance(missing), await insurance(erased)]).toEqual([404, 404]);
      });
      expect(await insurance(missing)).toBe(200);
      expect(await insurance(erased)).toBe(404);
    });

    it('has a deleted table again, under its name', async () => {
      const TABLE = await stack.tableName('keys');
      // The emulator makes no backup of a deleted table.
      await aws('dynamodb', 'create-backup', '--table-name', TABLE, '--backup-name', 'deleted');
      await runDocumented(documentedCommands('Tear down', 'OLD_TABLE'), { OLD_TABLE: TABLE });
      expect(await insurance('AB12CDE')).toBe(500);
      const [list = '', ...restoring] = inRestore('list-backups');
      const [, BACKUP_ARN = ''] = (await runDocumented([list], { TABLE, SYSTEM: 'USER' })).trim().split(/\s+/);
      await runDocumented([...restoring, ...protectTable()], { TABLE, BACKUP_ARN });
      expect(await insurance('AB12CDE')).toBe(200);
      const expiry = await aws('dynamodb', 'describe-time-to-live', '--table-name', TABLE);
      expect(JSON.parse(expiry).TimeToLiveDescription).toMatchObject({ AttributeName: 'expiresAt' });
    });

    it('has no restored table left', async () => {
      expect(await aws('dynamodb', 'list-tables')).not.toMatch(/"restored-/);
    });
  });

  describe('updated with other settings', () => {
    const problemType = async () => (await api.call('GET', '/v1/usage', { key: api.keys.revoked })).body.type;
    const versions = () => inFolder('live-versions');

    beforeAll(async () => {
      const expectImports = { vehicles: '26h', compliance: '7d' };
      await writeFile(versions(), await runCommand('.ci/live-versions', [STACK], { env }));
      await deployProd({ docsUrl: DOCS_URL, expectImports });
    });

    it('answers with the new version of a function', async () => {
      expect(await stack.status()).toBe('UPDATE_COMPLETE');
      expect((await api.call('GET', '/v1/usage')).status).toBe(200);
      expect(await problemType()).toMatch(DOCS_URL);
    });

    it('answers with the version to which the documented commands move its alias', async () => {
      const [list = '', listVersions = '', move = ''] = documentedCommands('Update and roll back', '.ci/move-alias');
      const functions = (await runDocumented([list])).split(/\s+/);
      const FUNCTION = functions.find((name) => name.includes('usageFunction')) ?? '';
      const versions = await runDocumented([listVersions], { FUNCTION });
      // The deployments with and without an intake have made versions too.
      const [before = [], after = []] = [...versions.matchAll(/^(\d+)\t/gm)].slice(-2);
      await runDocumented([move], { FUNCTION, VERSION: before[1] ?? '' });
      expect(await problemType()).not.toMatch(DOCS_URL);
      await runDocumented([move], { FUNCTION, VERSION: after[1] ?? '' });
      expect(await problemType()).toMatch(DOCS_URL);
    });

    it('shows by the documented command what somebody has changed by hand', async () => {
      const [drift = ''] = documentedCommands('Update and roll back', '--revert-drift');
      const [name = ''] = await query('Functions[].FunctionName', 'lambda', 'list-functions');
      const setTimeout = (seconds: string) =>
        aws('lambda', 'update-function-configuration', '--function-name', name, '--timeout', seconds);
      const [{ Timeout }] = await query(`Functions[?FunctionName=='${name}']`, 'lambda', 'list-functions');
      await setTimeout('3');
      const names = { 'stage=prod': `stage=prod -c stages=${inFolder()} --output ${inFolder('prod')}` };
      expect(await runDocumented([drift], names)).toMatch(/Number of resources with drift: 1 /);
      await setTimeout(String(Timeout));
      expect(await runDocumented([drift], names)).toMatch(/Number of resources with drift: 0 /);
    });

    it("moves the aliases back when the smoke test fails, as the emulator has no address that the probe's function reaches", async () => {
      await expect(runCommand('.ci/smoke-test', [STACK, versions()], { env })).rejects.toThrow(
        /GET \/v1\/usage cannot be reached.*The aliases were moved back to the versions before this deployment\./s,
      );
      const live = await runCommand('.ci/live-versions', [STACK], { env });
      expect(live).toBe(await readFile(versions(), 'utf8'));
      expect(await problemType()).not.toMatch(DOCS_URL);
    });

    it('publishes what an import has loaded, as it expects imports', async () => {
      await copyFile(join(ROOT, 'test/fixtures/samples/compliance.ndjson'), inFolder('compliance.ndjson'));
      await admin('import', 'compliance', inFolder('compliance.ndjson'));
      const listed = await aws('cloudwatch', 'list-metrics', '--namespace', 'VehicleVerification/prod/ByHand');
      expect(listed).toMatch('ComplianceLoaded');
    });
  });

  describe('beside a new stack with the committed settings of dev', () => {
    let addedTables: readonly string[];
    let keptTables: readonly string[];

    const listLeftContent = async (host: string) => {
      const caller = openHttpCaller({ origin: endpoint(), host, keys: api.keys });
      const { status, body } = await caller.call('GET', '/v1/api/content?domain=left.example');
      caller.close();
      return { status, total: body.total };
    };

    /** The retained tables, by the names in docs/operations.md of restored ones. */
    let old: Readonly<Record<'restored-keys' | 'restored-content' | 'restored-vehicles', string>>;
    const inNewStack = adminProcess(['--stack', NEW_STACK], env);
    const erasureOf = (registration: string) => inNewStack('lookup', registration);
    const tables = (): Promise<readonly string[]> => query('sort(TableNames)', 'dynamodb', 'list-tables');

    beforeAll(async () => {
      const item = { title: 'Left', content: 'Left', domain: 'left.example', slug: 'left' };
      expect((await api.call('POST', '/v1/api/content', { json: item })).status).toBe(201);
      await cdk('deploy', '--require-approval', 'never', '--output', inFolder('dev'));
      addedTables = await added.tableNames();
      keptTables = await stack.tableNames();
      old = {
        'restored-keys': await stack.tableName('keys'),
        'restored-content': await stack.tableName('content'),
        'restored-vehicles': await stack.tableName('vehicles'),
      };
    });

    it('gives the new stack its erasures by the documented commands, as another region needs them', async () => {
      const file = inFolder('erasures.ndjson');
      const names = { 'all.ndjson': inFolder('all.ndjson'), 'erasures.ndjson': file };
      await runDocumented(inRestore('jq'), names);
      await inNewStack('import', 'vehicles', file, '--restore');
      expect(await erasureOf('MT17DUE')).toMatch(/^Erased /m);
    });

    it('is not destroyed while it is protected', async () => {
      expect(await stack.isProtected()).toBe(true);
      await expect(cdk('destroy', '--app', inFolder('prod'), '--force')).rejects.toThrow(
        /[Tt]ermination ?[Pp]rotection/,
      );
      expect(await stack.status()).toBe('UPDATE_COMPLETE');
    });

    it('is destroyed by the documented commands and its tables are retained', async () => {
      const host = await stack.apiHost();
      const destroy = { 'stage=prod': `stage=prod --output ${inFolder('prod')} --force` };
      await runDocumented(documentedCommands('Tear down', 'cdk destroy'), destroy);
      expect(await stack.status()).toBeNull();
      expect(await listLeftContent(host).catch(() => ({}))).not.toMatchObject({ status: 200 });
      expect(await tables()).toEqual([...addedTables, ...keptTables].sort());
      const printed = await runDocumented(inRestore('list-tables'), { OLD_KEYS_TABLE: old['restored-keys'] });
      expect(printed).toMatch(/^[0-9a-f]{20} .*\nBlack box /m);
    });

    it('gives the new stack the data of the retained tables by the documented commands', async () => {
      expect((await listLeftContent(await added.apiHost())).status).toBe(401);
      const leftOut = { ' --if-newer': '', ' --tables content=content-20261120': '' };
      const names = { ...old, ...leftOut, 'restored.ndjson': inFolder('left.ndjson'), [STACK]: NEW_STACK };
      for (const text of ['--from restored-keys', 'export content', '--restore --if-newer']) {
        await runDocumented(inRestore(text), names);
      }
      expect(await listLeftContent(await added.apiHost())).toEqual({ status: 200, total: 1 });
      expect(await erasureOf('MT17DUE')).toMatch(/^Erased /m);
      expect(await erasureOf('AB12CDE')).toMatch(/^Registration +AB12CDE\nVehicle /m);
    });

    it('keeps its tables when the new stack, which does not keep its data, is destroyed', async () => {
      expect(await added.isProtected()).toBe(false);
      await cdk('destroy', '--app', inFolder('dev'), '--force');
      expect(await added.status()).toBeNull();
      expect(await tables()).toEqual(keptTables);
    });

    it('has its retained tables and logs deleted by the documented commands', async () => {
      const deleteTable = documentedCommands('Tear down', 'OLD_TABLE');
      for (const name of await tables()) await runDocumented(deleteTable, { OLD_TABLE: name });
      expect(await tables()).toEqual([]);
      const [list = '', ...deleteLogs] = documentedCommands('Tear down', 'LOG_GROUP');
      const groups = async () => JSON.parse(await runDocumented([`${list} --output json`]));
      const left = await groups();
      expect(left).not.toEqual([]);
      for (const name of left) await runDocumented(deleteLogs, { LOG_GROUP: name });
      expect(await groups()).toEqual([]);
    });
  });
});
