import { describe, expect, it } from '@jest/globals';
import { allowanceOf, allowanceUnits, readAllowance } from '../../../core/access/allowance.ts';
import type { KeyRecord } from '../../../core/access/key-record.ts';
import type { Plan } from '../../../core/access/plans.ts';
import type { Allowance } from '../../../core/access/usage-table.ts';
import { NOON, TEST_PLANS } from '../../support/records.ts';

const NOW = new Date(NOON);
const KEY: KeyRecord = { id: 'first', hash: '', name: 'Acme', plan: 'free', scopes: [], createdAt: '2026-06-01' };

const allowanceFor = (limits: Partial<Plan>, key: Partial<KeyRecord> = {}, now = NOW) =>
  allowanceOf({ ...KEY, ...key }, { ...TEST_PLANS.free, ...limits }, now);

/** @throws Error for a plan without an allowance */
const required = (...args: Parameters<typeof allowanceFor>): Allowance => {
  const allowance = allowanceFor(...args);
  if (allowance === undefined) throw new Error('there is no allowance');
  return allowance;
};

describe('The allowance of a key', () => {
  const daily = { unitsPerDay: 5 };
  const itemOf = (key: Partial<KeyRecord>) => required(daily, key).item;

  it('is shared by the keys of a customer that are on one plan, without a customer by a key and its successors', () => {
    const acme = itemOf({ customer: 'acme' });
    expect(itemOf({ id: 'other', customer: 'acme', firstKeyId: 'third' })).toEqual(acme);
    expect(itemOf({ id: 'second', firstKeyId: 'first' })).toEqual(itemOf({}));
    const all = [acme, itemOf({}), itemOf({ id: 'other' }), itemOf({ customer: 'first' }), itemOf({ plan: 'gone' })];
    expect(new Set(all.map(({ keyId }) => keyId)).size).toBe(all.length);
  });

  it('is none for a test key, the key of the probe and a plan without one', () => {
    for (const key of [{ environment: 'test' }, { id: 'probe-0123' }] as const) {
      expect(allowanceFor(daily, key)).toBeUndefined();
    }
    expect(allowanceFor({})).toBeUndefined();
  });

  it.each([
    ['2026-06-30T23:59:59.999Z', '2026-06-01', 'd30', '2026-07-01', '2026-07-01'],
    ['2026-07-01T00:00:00.000Z', '2026-07-01', 'd01', '2026-07-02', '2026-08-01'],
    ['2026-12-31T12:00:00.000Z', '2026-12-01', 'd31', '2027-01-01', '2027-01-01'],
    ['2028-02-29T00:00:00.000Z', '2028-02-01', 'd29', '2028-03-01', '2028-03-01'],
  ])('at %s is of the month from %s and of the day %s, in UTC', (now, month, day, dayEnd, monthEnd) => {
    const { item, counters, limits } = required({ unitsPerDay: 5, unitsPerMonth: 50 }, {}, new Date(now));
    expect(item.windowStart).toBe(Date.parse(month) / 1_000);
    expect(counters).toEqual(['total', day]);
    expect(limits).toEqual([
      { period: 'day', counter: day, limit: 5, end: new Date(dayEnd) },
      { period: 'month', counter: 'total', limit: 50, end: new Date(monthEnd) },
    ]);
  });

  it('is reported with what is used of each limit', async () => {
    const usage = { usedUnits: async () => ({ total: 7, d15: 3 }) };
    expect(await readAllowance(usage, KEY, { ...TEST_PLANS.free, unitsPerMonth: 9 }, NOW)).toEqual([
      { period: 'month', limit: 9, used: 7, resetsAt: '2026-07-01T00:00:00.000Z' },
    ]);
    expect(await readAllowance(usage, KEY, TEST_PLANS.free, NOW)).toEqual([]);
  });
});

/** The counters of one customer, which two instances write to. `lose` is called after each write is applied. */
const setup = (limits: Partial<Plan>, lose = (_write: number): boolean => false) => {
  const stored: Record<string, number> = {};
  const writes: number[] = [];
  const addUnits = async ({ counters, limits: checked }: Allowance, units: number) => {
    const write = writes.push(units);
    await Promise.resolve();
    const passes = checked.some(({ counter, limit }) => units > 0 && (stored[counter] ?? 0) + units > limit);
    if (passes) return undefined;
    for (const counter of counters) stored[counter] = (stored[counter] ?? 0) + units;
    if (lose(write)) throw new Error('lost');
    return { ...stored };
  };
  const allowance = required(limits);
  const instance = (maxAhead?: number) => {
    const units = allowanceUnits({ addUnits }, maxAhead);
    return {
      prepare: () => units.prepare(allowance),
      /** The period of the limit that is passed. */
      take: async (count = 1) => (await units.take(allowance, count))?.period,
      check: async () => (await units.check(allowance))?.period,
    };
  };
  return { stored, writes, instance };
};

