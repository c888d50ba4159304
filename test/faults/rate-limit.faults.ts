import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PLANS, type PlanName, windowAt } from '../../core/access/plans.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { databaseFromEnvironment } from '../../core/runtime/environment.ts';
import { NOON } from '../support/clock.ts';
import { type ChooseFault, forTable, seededNumbers, withProbability } from '../support/fault-choosers.ts';
import { type Fault, startFaultProxy } from '../support/fault-proxy.ts';
import { forkGateway } from '../support/forked-gateway.ts';
import { prepareEngine } from '../support/prepared-engine.ts';
import { bySize, reportFigures, sum, TIMEOUT_MS } from './size.ts';

const SEED = 20_260_615;
const GATEWAYS = 4;
/** Lookups through each gateway before anything is counted: the first ones of a process take longest. */
const WARM_UP = 20;
const WINDOW_MS = 60_000;
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, nth) => make(nth));
const next = seededNumbers(SEED);
/** Random milliseconds, one for each gateway. */
const randomTimes = (from: number, to: number): number[] =>
  times(GATEWAYS, () => from + Math.floor(next() * (to - from)));

/** Four gateway processes and an engine process with the sample vehicles, behind one fault proxy. */
const startFourGateways = async () => {
  const { newKey, db, names, close } = await prepareEngine();
  const faults = await startFaultProxy(databaseFromEnvironment().endpoint ?? '');
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: faults.endpoint, POWERTOOLS_LOG_LEVEL: 'SILENT' };
  const gateways = await Promise.all(times(GATEWAYS, () => forkGateway(environment)));
  /** Sends lookups at once, spread over the gateways, whose clocks show these times. */
  const send = async (key: string, count: number, clocks: readonly number[]) => {
    await Promise.all(gateways.map(({ setClock }, nth) => setClock(clocks[nth] ?? 0)));
    return Promise.all(
      times(count, async (nth) => {
        const origin = gateways[nth % GATEWAYS]?.origin;
        const response = await fetch(`${origin}/v1/vehicle/AB12CDE/insurance`, { headers: { 'X-API-Key': key } });
        await response.arrayBuffer();
        const numberIn = (name: string) => Number(response.headers.get(name) ?? Number.NaN);
        const [reset, retryAfter] = [numberIn('x-ratelimit-reset'), numberIn('retry-after')];
        return { time: clocks[nth % GATEWAYS] ?? 0, status: response.status, reset, retryAfter };
      }),
    );
  };
  const { key } = await newKey();
  for (let nth = 0; nth < WARM_UP; nth += 1) await send(key, GATEWAYS, Array(GATEWAYS).fill(NOON));
  const stop = async (): Promise<void> => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await faults.close();
    close();
  };
  return { db, names, faults, newKey, usage: usageTable(db, names.usage), send, stop };
};

type Sent = Awaited<ReturnType<Awaited<ReturnType<typeof startFourGateways>>['send']>>;
const countOf = (sent: Sent, status: number): number => sent.filter((one) => one.status === status).length;

let api: Awaited<ReturnType<typeof startFourGateways>>;
beforeAll(async () => {
  api = await startFourGateways();
}, TIMEOUT_MS);
afterAll(() => api.stop());

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
  const { key, keyId } = await api.newKey({ plan });
  const from = Math.floor(NOON / WINDOW_MS + nth) * WINDOW_MS;
  const window = windowAt(new Date(from));
  const Item = { keyId: { S: keyId }, windowStart: { N: String(window.start) }, used: { N: String(usedBefore) } };
  await api.db.send(new PutItemCommand({ TableName: api.names.usage, Item }));
  api.faults.reset();
  api.faults.inject(choose);
  const sent = await api.send(key, REQUESTS, randomTimes(from, from + WINDOW_MS));
  const updates = api.faults.calls.filter(({ tables }) => tables.includes(api.names.usage));
  const applied = updates.filter(({ fault }) => !NOT_APPLIED.includes(fault));
  const unanswered = updates.filter(({ fault }) => NOT_ANSWERED.includes(fault)).length;
  const left = PLANS[plan].requestsPerWindow - usedBefore;
  const [admitted, limited, failed] = [200, 429, 500].map((status) => countOf(sent, status)) as [
    number,
    number,
    number,
  ];
  return {
    ...{ plan, left, admitted, failed, lost: left - admitted, others: REQUESTS - admitted - limited - failed },
    faults: api.faults.calls.filter(({ fault }) => fault !== undefined).length,
    applied: applied.length,
    increment: ((await api.usage.countsSince(keyId, window.start))[0]?.used ?? 0) - usedBefore,
    /** Applied updates whose response did not arrive in time, because of a fault or of a slow machine: they are sent again. */
    responsesLost: applied.filter(({ fault, isAbandoned }) => NOT_ANSWERED.includes(fault) || isAbandoned).length,
    /** Updates that the SDK sent again because this machine was too slow, and not because of a fault. */
    machineRetries: Math.max(0, updates.length - REQUESTS - unanswered),
    /** Whether no database request was repeated or lost because this machine was too slow. */
    isUndisturbed: updates.length === REQUESTS && !api.faults.calls.some(({ isAbandoned }) => isAbandoned),
  };
};
type Burst = Awaited<ReturnType<typeof sendBurst>>;

