import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PlanName } from '../../functions/access/plans.ts';
import { NOON } from '../support/clock.ts';
import { type ChooseFault, forTable, withProbability } from '../support/fault-choosers.ts';
import { type FourGateways, GATEWAYS, startFourGateways } from './rate-limit/four-gateways.ts';
import { INJECTED } from './rate-limit/injected-faults.ts';
import { type Burst, type BurstResult, REQUESTS, sendBurst } from './rate-limit/rate-limit-burst.ts';
import { bySize, reportFigures, sum, TIMEOUT_MS } from './size.ts';

const SEED = 20_260_615;
/** Of the requests to the tables of keys and of counters. */
const FAULT_SHARE = 0.15;
const WINDOW_MS = 60_000;
/** Windows with faults, and windows without. */
const WINDOWS = bySize({ faulty: 8, control: 2 }, { faulty: 200, control: 20 });

/** Each window in turn: 60, 200 and 400 of the 500 requests are left. */
const STARTS: readonly { readonly plan: PlanName; readonly usedBefore: number }[] = [
  { plan: 'free', usedBefore: 0 },
  { plan: 'standard', usedBefore: 400 },
  { plan: 'premium', usedBefore: 5_600 },
];

const faultsFor = ({ names }: FourGateways): ChooseFault => {
  const chosen = withProbability(
    FAULT_SHARE,
    INJECTED.map(({ fault }) => fault),
    SEED,
  );
  const [onKeys, onCounters] = [forTable(names.keys, chosen), forTable(names.usage, chosen)];
  return (call) => onKeys(call) ?? onCounters(call);
};

/** A window each; each gateway has a time of its own in it. */
const bursts = (count: number): Omit<Burst, 'choose'>[] => {
  const offset = fc.integer({ min: 0, max: WINDOW_MS - 1 });
  const offsets = fc.sample(fc.array(offset, { minLength: GATEWAYS, maxLength: GATEWAYS }), {
    seed: SEED,
    numRuns: count,
  });
  const first = Math.floor(NOON / WINDOW_MS) * WINDOW_MS;
  return offsets.map((gateways, nth) => ({
    ...(STARTS[nth % STARTS.length] ?? { plan: 'free', usedBefore: 0 }),
    times: gateways.map((milliseconds) => first + nth * WINDOW_MS + milliseconds),
  }));
};

const lostIn = ({ left, admitted }: BurstResult): number => left - admitted;
const failedIn = ({ statuses }: BurstResult): number => statuses[500] ?? 0;

describe('The rate limit of four processes on a faulty database', () => {
  let api: FourGateways;
  const faulty: BurstResult[] = [];
  const control: BurstResult[] = [];
  const all = () => [...faulty, ...control];
  /** Windows in which the SDK never had to send an update twice because this machine was too slow. */
  const undisturbed = () => control.filter(({ asked }) => asked === REQUESTS);

  beforeAll(async () => {
    api = await startFourGateways();
    const choose = faultsFor(api);
    for (const [nth, burst] of bursts(WINDOWS.faulty + WINDOWS.control).entries()) {
      if (nth < WINDOWS.faulty) faulty.push(await sendBurst(api, { ...burst, choose }));
      else control.push(await sendBurst(api, { ...burst, choose: () => undefined }));
    }
    reportFigures('rate limit', {
      windows: all().length,
      faults: sum(faulty, ({ faults }) => faults.length),
      lost: sum(faulty, lostIn),
      failed: sum(faulty, failedIn),
      disturbed: control.length - undisturbed().length,
    });
  }, TIMEOUT_MS);
  afterAll(() => api.stop());

  it('admits no more than the plan allows in any window', () => {
    expect(all()).toHaveLength(WINDOWS.faulty + WINDOWS.control);
    expect(all().filter(({ admitted, left }) => admitted > left)).toEqual([]);
  });

  it('admits exactly what the plan allows without faults', () => {
    expect(undisturbed()).not.toEqual([]);
    expect(undisturbed().filter((window) => lostIn(window) !== 0)).toEqual([]);
  });

  it('loses at most one admission per injected fault', () => {
    expect(faulty.filter((window) => lostIn(window) > window.faults.length)).toEqual([]);
  });

  it('loses admissions only to counter updates whose response was lost and to requests with status 500', () => {
    expect(all().filter((window) => lostIn(window) > window.answersLost + failedIn(window))).toEqual([]);
  });

  it('counts every update that the database applied', () => {
    expect(all().filter(({ updates, increment }) => updates !== increment)).toEqual([]);
  });

  it('answers a valid key with 200 or 429, and with 500 only when faults are injected', () => {
    const counted = ({ statuses }: BurstResult) => sum([200, 429, 500], (status) => statuses[status] ?? 0);
    expect(all().filter((window) => counted(window) !== REQUESTS)).toEqual([]);
    expect(undisturbed().filter((window) => failedIn(window) > 0)).toEqual([]);
  });
});
