import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PLANS, type PlanName, windowAt } from '../../core/access/plans.ts';
import { NOON } from '../support/clock.ts';
import { type ChooseFault, forTable, withProbability } from '../support/fault-choosers.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { type FourGateways, GATEWAYS, startFourGateways } from './rate-limit/four-gateways.ts';
import { bySize, reportFigures, sum, TIMEOUT_MS } from './size.ts';

const SEED = 20_260_615;
/** Of the requests to the tables of keys and of counters. */
const FAULT_SHARE = 0.15;
const WINDOW_MS = 60_000;
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
const FAULTS = [...NOT_ANSWERED, SLOW] as Fault[];

/** The time at each gateway, all in one window: one entry per window. */
const TIMES = fc
  .sample(fc.array(fc.integer({ min: 0, max: WINDOW_MS - 1 }), { minLength: GATEWAYS, maxLength: GATEWAYS }), {
    seed: SEED,
    numRuns: WINDOWS.faulty + WINDOWS.control,
  })
  .map((offsets, nth) => offsets.map((offset) => Math.floor(NOON / WINDOW_MS + nth) * WINDOW_MS + offset));

/** Sends 500 requests at once with a new key, spread over the gateways: more than are left in the window. */
const sendBurst = async (api: FourGateways, times: readonly number[], nth: number, choose: ChooseFault) => {
  const { plan, usedBefore } = STARTS[nth % STARTS.length] ?? { plan: 'free', usedBefore: 0 };
  const { key, keyId } = await api.newKey({ plan });
  const window = windowAt(new Date(times[0] ?? 0));
  const Item = { keyId: { S: keyId }, windowStart: { N: String(window.start) }, used: { N: String(usedBefore) } };
  await api.db.send(new PutItemCommand({ TableName: api.names.usage, Item }));
  await api.setClocks(times);
  api.faults.reset();
  api.faults.inject(choose);
  const replies = await Promise.all(Array.from({ length: REQUESTS }, (_, index) => api.lookup(index % GATEWAYS, key)));
  const countOf = (status: number) => replies.filter((reply) => reply.status === status).length;
  const callsOn = (table: string) => api.faults.calls.filter(({ tables }) => tables.includes(table));
  const updates = callsOn(api.names.usage);
  const applied = updates.filter(({ fault }) => !NOT_APPLIED.includes(fault));
  const unanswered = updates.filter(({ fault }) => NOT_ANSWERED.includes(fault)).length;
  const left = PLANS[plan].requestsPerWindow - usedBefore;
  return {
    plan,
    left,
    admitted: countOf(200),
    lost: left - countOf(200),
    failed: countOf(500),
    others: REQUESTS - countOf(200) - countOf(429) - countOf(500),
    faults: api.faults.calls.filter(({ fault }) => fault !== undefined).length,
    applied: applied.length,
    increment: ((await api.usage.countsSince(keyId, window.start))[0]?.used ?? 0) - usedBefore,
    /** Applied updates whose response did not arrive in time, because of a fault or of a slow machine: they are sent again. */
    responsesLost: applied.filter(({ fault, isAbandoned }) => NOT_ANSWERED.includes(fault) || isAbandoned).length,
    /** Those of them that were only slow. */
    responsesSlow: applied.filter(({ fault, isAbandoned }) => fault === TOO_SLOW || isAbandoned).length,
    /** Whether each request read its key once and was counted once: a slow machine repeats or loses database requests. */
    isUndisturbed:
      callsOn(api.names.keys).length === REQUESTS &&
      updates.length === REQUESTS &&
      !api.faults.calls.some(({ isAbandoned }) => isAbandoned),
    /** Updates that the SDK sent again because this machine was too slow, and not because of a fault. */
    machineRetries: Math.max(0, updates.length - REQUESTS - unanswered),
  };
};

/** By how much a counter exceeds the requests. Those that were never counted hide as many that were counted twice. */
const countedBeyondRequests = ({ increment }: { readonly increment: number }): number =>
  Math.max(0, increment - REQUESTS);

describe('The rate limit of four processes on a faulty database', () => {
  let api: FourGateways;
  const faulty: Awaited<ReturnType<typeof sendBurst>>[] = [];
  const control: typeof faulty = [];
  const all = () => [...faulty, ...control];
  const undisturbed = () => control.filter(({ isUndisturbed }) => isUndisturbed);

  beforeAll(async () => {
    api = await startFourGateways();
    const chosen = withProbability(FAULT_SHARE, FAULTS, SEED);
    const [onKeys, onCounters] = [forTable(api.names.keys, chosen), forTable(api.names.usage, chosen)];
    for (const [nth, times] of TIMES.entries()) {
      if (nth < WINDOWS.faulty)
        faulty.push(await sendBurst(api, times, nth, (call) => onKeys(call) ?? onCounters(call)));
      else control.push(await sendBurst(api, times, nth, () => undefined));
    }
    const figures = Map.groupBy(all(), ({ plan, faults }) => `${plan}${faults === 0 ? ' without faults' : ''}`);
    for (const [name, windows] of figures) {
      const of = (part: 'admitted' | 'faults' | 'failed' | 'lost' | 'responsesLost' | 'responsesSlow') =>
        sum(windows, (one) => one[part]);
      const admitted = windows.map((one) => one.admitted);
      const extremes = { most: Math.max(...admitted), fewest: Math.min(...admitted) };
      const totals = {
        faults: of('faults'),
        failed: of('failed'),
        lost: of('lost'),
        responsesLost: of('responsesLost'),
        responsesSlow: of('responsesSlow'),
        countedBeyondRequests: sum(windows, countedBeyondRequests),
      };
      reportFigures(`rate limit, ${name}`, { windows: windows.length, ...extremes, ...totals });
    }
  }, TIMEOUT_MS);
  afterAll(() => api.stop());

  it('admits no more than the plan allows in any window', () => {
    expect(all()).toHaveLength(TIMES.length);
    expect(all().filter(({ admitted, left }) => admitted > left)).toEqual([]);
  });

  it('admits exactly what the plan allows without faults', () => {
    expect(undisturbed().filter(({ lost }) => lost !== 0)).toEqual([]);
  });

  it('loses admissions only to counter updates whose response was lost and to requests with status 500', () => {
    const isLostOtherwise = ({ lost, responsesLost, failed, machineRetries }: (typeof faulty)[number]) =>
      lost > responsesLost + failed + machineRetries;
    expect(all().filter(isLostOtherwise)).toEqual([]);
  });

  it('counts every update that the database applied', () => {
    expect(all().filter(({ applied, increment }) => applied !== increment)).toEqual([]);
  });

  it('counts each request once without faults', () => {
    expect(undisturbed().filter(({ increment }) => increment !== REQUESTS)).toEqual([]);
  });

  it('answers a valid key with 200 or 429, and with 500 only when faults are injected', () => {
    expect(all().filter(({ others }) => others > 0)).toEqual([]);
    expect(undisturbed().filter(({ failed }) => failed > 0)).toEqual([]);
  });
});