describe('An instance takes units ahead', () => {
  it.each([
    [{ unitsPerDay: 999 }, 1],
    [{ unitsPerDay: 1_999 }, 1],
    [{ unitsPerDay: 2_000 }, 2],
    [{ unitsPerDay: 100_000, unitsPerMonth: 5_000 }, 5],
    [{ unitsPerMonth: 99_999 }, 99],
    [{ unitsPerDay: 100_000 }, 100],
    [{ unitsPerDay: 5_000_000 }, 100],
  ])('of the limits %j: %i at once', async (limits, units) => {
    const { writes, instance } = setup(limits);
    const { take } = instance();
    for (let nth = 0; nth < units; nth += 1) expect(await take()).toBeUndefined();
    expect(writes).toEqual([units]);
    await take();
    expect(writes).toEqual([units, units]);
  });

  it('once for many requests at the same time', async () => {
    const { writes, instance } = setup({ unitsPerDay: 100_000 });
    const { take } = instance();
    await Promise.all(Array.from({ length: 50 }, () => take()));
    expect(writes).toEqual([100]);
  });

  it('which it still has after requests of 5,000 other customers', async () => {
    const ofEach: Record<string, number> = {};
    const addUnits = async ({ item, counters }: Allowance, count: number) => {
      const used = (ofEach[item.keyId] ?? 0) + count;
      ofEach[item.keyId] = used;
      return Object.fromEntries(counters.map((counter) => [counter, used]));
    };
    const units = allowanceUnits({ addUnits });
    const allowance = required({ unitsPerDay: 100_000 });
    for (const customer of [...Array(5_000).keys(), ...Array(5_000).keys()]) {
      await units.take({ ...allowance, item: { ...allowance.item, keyId: `${customer}` } }, 1);
    }
    expect(new Set(Object.values(ofEach))).toEqual(new Set([100]));
  });

  it('when it is told to prepare, and then takes none for the request; a failure is repeated', async () => {
    const { writes, instance } = setup({ unitsPerDay: 100_000 }, (write) => write === 1);
    const { prepare, take } = instance();
    prepare();
    prepare();
    await expect(take()).rejects.toThrow('lost');
    expect(await take()).toBeUndefined();
    prepare();
    expect(writes).toEqual([100, 100]);
  });

  it('until they do not fit, and then takes single ones up to the limit', async () => {
    const { stored, instance } = setup({ unitsPerDay: 2_999 });
    const { take } = instance();
    for (let nth = 0; nth < 2_999; nth += 1) expect(await take()).toBeUndefined();
    expect(await take()).toBe('day');
    expect(stored).toEqual({ total: 2_999, d15: 2_999 });
  });
});

it('An instance of bulk requests takes only what they need', async () => {
  const { writes, stored, instance } = setup({ unitsPerDay: 2_000 });
  const { prepare, take } = instance(1);
  prepare();
  for (const units of [1, 1_000, 999]) expect(await take(units)).toBeUndefined();
  expect(writes).toEqual([1, 1_000, 999]);
  expect(stored).toEqual({ total: 2_000, d15: 2_000 });
});

describe('An instance rejects', () => {
  it('what another instance has used up, with one write that finds out, and then with none', async () => {
    const { writes, instance } = setup({ unitsPerDay: 10 });
    const [one, other] = [instance(), instance()];
    await one.take(10);
    for (const _ of [1, 2, 3]) expect(await other.take()).toBe('day');
    expect(writes).toEqual([10, 1, 0]);
  });

  it('only what cannot fit: a smaller bulk request still passes', async () => {
    const { writes, instance } = setup({ unitsPerDay: 10 });
    const { take } = instance();
    await take(6);
    expect(await take(5)).toBe('day');
    expect(await take(4)).toBeUndefined();
    expect(await take()).toBe('day');
    expect(writes).toEqual([6, 4]);
  });

  it('a bulk request that is larger than the whole allowance, without a write', async () => {
    const { writes, instance } = setup({ unitsPerDay: 10 });
    expect(await instance().take(11)).toBe('day');
    expect(writes).toEqual([]);
  });

  it.each([
    [{ unitsPerDay: 5, unitsPerMonth: 9 }, 'day'],
    [{ unitsPerDay: 9, unitsPerMonth: 5 }, 'month'],
    [{ unitsPerDay: 5, unitsPerMonth: 5 }, 'month'],
  ])('by the limits %j, and names the %s, whose end helps', async (limits, period) => {
    const { instance } = setup(limits);
    const { take, check } = instance();
    await take(5);
    expect([await take(), await check()]).toEqual([period, period]);
  });
});

it('A check for a bulk request takes nothing, and finds out that another instance has used all up', async () => {
  const { writes, stored, instance } = setup({ unitsPerDay: 2_000 });
  const [one, other] = [instance(1), instance(1)];
  expect(await one.check()).toBeUndefined();
  expect(stored.d15).toBe(0);
  await other.take(2_000);
  expect([await one.check(), await one.check()]).toEqual(['day', 'day']);
  expect(writes).toEqual([0, 2_000, 0]);
});

it('Units whose write was lost are gone, and no limit is passed', async () => {
  const { stored, instance } = setup({ unitsPerDay: 10 }, (write) => write % 3 === 0);
  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => instance().take()));
  const admitted = outcomes.filter(({ status, ...rest }) => status === 'fulfilled' && !('value' in rest && rest.value));
  expect(admitted.length).toBeLessThan(10);
  expect(stored.d15).toBe(10);
});
