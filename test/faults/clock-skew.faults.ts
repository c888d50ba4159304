import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PLANS, WINDOW_SECONDS, windowAt } from '../../functions/access/plans.ts';
import { NOON } from '../support/clock.ts';
import { type FourGateways, GATEWAYS, startFourGateways } from './rate-limit/four-gateways.ts';
import { type ExpiryResult, requestAroundExpiry } from './rate-limit/key-expiry.ts';
import { type Sent, type SkewedTraffic, sendTraffic } from './rate-limit/skewed-clocks.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const SEED = 60_606;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
const MAX_SKEW_MS = 60_000;
const LIMIT = PLANS.free.requestsPerWindow;
/**
 * Windows that can be open during a minute of true time: clocks up to a minute behind and up to a minute ahead show three
 * minutes, and three minutes that begin anywhere touch four windows.
 */
const WINDOWS_IN_A_MINUTE = 4;
/** Random sets of clocks beside the two fixed ones, and minutes of true time for each set. */
const { random, minutes } = bySize({ random: 1, minutes: 2 }, { random: 18, minutes: 5 });

/** Milliseconds by which each gateway's clock is off. */
const clockSets = (): (readonly number[])[] => {
  const skew = fc.integer({ min: -MAX_SKEW_MS, max: MAX_SKEW_MS });
  const skews = fc.array(skew, { minLength: GATEWAYS, maxLength: GATEWAYS });
  return [[0, 0, 0, 0], [-60_000, -20_000, 20_000, 60_000], ...fc.sample(skews, { seed: SEED, numRuns: random })];
};

const isAdmitted = ({ status }: Sent): boolean => status === 200;
const admittedOf = (sent: readonly Sent[]): number => sent.filter(isAdmitted).length;

/** The requests of each window, by the time that each carried. */
const windowsOf = ({ sent }: SkewedTraffic): readonly (readonly Sent[])[] => [
  ...Map.groupBy(sent, ({ ownTime }) => windowAt(new Date(ownTime)).start).values(),
];

/** The most admissions in a minute of true time, wherever it begins. */
const mostInAMinute = ({ sent }: SkewedTraffic): number => {
  const admitted = sent.filter(isAdmitted);
  const starts = [...new Set(sent.map(({ trueTime }) => trueTime))];
  return Math.max(
    ...starts.map((from) => admitted.filter(({ trueTime: at }) => at >= from && at < from + WINDOW_MS).length),
  );
};

describe('The rate limit of four processes whose clocks disagree', () => {
  let api: FourGateways;
  const runs: SkewedTraffic[] = [];
  const expiry: ExpiryResult[] = [];
  const sent = () => runs.flatMap((run) => run.sent);

  beforeAll(async () => {
    api = await startFourGateways();
    for (const skews of clockSets()) {
      runs.push(await sendTraffic(api, { start: NOON, minutes, skews }));
      expiry.push(...(await requestAroundExpiry(api, skews)));
    }
    const most = Math.max(...runs.map(mostInAMinute));
    reportFigures('clock skew', { sent: sent().length, windows: runs.flatMap(windowsOf).length, mostInAMinute: most });
  }, TIMEOUT_MS);
  afterAll(() => api.stop());

  it(`admits no more than the plan's ${LIMIT} in any window, whichever clocks open it`, () => {
    expect(runs.flatMap(windowsOf).filter((window) => admittedOf(window) > LIMIT)).toEqual([]);
  });

  it('admits exactly what the plan allows in each window, or everything when less was sent', () => {
    const windows = runs.filter(({ isUndisturbed }) => isUndisturbed).flatMap(windowsOf);
    expect(windows).not.toEqual([]);
    expect(windows.filter((window) => admittedOf(window) !== Math.min(window.length, LIMIT))).toEqual([]);
  });

  it(`admits at most ${WINDOWS_IN_A_MINUTE} windows' worth in a minute of true time`, () => {
    expect(Math.max(...runs.map(mostInAMinute))).toBeLessThanOrEqual(WINDOWS_IN_A_MINUTE * LIMIT);
  });

  it('admits three windows more than the minutes of true time at most', () => {
    const most = Math.max(...runs.map((run) => admittedOf(run.sent)));
    expect(most).toBeLessThanOrEqual((minutes + WINDOWS_IN_A_MINUTE - 1) * LIMIT);
  });

  it('sends X-RateLimit-Reset and Retry-After by the time that the request carries', () => {
    const actual = sent().map(({ reset, retryAfter }) => ({ reset, retryAfter }));
    const expected = sent().map(({ ownTime, status }) => {
      const { end } = windowAt(new Date(ownTime));
      return { reset: end, retryAfter: status === 429 ? Math.max(1, Math.ceil(end - ownTime / 1_000)) : undefined };
    });
    expect(actual).toEqual(expected);
  });

  it("ends a key's last day by the time that the request carries", () => {
    expect(expiry).not.toEqual([]);
    expect(expiry.filter(({ status, expected }) => status !== expected)).toEqual([]);
  });
});
