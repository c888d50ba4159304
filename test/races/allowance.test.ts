/** 50 callers at midnight UTC on the last day of a month, while responses are lost and their key changes. */
import { expect, it } from '@jest/globals';
import { allowanceOf } from '../../core/access/allowance.ts';
import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { sumUsage } from '../../core/access/usage-report.ts';
import { withProbability } from '../support/fault-choosers.ts';
import { aVehicle, TEST_PLANS } from '../support/records.ts';
import { runAdminCommand } from '../support/use-admin.ts';
import { useApi } from '../support/use-api.ts';

const limits = { requestsPerWindow: 6_000, bulkSize: 400 };
const plans = {
  ...TEST_PLANS,
  small: { ...limits, unitsPerDay: 40, unitsPerMonth: 60 },
  large: { ...limits, unitsPerDay: 2_100, unitsPerMonth: 2_150 },
};
const api = useApi(({ loadVehicles }) => loadVehicles(aVehicle('AB12CDE')), { plans });

const LAST_OF_JUNE = Date.parse('2026-06-30T23:59:59.990Z');
const FIRST_OF_JULY = Date.parse('2026-07-01T00:00:00.010Z');
const CALLERS = 50;
const SEED = 20_260_630;

const admin = async (now: number, ...args: string[]) => {
  const command = ['keys', ...args, '--json', '--dynamodb', api.engine.endpoint];
  const env = { PLANS: JSON.stringify(plans) };
  const { stdout, stderr } = await runAdminCommand(command, api.engine.names, { now: new Date(now), env });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
};

it('No limit of a day or month is passed, and what is rejected is no unit', async () => {
  const keys = [await api.newKey({ plan: 'small', createdAt: new Date(LAST_OF_JUNE).toISOString() })];
  const idOf = (key: string) => keyIdOf(hashKey(key), 'live');
  const entriesOf = (nth: number) => [5, 1, 1, 1, 1, 400, 1, 1, 1, 1][nth % 10] ?? 1;
  let asked = 0;
  /** Units of requests that were answered, requests that were rejected, and units of those whose outcome is unknown. */
  const sent = { answeredUnits: 0, rejected: 0, failedEntries: 0 };
  const call = async (now: number, entries: number) => {
    asked += 1;
    const key = keys[asked % keys.length] ?? '';
    api.clock.now = now;
    const { status, body } =
      entries === 1
        ? await api.call('GET', '/v1/vehicle/AB12CDE/insurance', { key })
        : await api.call('POST', '/v1/vehicle/bulk-insurance', {
            key,
            json: { registrations: Array(entries).fill('AB12CDE') },
          });
    if (status === 200) sent.answeredUnits += entries;
    else if (status === 500) sent.failedEntries += entries;
    else {
      sent.rejected += 1;
      expect(body).toMatchObject({ status: 429, code: 'ALLOWANCE_EXCEEDED' });
    }
    return status;
  };
  const round = (...times: [number, ...number[]]) =>
    Promise.all(
      Array.from({ length: CALLERS }, (_, nth) => call(times[nth % times.length] ?? times[0], entriesOf(nth))),
    );
  const lose = withProbability(0.1, ['resetAfter', 'errorAfter', 'truncate'], SEED);
  api.faults.inject((each) => (each.body.includes('"allowance#') ? lose(each) : undefined));

  await round(LAST_OF_JUNE);
  await round(LAST_OF_JUNE, FIRST_OF_JULY);
  const rotating = admin(FIRST_OF_JULY, 'rotate', idOf(keys[0] ?? ''));
  const [{ key: successor }] = await Promise.all([rotating, round(FIRST_OF_JULY)]);
  keys.push(successor);
  const changing = keys.map((key) => admin(FIRST_OF_JULY, 'update', idOf(key), '--plan', 'large'));
  await Promise.all([round(FIRST_OF_JULY), ...changing]);
  for (const _ of [1, 2]) await round(FIRST_OF_JULY);
  // Without faults the last unit can be used.
  api.faults.inject(() => undefined);
  while ((await call(FIRST_OF_JULY, 100)) === 200);
  while ((await call(FIRST_OF_JULY, 1)) !== 429);
  await api.faults.settled();
  const counts = api.faults.calls.filter(({ body }) => body.includes('ADD used')).length;
  api.faults.reset();

  const records = await Promise.all(keys.map((key) => api.keys.get(idOf(key))));
  const usedOf = async (plan: 'small' | 'large', now: number) => {
    const allowances = records.map((record) => allowanceOf({ ...record, plan }, plans[plan], new Date(now)));
    const used = await Promise.all(allowances.map((each) => each && api.usage.usedUnits(each)));
    // Key and successor share one.
    expect(used[1]).toEqual(used[0]);
    return Math.max(...Object.values(used[0] ?? {}));
  };
  const [june, july] = [await usedOf('small', LAST_OF_JUNE), await usedOf('small', FIRST_OF_JULY)];
  expect(Math.max(june, july)).toBeLessThanOrEqual(40);
  expect(await usedOf('large', FIRST_OF_JULY)).toBe(2_100);
  expect(sent.answeredUnits).toBeLessThanOrEqual(june + july + 2_100);
  const windows = await Promise.all(keys.map((key) => api.usage.counts(idOf(key), 0)));
  const invoiced = records.reduce((sum, record, nth) => sum + sumUsage(windows[nth] ?? [], record).units, 0);
  // The count of a request may have been sent again, because this machine was too slow.
  const recounted = counts - asked;
  const { answeredUnits, rejected, failedEntries } = sent;
  expect(rejected).toBeGreaterThan(0);
  expect(invoiced).toBeLessThanOrEqual(answeredUnits + failedEntries + Math.max(0, recounted));
}, 120_000);
