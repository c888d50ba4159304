import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PLANS, WINDOW_SECONDS, windowAt } from '../../core/access/plans.ts';
import { NOON } from '../support/clock.ts';
import { type FourGateways, GATEWAYS, startFourGateways } from './rate-limit/four-gateways.ts';
import { bySize, reportFigures, sum, TIMEOUT_MS } from './size.ts';

const SEED = 60_606;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
const MAX_SKEW_MS = 60_000;
const LIMIT = PLANS.free.requestsPerWindow;
/** Clocks up to a minute behind and ahead show three minutes during one: these touch four windows wherever they begin. */
const WINDOWS_IN_A_MINUTE = 4;
/** Milliseconds of true time between bursts, and their requests to each gateway: in a minute more than the free plan allows. */
const STEP_MS = 5_000;
const REQUESTS_PER_GATEWAY = 6;
/** The end of a key's last day in London, and seconds around it by the true clock. */
const LAST_DAY = '2026-06-15';
const END_OF_LAST_DAY = Date.parse('2026-06-15T23:00:00Z');
const MOMENTS = [-60, -30, 0, 30, 60];
/** Random sets of clocks beside the two fixed ones, and minutes of true time for each set. */
const { random, minutes } = bySize({ random: 1, minutes: 2 }, { random: 8, minutes: 5 });

const skew = fc.integer({ min: -MAX_SKEW_MS, max: MAX_SKEW_MS });
const randomSets = fc.sample(fc.array(skew, { minLength: GATEWAYS, maxLength: GATEWAYS }), {
  seed: SEED,
  numRuns: random,
});
/** Milliseconds by which the clock of each gateway is off. */
const CLOCK_SETS = [[0, 0, 0, 0], [-60_000, -20_000, 20_000, 60_000], ...randomSets];

const headerOf = ({ headers }: Response, name: string): number | undefined =>
  headers.has(name) ? Number(headers.get(name)) : undefined;

/** Sends requests through every gateway at a moment of true time. */
const sendAt = async (api: FourGateways, key: string, trueTime: number, skews: readonly number[], each: number) => {
  const ownTimes = skews.map((off) => trueTime + off);
  await api.setClocks(ownTimes);
  return Promise.all(
    Array.from({ length: GATEWAYS * each }, async (_, nth) => {
      const reply = await api.lookup(nth % GATEWAYS, key);
      const [reset, retryAfter] = [headerOf(reply, 'x-ratelimit-reset'), headerOf(reply, 'retry-after')];
      return { trueTime, ownTime: ownTimes[nth % GATEWAYS] ?? 0, status: reply.status, reset, retryAfter };
    }),
  );
};

type Sent = Awaited<ReturnType<typeof sendAt>>;

/** Traffic of one key of the free plan while true time passes. */
const sendTraffic = async (api: FourGateways, skews: readonly number[]) => {
  const { key } = await api.newKey({ plan: 'free' });
  const sent: Sent = [];
  api.faults.reset();
  for (let time = NOON; time < NOON + minutes * 60_000; time += STEP_MS)
    sent.push(...(await sendAt(api, key, time, skews, REQUESTS_PER_GATEWAY)));
  const updates = api.faults.calls.filter(({ tables }) => tables.includes(api.names.usage));
  /** The SDK repeats an update, which counts twice, when this machine responds too slowly. */
  return { sent, repeatedUpdates: updates.filter(({ isAbandoned }) => isAbandoned).length };
};

const isAdmitted = ({ status }: Sent[number]): boolean => status === 200;

/** The requests of each window, by the time that each carried. */
const windowsOf = (sent: Sent) => [...Map.groupBy(sent, ({ ownTime }) => windowAt(new Date(ownTime)).start).values()];

/** The most admissions in a minute of true time, wherever it begins. */
const mostInAMinute = (sent: Sent): number => {
  const admitted = sent.filter(isAdmitted).map(({ trueTime }) => trueTime);
  return Math.max(...admitted.map((from) => admitted.filter((at) => at >= from && at < from + WINDOW_MS).length));
};

describe('The rate limit of four processes whose clocks disagree', () => {
  let api: FourGateways;
  const runs: Awaited<ReturnType<typeof sendTraffic>>[] = [];
  const aroundExpiry: Sent = [];
  const sent = () => runs.flatMap((run) => run.sent);
  const windows = () => runs.flatMap((run) => windowsOf(run.sent));

  beforeAll(async () => {
    api = await startFourGateways();
    for (const skews of CLOCK_SETS) {
      runs.push(await sendTraffic(api, skews));
      const { key } = await api.newKey({ expires: LAST_DAY });
      for (const seconds of MOMENTS)
        aroundExpiry.push(...(await sendAt(api, key, END_OF_LAST_DAY + seconds * 1_000, skews, 1)));
    }
    const most = Math.max(...runs.map((run) => mostInAMinute(run.sent)));
    const inAll = Math.max(...runs.map((run) => run.sent.filter(isAdmitted).length));
    reportFigures('clock skew', {
      sent: sent().length,
      windows: windows().length,
      mostInAMinute: most,
      mostInAll: inAll,
    });
  }, TIMEOUT_MS);
  afterAll(() => api.stop());

  it(`admits no more than the plan's ${LIMIT} in any window, whichever clocks open it`, () => {
    expect(windows().filter((window) => window.filter(isAdmitted).length > LIMIT)).toEqual([]);
  });

  it('admits exactly what the plan allows in each window, or everything when less was sent', () => {
    const lost = runs.map(({ sent, repeatedUpdates }) => {
      const admissible = sum(windowsOf(sent), ({ length }) => Math.min(length, LIMIT));
      return admissible - sent.filter(isAdmitted).length - repeatedUpdates;
    });
    expect(Math.max(...lost)).toBeLessThanOrEqual(0);
  });

  it(`admits at most ${WINDOWS_IN_A_MINUTE} windows' worth in a minute of true time`, () => {
    expect(Math.max(...runs.map((run) => mostInAMinute(run.sent)))).toBeLessThanOrEqual(WINDOWS_IN_A_MINUTE * LIMIT);
  });

  it('admits three windows more than the minutes of true time at most', () => {
    const most = Math.max(...runs.map((run) => run.sent.filter(isAdmitted).length));
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
    expect(aroundExpiry).toHaveLength(CLOCK_SETS.length * MOMENTS.length * GATEWAYS);
    const expected = aroundExpiry.map(({ ownTime }) => (ownTime < END_OF_LAST_DAY ? 200 : 401));
    expect(aroundExpiry.map(({ status }) => status)).toEqual(expected);
  });
});
