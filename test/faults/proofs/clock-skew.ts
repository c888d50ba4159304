/** Processes whose clocks disagree still share one exact count per window; what a caller gains by them is bounded. */
import fc from 'fast-check';
import { PLANS } from '../../../functions/access/plans.ts';
import { WINDOW_SECONDS, windowAt } from '../../../functions/access/window.ts';
import type { Block, Finding, Run } from '../../../tools/report/report.ts';
import { NOON } from '../../support/clock.ts';
import { exactFinding } from '../limit/exact-finding.ts';
import { GATEWAYS, startFourGateways } from '../limit/four-gateways.ts';
import { type AboutExpiry, askAboutExpiry } from '../limit/last-day.ts';
import { type Asking, askAround, type Sent } from '../limit/skewed-clocks.ts';

const SEED = 60_606;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
const MAX_SKEW_MS = 60_000;
const LIMIT = PLANS.free.requestsPerWindow;

/**
 * Windows that can be open during a minute of true time which begins anywhere: clocks up to a minute behind and up to a
 * minute ahead show three minutes, and three minutes that begin anywhere touch four windows.
 */
const WINDOWS_IN_A_MINUTE = 4;

/** Random sets of clocks beside the two fixed ones, and minutes of true time for each set. */
const SIZES: Readonly<Record<string, { readonly random: number; readonly minutes: number }>> = {
  quick: { random: 1, minutes: 2 },
  long: { random: 18, minutes: 5 },
};

/** Milliseconds by which each gateway's clock is off. */
const clockSets = (random: number): (readonly number[])[] => {
  const skew = fc.integer({ min: -MAX_SKEW_MS, max: MAX_SKEW_MS });
  const drawn = fc.sample(fc.tuple(...Array.from({ length: GATEWAYS }, () => skew)), { seed: SEED, numRuns: random });
  return [[0, 0, 0, 0], [-60_000, -20_000, 20_000, 60_000], ...drawn];
};

interface Trial extends Asking {
  readonly skews: readonly number[];
  readonly aboutExpiry: readonly AboutExpiry[];
}

const isAdmitted = ({ status }: Sent): boolean => status === 200;
const admittedOf = (sent: readonly Sent[]): number => sent.filter(isAdmitted).length;

/** The requests of each window, by the time that each carried. */
const windowsOf = ({ sent }: Trial): readonly (readonly Sent[])[] => [
  ...Map.groupBy(sent, ({ ownTime }) => windowAt(new Date(ownTime)).start).values(),
];

/** The most that was admitted in a minute of true time, wherever it begins. */
const mostInAMinute = ({ sent }: Trial): number => {
  const admitted = sent.filter(isAdmitted);
  const beginnings = [...new Set(sent.map(({ trueTime }) => trueTime))];
  return Math.max(
    ...beginnings.map(
      (from) => admitted.filter(({ trueTime }) => trueTime >= from && trueTime < from + WINDOW_MS).length,
    ),
  );
};

const tellsOwnTime = ({ ownTime, status, reset, retryAfter }: Sent): boolean => {
  const { end } = windowAt(new Date(ownTime));
  const wait = status === 429 ? Math.max(1, Math.ceil(end - ownTime / 1_000)) : undefined;
  return reset === end && retryAfter === wait;
};

