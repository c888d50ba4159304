import { expect, it } from '@jest/globals';
import { aCompliance, aVehicle } from '../../support/records.ts';
import { useAdmin } from '../../support/use-admin.ts';

const { engine, run, json, store } = useAdmin();

it('tables check exits with 0 when the tables have their keys and a readable record, otherwise with 1 and the reason', async () => {
  const { content, compliance } = engine().names;
  const empty = ['vehicles', 'compliance'].map((table) => ({ table, problem: 'it has no items' }));
  expect(await json(['tables', 'check'])).toMatchObject({ tables: empty });
  await store('vehicles', aVehicle('AB12CDE'), { registration: 'DAMAGED' });
  await store('compliance', aCompliance('AB12CDE'));
  const { exitCode, stdout } = await run(['tables', 'check']);
  expect(exitCode).toBe(0);
  expect(stdout.match(/can be used/g)).toHaveLength(2);
  for (const [name, problem] of [
    [content, 'its key is pk (S) and sk (S), not registration (S)'],
    ['nowhere', 'it does not exist in this account and region'],
    [compliance, 'none of its items that were read is a record of vehicles'],
  ] as const) {
    const result = await run(['tables', 'check', 'vehicles', '--tables', `vehicles=${name}`]);
    expect(result.stdout).toMatch(new RegExp(`^vehicles +${name} +${problem.replace(/[()]/g, '\\$&')}$`, 'm'));
    expect(result.exitCode).toBe(1);
  }
});

it('tables check finds two tables that were exchanged, also when both have the same erasure', async () => {
  const { vehicles, compliance } = engine().names;
  const erasure = { registration: 'ER10ASE', erased: { at: '2026-01-01T00:00:00.000Z', by: 'somebody' } };
  await store('vehicles', erasure, aVehicle('AB12CDE'));
  await store('compliance', erasure, aCompliance('AB12CDE'));
  const exchanged = await run(['tables', 'check', '--tables', `vehicles=${compliance},compliance=${vehicles}`]);
  expect(exchanged.exitCode).toBe(1);
  for (const table of ['vehicles', 'compliance']) {
    expect(exchanged.stdout).toContain(`none of its items that were read is a record of ${table}`);
  }
});
