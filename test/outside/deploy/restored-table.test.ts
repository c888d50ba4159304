import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Admin, adminProcess, prepareTarget } from '../../black-box/prepare-target.ts';
import { restoreBeside } from '../../support/documented-commands.ts';
import { type OpenHttpCaller, openHttpCaller } from '../../support/http-caller.ts';
import { deployedStack, STACK, useEmulator } from './use-emulator.ts';

/** The name of the restored table in docs/operations.md. */
const RESTORED = 'vehicles-20261120';
const [LOST, ERASED] = ['AB12CDE', 'BD51SMR'];

const { env, endpoint, deployProd } = useEmulator();
let stack: ReturnType<typeof deployedStack>;
let admin: Admin;
let api: OpenHttpCaller;
let ownTable: string;

const statusOf = async (key: string) => (await api.call('GET', `/v1/vehicle/${key}/insurance`)).status;
const statuses = async () => ({ lost: await statusOf(LOST), erased: await statusOf(ERASED) });

beforeAll(async () => {
  stack = deployedStack(STACK, endpoint());
  await deployProd();
  admin = adminProcess(['--stack', STACK, '--yes', STACK], env);
  const keys = await prepareTarget(admin, new Date());
  api = openHttpCaller({ origin: endpoint(), host: await stack.apiHost(), keys });
  ownTable = await stack.tableName('vehicles');
});
afterAll(() => api?.close());

// In this order: each test finds the stack as the one before it left it.
describe('A restored table of vehicles, named by the setting `tables`', () => {
  it('can be used after the documented commands, erased vehicles left out', async () => {
    const names = { VEHICLES_TABLE: ownTable, [STACK]: `${STACK} --yes ${STACK}` };
    const printed = await restoreBeside(RESTORED, 'tables check vehicles', names, env, async () => {
      await admin('erase', '--registration', ERASED);
      await admin('remove', 'vehicles', '--registration', LOST);
    });
    expect(printed).toMatch(/vehicles-20261120 +can be used/);
    expect(await statuses()).toEqual({ lost: 404, erased: 404 });
  });

  it('answers once the setting is deployed, while the own table is kept', async () => {
    await deployProd({ tables: { vehicles: RESTORED } });
    expect(await stack.tableName('vehicles')).toBe(RESTORED);
    expect(await statuses()).toEqual({ lost: 200, erased: 404 });
    expect(await admin('lookup', LOST)).toMatch(LOST);
    await expect(admin('tables', 'check', 'vehicles', '--tables', `vehicles=${ownTable}`)).resolves.toMatch(
      'can be used',
    );
  });

  it('answers no more once the setting is taken back', async () => {
    await deployProd();
    expect(await stack.tableName('vehicles')).toBe(ownTable);
    expect(await statuses()).toEqual({ lost: 404, erased: 404 });
  });
});