const judge = (trials: readonly Trial[], minutes: number): Finding[] => {
  const windows = trials.flatMap(windowsOf);
  const over = windows.filter((sent) => admittedOf(sent) > LIMIT);
  const undisturbed = trials.filter(({ isUndisturbed }) => isUndisturbed).flatMap(windowsOf);
  const exact = undisturbed.filter((sent) => admittedOf(sent) === Math.min(sent.length, LIMIT));
  const sent = trials.flatMap((trial) => trial.sent);
  const bound = WINDOWS_IN_A_MINUTE * LIMIT;
  const most = Math.max(...trials.map(mostInAMinute));
  const boundOfAll = (minutes + WINDOWS_IN_A_MINUTE - 1) * LIMIT;
  const mostOfAll = Math.max(...trials.map((trial) => admittedOf(trial.sent)));
  const expiry = trials.flatMap(({ aboutExpiry }) => aboutExpiry);
  const judged = expiry.filter(({ status, owed }) => status === owed);
  const told = sent.filter(tellsOwnTime);
  return [
    {
      promise: `No window admits more than the plan's ${LIMIT}, whichever clocks open it`,
      found: `${over.length} of ${windows.length} windows did`,
      holds: over.length === 0,
    },
    exactFinding('Each window admits exactly what its plan allows, or all when less was sent', {
      all: windows.length,
      undisturbed: undisturbed.length,
      exact: exact.length,
    }),
    {
      promise: `A minute of true time, wherever it begins, admits at most ${WINDOWS_IN_A_MINUTE} windows' worth (${bound})`,
      found: `${most} at the most`,
      holds: most <= bound,
    },
    {
      promise: `${minutes} minutes of true time admit at most ${minutes + WINDOWS_IN_A_MINUTE - 1} windows' worth (${boundOfAll})`,
      found: `${mostOfAll} at the most`,
      holds: mostOfAll <= boundOfAll,
    },
    {
      promise: 'X-RateLimit-Reset and Retry-After agree with the time that the request carries',
      found: `${told.length} of ${sent.length} answers`,
      holds: told.length === sent.length,
    },
    {
      promise: "A key's last day ends by the time that the request carries",
      found: `${judged.length} of ${expiry.length} answers`,
      holds: judged.length === expiry.length,
    },
  ];
};

const inSeconds = (skews: readonly number[]): string =>
  skews.map((skew) => `${skew > 0 ? '+' : ''}${(skew / 1_000).toFixed(skew % 1_000 === 0 ? 0 : 1)}`).join(', ');

const show = (trials: readonly Trial[], minutes: number, size: string): Block[] => [
  {
    text: [
      `${GATEWAYS} gateway processes on one database, with clocks up to ${MAX_SKEW_MS / 1_000} s off (seed ${SEED}). A caller of the free plan asks through all of them,`,
      `far more than the plan allows, during ${minutes} minutes of true time in steps of 5 s. A request counts in the window of the time that its gateway`,
      'gave it, and that window has one counter for all. Clocks that disagree hold several windows open at once, so a caller who knows it spends them',
      'early: in a minute of true time up to four windows instead of the two which a minute that begins in mid-window touches. Over a longer time that is two',
      'windows more, once; the average stays that of the plan. Sets during which this machine took over a second for an answer, so that the SDK counted a',
      'request twice, are left out of the second promise.',
    ].join('\n'),
  },
  {
    table: {
      head: [
        'Set',
        'clocks off by, s',
        'sent',
        'windows',
        'fullest window',
        'most in a true minute',
        'admitted in all',
      ],
      rows: trials.map((trial, nth) => [
        nth + 1,
        inSeconds(trial.skews),
        trial.sent.length,
        windowsOf(trial).length,
        Math.max(...windowsOf(trial).map(admittedOf)),
        mostInAMinute(trial),
        admittedOf(trial.sent),
      ]),
    },
  },
  {
    chart: {
      file: `clock-skew-${size}`,
      title: 'Admitted: fullest window and fullest minute of true time, for each set of clocks',
      kind: 'bar',
      unit: 'requests',
      x: trials.map((_, nth) => String(nth + 1)),
      series: [
        {
          name: 'in a window',
          values: trials.map((trial) => Math.max(...windowsOf(trial).map(admittedOf))),
        },
        { name: 'in a minute of true time', values: trials.map(mostInAMinute) },
      ],
    },
  },
];

/** One set of clocks after the other. */
const run: Run = async (progress, size) => {
  const { random, minutes } = SIZES[size] ?? { random: 0, minutes: 0 };
  const api = await startFourGateways();
  const sets = clockSets(random);
  const trials: Trial[] = [];
  try {
    for (const [nth, skews] of sets.entries()) {
      progress(nth, sets.length, 'sets of clocks');
      const asking = await askAround(api, { start: NOON, minutes, skews });
      trials.push({ skews, ...asking, aboutExpiry: await askAboutExpiry(api, skews) });
    }
  } finally {
    await api.stop();
  }
  return { findings: judge(trials, minutes), blocks: show(trials, minutes, size) };
};
export default run;
