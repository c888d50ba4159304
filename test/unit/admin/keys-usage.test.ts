import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { windowAt } from '../../../core/access/plans.ts';
import { failure, NOW, useAdmin } from '../../support/use-admin.ts';

const { run, json, countedRun, interruptedRun, proxy, store, pathOf } = useAdmin();

interface Report {
  readonly keys: readonly { readonly id: string; readonly requests: number }[];
}

const at = (now: string) => ({ now: new Date(now) });
const create = async (name = 'Acme', now = NOW.toISOString(), ...options: string[]): Promise<string> =>
  (await json<{ id: string }>(['keys', 'create', '--plan', 'free', '--name', name, ...options], at(now))).id;
const rotate = async (id: string, now: string): Promise<string> =>
  (await json<{ id: string }>(['keys', 'rotate', id], at(now))).id;
/** As it is stored in a window, with the limit of the plan free if requests were rejected. */
const count = (keyId: string, minute: string, used: number, more: object = {}): Promise<void> => {
  const limit = used > 60 && { requestsPerWindow: 60 };
  return store('usage', { keyId, windowStart: Date.parse(minute) / 1_000, used, ...limit, ...more });
};
const usage = (month: string, ...options: string[]) => ['keys', 'usage', '--month', month, ...options];

describe('keys usage', () => {
  it('counts the requests of the current window, from twice the limit with "at least", and starts again in the next one', async () => {
    const id = await create();
    await count(id, '2026-11-21T12:00Z', 3);
    const shown = { id, plan: 'free', count: 3, limit: 60, reset: windowAt(NOW).end, allowance: [] };
    expect(await json(['keys', 'usage', id])).toEqual({ ...shown, hours: expect.any(Array) });
    const next = await run(['keys', 'usage', id], { now: new Date(NOW.getTime() + 60_000) });
    expect(next.stdout).toContain('0 of 60 requests');
    await count(id, '2026-11-21T12:00Z', 119);
    expect((await run(['keys', 'usage', id])).stdout).toContain('\n119 of 60 requests');
    await count(id, '2026-11-21T12:00Z', 120);
    expect((await run(['keys', 'usage', id])).stdout).toContain('\nat least 120 of 60 requests');
  });

  it('and keys list show what is used of the allowance, which the keys of a customer share', async () => {
    const plans = { free: { requestsPerWindow: 60, bulkSize: 100, unitsPerDay: 1_000, unitsPerMonth: 20_000 } };
    const env = { PLANS: JSON.stringify(plans) };
    const ids = [await create('One', NOW.toISOString(), '--customer', 'both'), await create('Two')];
    await run(['keys', 'update', ids[1] ?? '', '--customer', 'both']);
    const month = Date.parse('2026-11-01T00:00Z') / 1_000;
    await store('usage', { keyId: 'allowance#customer#both#free', windowStart: month, total: 7_000, d20: 9, d21: 250 });
    for (const id of ids) {
      const { stdout } = await run(['keys', 'usage', id], { env });
      expect(stdout).toContain('\n250 of 1,000 units in the day that ends at 2026-11-22T00:00:00.000Z.\n');
      expect(stdout).toContain('\n7,000 of 20,000 units in the month that ends at 2026-12-01T00:00:00.000Z.\n');
    }
    const list = ['keys', 'list', '--name', 'One'];
    const { stdout } = await run(list, { env });
    expect(stdout).toMatch(/ day 25 %$/m);
    expect(stdout).toMatch(/ month 35 %$/m);
    const allowance = [{ used: 250 }, { used: 7_000 }];
    expect(JSON.parse((await run([...list, '--json'], { env })).stdout)).toMatchObject([{ allowance }]);
  });

  it('has a line for each hour of the last 24 with requests', async () => {
    const id = await create();
    await count(id, '2026-11-20T10:00Z', 60);
    await count(id, '2026-11-21T11:00Z', 62);
    await count(id, '2026-11-21T12:00Z', 31);
    expect((await run(['keys', 'usage', id])).stdout.split('\n').slice(4)).toEqual([
      'hour, UTC         requests  rate limited  units',
      '2026-11-21T11:00  62        2             60',
      '2026-11-21T12:00  31        0             31',
      '',
    ]);
  });
});

