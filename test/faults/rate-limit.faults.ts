import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { PLANS, type PlanName, windowAt } from '../../core/access/plans.ts';
import { NOON } from '../support/clock.ts';
import { type ChooseFault, forTable, seededNumbers, withProbability } from '../support/fault-choosers.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { aVehicle } from '../support/records.ts';
import { testApi } from '../support/test-api.ts';
import { bySize, reportFigures, sum, TIMEOUT_MS } from './size.ts';

const SEED = 20_260_615;
const WINDOW_MS = 60_000;
const next = seededNumbers(SEED);
const times = <T>(count: number, make: (nth: number) => T): T[] => Array.from({ length: count }, (_, nth) => make(nth));

const api = testApi(({ loadVehicles }) => loadVehicles(aVehicle('AB12CDE')));

/** Sends lookups at once and returns their responses. */
const send = (key: string, count: number) =>
  Promise.all(times(count, () => api.call('GET', '/v1/vehicle/AB12CDE/insurance', { key })));
type Replies = Awaited<ReturnType<typeof send>>;
const countOf = (replies: Replies, status: number): number => replies.filter((reply) => reply.status === status).length;

/** Of the requests to the tables of keys and of counters. */
const FAULT_SHARE = 0.15;
/** Sent at once in every window. */
const REQUESTS = 500;
/** Windows with faults, and windows without. */
const WINDOWS = bySize({ faulty: 3, control: 1 }, { faulty: 54, control: 6 });

/** In turn: 60, 200 and 400 of the 500 requests are left. */
const STARTS: readonly { readonly plan: PlanName; readonly usedBefore: number }[] = [
  { plan: 'free', usedBefore: 0 },
  { plan: 'standard', usedBefore: 400 },
  { plan: 'premium', usedBefore: 5_600 },
];

/** In time for the SDK, and too late (`core/dynamodb/database.ts`). */
const SLOW: Fault = { slowMs: 400 };
const TOO_SLOW: Fault = { slowMs: 1_500 };
const NOT_APPLIED: readonly (Fault | undefined)[] = ['throttle', 'error', 'hang', 'resetBefore'];
const NOT_ANSWERED: readonly (Fault | undefined)[] = [...NOT_APPLIED, 'resetAfter', 'errorAfter', 'truncate', TOO_SLOW];

/** Sends more requests with a new key than are left in the window. */
const sendBurst = async (nth: number, choose: ChooseFault) => {
  const { plan, usedBefore } = STARTS[nth % STARTS.length] ?? { plan: 'free', usedBefore: 0 };
  const key = await api.newKey({ plan });
  const keyId = keyIdOf(hashKey(key));
  api.clock.now = NOON + nth * WINDOW_MS;
  const { start } = windowAt(new Date(api.clock.now));
  const Item = { keyId: { S: keyId }, windowStart: { N: String(start) }, used: { N: String(usedBefore) } };
  await api.engine.client.send(new PutItemCommand({ TableName: api.engine.names.usage, Item }));
  api.faults.reset();
  api.faults.inject(choose);
  const replies = await send(key, REQUESTS);
  const updates = api.faults.calls.filter(({ tables }) => tables.includes(api.engine.names.usage));
  const applied = updates.filter(({ fault }) => !NOT_APPLIED.includes(fault));
  const unanswered = updates.filter(({ fault }) => NOT_ANSWERED.includes(fault)).length;
  const left = PLANS[plan].requestsPerWindow - usedBefore;
  const [admitted = 0, limited = 0, failed = 0] = [200, 429, 500].map((status) => countOf(replies, status));
  const { used = 0 } = (await api.usage.countsSince(keyId, start))[0] ?? {};
  return {
    ...{ plan, left, admitted, failed, others: REQUESTS - admitted - limited - failed },
    faults: api.faults.calls.filter(({ fault }) => fault !== undefined).length,
    applied: applied.length,
    increment: used - usedBefore,
    /** Applied updates whose response did not arrive in time, because of a fault or of a slow machine: they are sent again. */
    responsesLost: applied.filter(({ fault, isAbandoned }) => NOT_ANSWERED.includes(fault) || isAbandoned).length,
    /** Updates that the SDK sent again because this machine was too slow, and not because of a fault. */
    machineRetries: Math.max(0, updates.length - REQUESTS - unanswered),
  };
};