describe('The rate limit of four processes on a faulty database', () => {
  const faulty: Burst[] = [];
  const control: Burst[] = [];
  const all = () => [...faulty, ...control];
  const undisturbed = () => control.filter(({ isUndisturbed }) => isUndisturbed);

  beforeAll(async () => {
    const chosen = withProbability(FAULT_SHARE, [...NOT_ANSWERED, SLOW] as Fault[], SEED);
    const [onKeys, onCounters] = [forTable(api.names.keys, chosen), forTable(api.names.usage, chosen)];
    for (let nth = 0; nth < WINDOWS.faulty; nth += 1)
      faulty.push(await sendBurst(nth, (call) => onKeys(call) ?? onCounters(call)));
    for (let nth = 0; nth < WINDOWS.control; nth += 1) control.push(await sendBurst(nth, () => undefined));
    for (const [name, bursts] of Map.groupBy(
      all(),
      ({ plan, faults }) => `${plan}${faults === 0 ? ' without faults' : ''}`,
    )) {
      const admitted = bursts.map((burst) => burst.admitted);
      const totals = (['faults', 'failed', 'lost', 'responsesLost'] as const).map((part) => [
        part,
        sum(bursts, (of) => of[part]),
      ]);
      const countedTwice = sum(bursts, ({ increment }) => Math.max(0, increment - REQUESTS));
      const extremes = { most: Math.max(...admitted), fewest: Math.min(...admitted), countedTwice };
      reportFigures(`rate limit, ${name}`, { windows: bursts.length, ...extremes, ...Object.fromEntries(totals) });
    }
  }, TIMEOUT_MS);

  it('admits no more than the plan allows in any window, and exactly that without faults', () => {
    expect(all()).toHaveLength(WINDOWS.faulty + WINDOWS.control);
    expect(all().filter(({ admitted, left }) => admitted > left)).toEqual([]);
    expect(undisturbed().filter(({ lost }) => lost !== 0)).toEqual([]);
  });

  it('loses admissions only to counter updates whose response was lost and to requests with status 500', () => {
    const isLostOtherwise = ({ lost, responsesLost, failed, machineRetries }: Burst) =>
      lost > responsesLost + failed + machineRetries;
    expect(all().filter(isLostOtherwise)).toEqual([]);
  });

  it('counts every update that the database applied, and each request once without faults', () => {
    expect(all().filter(({ applied, increment }) => applied !== increment)).toEqual([]);
    expect(undisturbed().filter(({ increment }) => increment !== REQUESTS)).toEqual([]);
  });

  it('answers a valid key with 200 or 429, and with 500 only when faults are injected', () => {
    expect(all().filter(({ others }) => others > 0)).toEqual([]);
    expect(undisturbed().filter(({ failed }) => failed > 0)).toEqual([]);
  });
});

const LIMIT = PLANS.free.requestsPerWindow;
const MAX_SKEW_MS = 60_000;
/** Milliseconds of true time between bursts, and their requests: in a minute more than the free plan allows. */
const STEP_MS = 5_000;
const BURST = 24;
/** The end of a key's last day in London, and milliseconds around it by the true clock. */
const LAST_DAY = '2026-06-15';
const END_OF_LAST_DAY = Date.parse('2026-06-15T23:00:00Z');
const MOMENTS = [-60_000, -30_000, 0, 30_000, 60_000];
/** Random sets of clocks beside the two fixed ones, and minutes of true time for each set. */
const { random, minutes } = bySize({ random: 1, minutes: 2 }, { random: 8, minutes: 5 });
/** Milliseconds by which the clock of each gateway is off. */
const SKEWS = [
  [0, 0, 0, 0],
  [-60_000, -20_000, 20_000, 60_000],
  ...times(random, () => randomTimes(-MAX_SKEW_MS, MAX_SKEW_MS)),
];

describe.each(SKEWS.map((skews) => ({ skews })))(
  'The rate limit of four clocks that are off by $skews ms',
  ({ skews }) => {
    it('counts in the windows of the times that the requests carry, and its headers follow them', async () => {
      const { key } = await api.newKey({ plan: 'free' });
      api.faults.reset();
      const sent: Sent = [];
      for (let time = NOON; time < NOON + minutes * WINDOW_MS; time += STEP_MS)
        sent.push(
          ...(await api.send(
            key,
            BURST,
            skews.map((skew) => time + skew),
          )),
        );
      // When this machine responds too slowly, the SDK repeats an update, which counts twice, or a request fails with 500.
      const repeated = api.faults.calls.filter(
        ({ tables, isAbandoned }) => tables.includes(api.names.usage) && isAbandoned,
      );
      const windows = Map.groupBy(sent, ({ time }) => windowAt(new Date(time)).end);
      const lost = [...windows.values()].map((own) => Math.min(own.length, LIMIT) - countOf(own, 200));
      expect(Math.min(...lost)).toBeGreaterThanOrEqual(0);
      expect(sum(lost, (count) => count)).toBeLessThanOrEqual(repeated.length + countOf(sent, 500));
      for (const [end, own] of windows) {
        for (const { time, status, reset, retryAfter } of own) {
          const wait = status === 429 ? Math.max(1, Math.ceil(end - time / 1_000)) : Number.NaN;
          expect({ reset, retryAfter }).toEqual({ reset: end, retryAfter: wait });
        }
      }
      reportFigures('clock skew', { sent: sent.length, windows: windows.size, admitted: countOf(sent, 200) });
    });

    it("ends a key's last day by the time that the request carries", async () => {
      const { key } = await api.newKey({ expires: LAST_DAY });
      for (const moment of MOMENTS) {
        const sent = await api.send(
          key,
          GATEWAYS,
          skews.map((skew) => END_OF_LAST_DAY + moment + skew),
        );
        expect(sent.map(({ status }) => status)).toEqual(sent.map(({ time }) => (time < END_OF_LAST_DAY ? 200 : 401)));
      }
    });
  },
);