it.each([
  ['is revoked', '2026-11-21T12:00Z', [], '2026-11-21T12:01Z'],
  ['expires in winter', '2026-11-21T23:59Z', ['--expires', '2026-11-21'], '2026-11-22T00:00Z'],
  ['expires in summer', '2026-10-20T22:59Z', ['--expires', '2026-10-20'], '2026-10-20T23:00Z'],
])('keys usage leaves out the windows after the end of a key that %s', async (_how, last, expires, after) => {
  const now = last.replace('Z', ':30Z');
  const id = await create('Acme', now, ...expires);
  if (expires.length === 0) await run(['keys', 'revoke', id], at(now));
  await count(id, last, 5);
  await count(id, after, 100);
  const later = { now: new Date(Date.parse(after) + 600_000) };
  expect(await json(usage(last.slice(0, 7), id), later)).toMatchObject({ keys: [{ requests: 5 }] });
  const { hours } = await json<{ hours: { requests: number }[] }>(['keys', 'usage', id], later);
  expect(hours.filter(({ requests }) => requests > 0)).toMatchObject([{ requests: 5 }]);
});

describe('keys usage --month', () => {
  it('counts from the first to the last minute the requests of each day, UTC, and those beyond the limit of a minute, and units', async () => {
    const id = await create('Acme', '2026-10-01T00:00Z');
    await run(['keys', 'update', id, '--plan', 'standard'], at('2026-11-01T12:00Z'));
    await count(id, '2026-10-31T23:59Z', 7);
    await count(id, '2026-11-01T00:00Z', 61);
    await count(id, '2026-11-01T23:59Z', 601, { extraUnits: 1_000, requestsPerWindow: 600 });
    await count(id, '2026-11-30T23:59Z', 5);
    await count(id, '2026-12-01T00:00Z', 40);
    const days = [
      { day: '2026-11-01', requests: 662, rateLimited: 2, units: 1_660 },
      { day: '2026-11-30', requests: 5, rateLimited: 0, units: 5 },
    ];
    const later = at('2026-12-03T09:00Z');
    const sums = { requests: 667, rateLimited: 2, units: 1_665 };
    const keys = [{ id, customer: null, name: 'Acme', plan: 'standard', keyIds: [id], ...sums, days }];
    const period = { month: '2026-11', from: '2026-11-01', to: '2026-11-30' };
    expect(await json(usage('2026-11', id), later)).toEqual({ ...period, file: null, keys });
    expect(await json(usage('2026-12', id), later)).toMatchObject({ keys: [{ requests: 40 }] });
    const shown = /667 requests in 2026-11, 2 rate limited, 1,665 units\.\n\nday, UTC .*\n2026-11-01 +662 +2 +1,660\n/;
    expect((await run(usage('2026-11', id), later)).stdout).toMatch(shown);
  });

  it('reports every key but the probe’s, and writes those with requests to a table and a CSV', async () => {
    const busy = await create('=A "B", C', NOW.toISOString(), '--customer', 'b-c');
    const idle = await create();
    await count(busy, '2026-11-02T10:00Z', 61);
    await count('probe-00000000000000000000', '2026-11-02T10:00Z', 10);
    const file = pathOf('usage.csv');
    const { stdout, stderr } = await run(usage('2026-11', '--csv', file));
    expect(stdout).toMatch(new RegExp(`^${busy} +free +61 +1 +60\\n=A "B", C$`, 'm'));
    expect(stdout).not.toContain(idle);
    expect(stdout).toMatch(/^Keys with requests in 2026-11: \d+ of \d+\.\n$/m);
    expect(stderr).toBe(`The days are in ${file}\n`);
    const csv = await readFile(file, 'utf8');
    expect(csv).toMatch(/^\uFEFFid,name,plan,day,requests,rate_limited,units,customer\r\n/);
    expect(csv).toContain(`\r\n${busy},"'=A ""B"", C",free,2026-11-02,61,1,60,b-c\r\n`);
    expect(csv).not.toContain('probe-');
    const { keys } = await json<Report>(usage('2026-11'));
    expect(keys.map(({ id }) => id)).toEqual(expect.arrayContaining([busy, idle]));
  });

  it('reports the keys of a customer, or a key and its successors, as one line with --by-customer', async () => {
    const old = await create('Acme, until 2025', '2026-11-01T08:00Z');
    const rotated = await rotate(old, '2026-11-02T08:00Z');
    await run(['keys', 'update', rotated, '--customer', 'ACME']);
    const test = await create('Acme, tests', '2026-11-03T08:00Z', '--customer', 'acme', '--env', 'test');
    const office = await create('Acme, office', '2026-11-04T08:00Z', '--customer', 'acme');
    await run(['keys', 'update', office, '--plan', 'standard']);
    const other = await create('Other', '2026-11-05T08:00Z');
    const chain = [other, await rotate(other, '2026-11-05T09:00Z')];
    await count(old, '2026-11-01T10:00Z', 61);
    await count(rotated, '2026-11-04T10:00Z', 5);
    await count(test, '2026-11-04T10:00Z', 7);
    await count(office, '2026-11-04T11:00Z', 2, { extraUnits: 499 });
    for (const id of chain) await count(id, '2026-11-05T10:00Z', 1);
    const days = [
      { day: '2026-11-01', requests: 61, rateLimited: 1, units: 60 },
      { day: '2026-11-04', requests: 14, rateLimited: 0, units: 506 },
    ];
    const sums = { requests: 75, rateLimited: 1, units: 566 };
    const line = { id: old, customer: 'acme', name: 'Acme, office', plan: 'free, standard', ...sums, days };
    const { keys } = await json<Report>(usage('2026-11', '--by-customer'));
    const keyIds = [old, rotated, test, office];
    expect(keys.filter(({ id }) => [...keyIds, other].includes(id))).toEqual([
      { ...line, keyIds },
      expect.objectContaining({ customer: null, plan: 'free', keyIds: chain, requests: 2 }),
    ]);
    expect((await json<Report>(usage('2026-11', test, '--by-customer'))).keys).toMatchObject([{ keyIds }]);
    expect((await json<Report>(usage('2026-11', test))).keys).toMatchObject([{ requests: 7, keyIds: [test] }]);
    const { stdout } = await run(usage('2026-11', '--by-customer'));
    expect(stdout).toMatch(/^customer or id .*\nname\n/);
    expect(stdout).toMatch(/^acme +free, stand… +75 +1 +566\nAcme, office$/m);
    expect(stdout).toMatch(/^Customers with requests in 2026-11: \d+ of \d+\.\n$/m);
    const ofOne = await run(usage('2026-11', test, '--by-customer'));
    expect(ofOne.stdout).toMatch(/^Customer acme, plan free, standard\nAcme, office\n/);
  });

  it('reports a month as long as all of its counters are kept, then what is left with a notice', async () => {
    const id = await create();
    for (const day of ['01', '02', '31']) await count(id, `2026-10-${day}T00:00Z`, 3);
    const whole = await json(usage('2026-10', id), at('2026-11-09T23:59:59Z'));
    expect(whole).toMatchObject({ from: '2026-10-01', to: '2026-10-31', keys: [{ requests: 9 }] });
    const rest = await run(usage('2026-10', id), at('2026-11-10T00:00:01Z'));
    expect(rest.stdout).toContain('\n6 requests in 2026-10');
    expect(rest.stderr).toBe('The days of 2026-10 before 2026-10-02 are missing: counters are kept for 40 days.\n');
    const gone = failure('nothing is left of 2026-10: counters are kept for 40 days');
    expect(await run(usage('2026-10', id), at('2026-12-10T00:00:01Z'))).toEqual(gone);
  });

  it('adds the counters of every page of 1 MB, as a busy month has several', async () => {
    const id = await create();
    for (const minute of ['00', '01', '02', '03'])
      await count(id, `2026-11-04T00:${minute}Z`, 10, { padding: 'x'.repeat(350_000) });
    const { stdout } = await countedRun(usage('2026-11', id));
    expect(stdout).toContain('\n40 requests in 2026-11');
    expect(proxy().calls.filter(({ operation }) => operation === 'Query')).toHaveLength(2);
  });

  it('ends at Ctrl-C without a CSV', async () => {
    const file = pathOf('usage.csv');
    expect(await interruptedRun(usage('2026-11', '--csv', file), 1, 'Query')).toMatchObject({ exitCode: 130 });
    await expect(readFile(file)).rejects.toThrow('ENOENT');
  });
});