describe('The rate limit on a faulty database', () => {
  it(
    'admits no more than is left, loses only what was counted twice or failed, and counts every applied update',
    async () => {
      const chosen = withProbability(FAULT_SHARE, [...NOT_ANSWERED, SLOW] as Fault[], SEED);
      const [onKeys, onCounters] = [forTable(api.engine.names.keys, chosen), forTable(api.engine.names.usage, chosen)];
      const bursts: Awaited<ReturnType<typeof sendBurst>>[] = [];
      for (let nth = 0; nth < WINDOWS.faulty + WINDOWS.control; nth += 1)
        bursts.push(
          await sendBurst(nth, (call) => (nth < WINDOWS.faulty ? (onKeys(call) ?? onCounters(call)) : undefined)),
        );
      for (const burst of bursts) {
        const { left, admitted, failed, others, applied, increment, responsesLost, machineRetries, faults } = burst;
        expect(admitted).toBeLessThanOrEqual(left);
        expect(left - admitted).toBeLessThanOrEqual(responsesLost + failed + machineRetries);
        expect([increment, others]).toEqual([applied, 0]);
        if (faults === 0 && responsesLost + machineRetries === 0) expect([admitted, failed]).toEqual([left, 0]);
      }
      for (const [plan, group] of Map.groupBy(
        bursts,
        (burst) => `${burst.plan}, ${burst.faults > 0 ? '' : 'no '}faults`,
      )) {
        const admitted = group.map((burst) => burst.admitted);
        const [faults, failed, lost] = (['faults', 'failed', 'responsesLost'] as const).map((part) =>
          sum(group, (of) => of[part]),
        );
        const extremes = { most: Math.max(...admitted), fewest: Math.min(...admitted) };
        reportFigures(`rate limit, ${plan}`, {
          windows: group.length,
          ...extremes,
          faults,
          failed,
          responsesLost: lost,
        });
      }
    },
    TIMEOUT_MS,
  );
});

const LIMIT = PLANS.free.requestsPerWindow;
const MAX_SKEW_MS = 60_000;
/** Milliseconds of true time between bursts, and their requests at each clock: in a minute more than the free plan allows. */
const STEP_MS = 5_000;
const BURST = 6;
/** The end of a key's last day in London, and milliseconds around it by the true clock. */
const LAST_DAY = '2026-06-15';
const END_OF_LAST_DAY = Date.parse('2026-06-15T23:00:00Z');
/** Random sets of clocks beside the fixed one, and minutes of true time for each set. */
const { random, minutes } = bySize({ random: 1, minutes: 2 }, { random: 9, minutes: 5 });
/** Milliseconds by which the clock of each gateway is off. */
const SKEWS = [
  [-60_000, -20_000, 20_000, 60_000],
  ...times(random, () => times(4, () => Math.round((2 * next() - 1) * MAX_SKEW_MS))),
];

describe.each(SKEWS.map((skews) => ({ skews })))('The rate limit of clocks that are off by $skews ms', ({ skews }) => {
  /** In turn through gateways of these clocks. */
  const sendAt = async (key: string, trueTime: number, count: number) => {
    const sent: { readonly time: number; readonly reply: Replies[number] }[] = [];
    for (const skew of skews) {
      const time = trueTime + skew;
      api.clock.now = time;
      sent.push(...(await send(key, count)).map((reply) => ({ time, reply })));
    }
    return sent;
  };

  it('counts in the windows of the times that the requests carry, and its headers follow them', async () => {
    const key = await api.newKey({ plan: 'free' });
    const sent: Awaited<ReturnType<typeof sendAt>> = [];
    for (let time = NOON; time < NOON + minutes * WINDOW_MS; time += STEP_MS)
      sent.push(...(await sendAt(key, time, BURST)));
    // When this machine responds too slowly, the SDK repeats an update, which counts twice.
    const repeated = api.faults.calls.filter(({ isAbandoned }) => isAbandoned).length;
    const windows = Map.groupBy(sent, ({ time }) => windowAt(new Date(time)).end);
    for (const [end, own] of windows) {
      const lost =
        Math.min(own.length, LIMIT) -
        countOf(
          own.map(({ reply }) => reply),
          200,
        );
      expect(lost).toBeGreaterThanOrEqual(0);
      expect(lost).toBeLessThanOrEqual(repeated);
      for (const { time, reply } of own) {
        const [reset, wait] = ['x-ratelimit-reset', 'retry-after'].map((name) => reply.headers.get(name));
        const left = String(Math.max(1, Math.ceil(end - time / 1_000)));
        expect([reset, wait]).toEqual([String(end), reply.status === 429 ? left : null]);
      }
    }
    reportFigures('clock skew', { sent: sent.length, windows: windows.size });
  });

  it("ends a key's last day by the time that the request carries", async () => {
    const key = await api.newKey({ expires: LAST_DAY });
    for (const moment of [-30_000, 0, 30_000]) {
      for (const { time, reply } of await sendAt(key, END_OF_LAST_DAY + moment, 1))
        expect(reply.status).toBe(time < END_OF_LAST_DAY ? 200 : 401);
    }
  });
});
