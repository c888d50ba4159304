/** However the database fails, no window of a key admits more than its plan allows, and faults cost little of it. */
import fc from 'fast-check';
import type { PlanName } from '../../../functions/access/plans.ts';
import type { Block, Finding, Run } from '../../../tools/report/report.ts';
import { NOON } from '../../support/clock.ts';
import { type ChooseFault, forTable, withProbability } from '../../support/fault-choosers.ts';
import { type Crowd, crowdWindow, REQUESTS, type Tally } from '../limit/crowded-window.ts';
import { exactFinding } from '../limit/exact-finding.ts';
import { CONCURRENCY, type FourGateways, GATEWAYS, startFourGateways } from '../limit/four-gateways.ts';
import { INJECTED } from '../limit/injected-faults.ts';

const SEED = 20_260_615;
/** Of the requests to the tables of keys and of counters. */
const FAULT_SHARE = 0.15;
const WINDOW_MS = 60_000;

/** Windows with faults, and windows without as a control. */
const SIZES: Readonly<Record<string, { readonly faulted: number; readonly control: number }>> = {
  quick: { faulted: 8, control: 2 },
  long: { faulted: 200, control: 20 },
};

/** What each window in turn starts from: 60, 200 and 400 requests are left. */
const STARTS: readonly { readonly plan: PlanName; readonly usedBefore: number }[] = [
  { plan: 'free', usedBefore: 0 },
  { plan: 'standard', usedBefore: 400 },
  { plan: 'premium', usedBefore: 5_600 },
];

const chooseFor = ({ names }: FourGateways): ChooseFault => {
  const faults = INJECTED.map(({ fault }) => fault);
  const drawn = withProbability(FAULT_SHARE, faults, SEED);
  const [onKeys, onCounters] = [forTable(names.keys, drawn), forTable(names.usage, drawn)];
  return (call) => onKeys(call) ?? onCounters(call);
};

/** A window each, wherever in it each gateway's clock stands. */
const crowds = (count: number, choose: ChooseFault): Crowd[] => {
  const withinWindow = fc.integer({ min: 0, max: WINDOW_MS - 1 });
  const offsets = fc.sample(fc.tuple(...Array.from({ length: GATEWAYS }, () => withinWindow)), {
    seed: SEED,
    numRuns: count,
  });
  const first = Math.floor(NOON / WINDOW_MS) * WINDOW_MS;
  return offsets.map((gateways, nth) => ({
    ...(STARTS[nth % STARTS.length] ?? { plan: 'free', usedBefore: 0 }),
    moments: gateways.map((offset) => first + nth * WINDOW_MS + offset),
    choose,
  }));
};

const sum = <T>(of: readonly T[], value: (each: T) => number): number =>
  of.reduce((total, each) => total + value(each), 0);

const lostIn = ({ left, admitted }: Tally): number => left - admitted;
const failedIn = ({ statuses }: Tally): number => statuses[500] ?? 0;

const judge = (faulted: readonly Tally[], control: readonly Tally[]): Finding[] => {
  const all = [...faulted, ...control];
  const over = all.filter(({ admitted, left }) => admitted > left);
  const undisturbed = control.filter(({ asked }) => asked === REQUESTS);
  const exact = undisturbed.filter((tally) => tally.admitted === tally.left);
  const affordable = faulted.filter((tally) => lostIn(tally) <= tally.faults.length);
  const explained = all.filter((tally) => lostIn(tally) <= tally.answersLost + failedIn(tally));
  const counted = all.filter(({ updates, rose }) => updates === rose);
  const strange = sum(all, ({ statuses }) => REQUESTS - sum([200, 429, 500], (status) => statuses[status] ?? 0));
  const failedWithoutFaults = sum(undisturbed, failedIn);
  return [
    {
      promise: 'No window admits more than its plan allows',
      found: `${over.length} of ${all.length} windows did`,
      holds: over.length === 0,
    },
    exactFinding('Without faults, and when the machine keeps up, a window admits exactly what its plan allows', {
      all: control.length,
      undisturbed: undisturbed.length,
      exact: exact.length,
    }),
    {
      promise: 'A window loses at most one admission per faulted database request',
      found: `${sum(faulted, lostIn)} lost to ${sum(faulted, ({ faults }) => faults.length)} faults; ${affordable.length} of ${faulted.length} windows within`,
      holds: affordable.length === faulted.length,
    },
    {
      promise: 'It loses them only to counter updates whose answer was lost and to requests answered 500',
      found: `${sum(faulted, ({ answersLost }) => answersLost)} answers lost, ${sum(faulted, failedIn)} requests answered 500; ${explained.length} of ${all.length} windows within`,
      holds: explained.length === all.length,
    },
    {
      promise: 'Each counter holds exactly the updates that the engine was given',
      found: `${counted.length} of ${all.length} windows`,
      holds: counted.length === all.length,
    },
    {
      promise: 'A sound key gets 200, 429 or, only when faults are injected, 500; a fault is never told as a wrong key',
      found: `${strange} other answers, ${failedWithoutFaults} answers 500 without faults`,
      holds: strange === 0 && failedWithoutFaults === 0,
    },
  ];
};

const figures = (tallies: readonly Tally[], name: string, left: number) => [
  name,
  left,
  tallies.length,
  Math.max(...tallies.map(({ admitted }) => admitted)),
  Math.min(...tallies.map(({ admitted }) => admitted)),
  sum(tallies, lostIn),
  sum(tallies, ({ faults }) => faults.length),
  sum(tallies, ({ tooSlow }) => tooSlow),
  sum(tallies, failedIn),
];

/** A name for every tenth window only, else they lie over each other. */
const windowLabels = (count: number): string[] =>
  Array.from({ length: count }, (_, nth) => (count <= 20 || (nth + 1) % 10 === 0 ? String(nth + 1) : ''));

const show = (faulted: readonly Tally[], control: readonly Tally[], size: string): Block[] => [
  {
    text: [
      `${faulted.length} windows of ${REQUESTS} look-ups each, sent at once, spread over ${GATEWAYS} gateway processes on one engine, each of which serves ${CONCURRENCY} at a time while the others wait, with`,
      `${FAULT_SHARE * 100} % of all requests to the tables of keys and counters failing (seed ${SEED}), and ${control.length} windows without faults.`,
      'Each window has a key and a minute of its own, and each gateway its own moment within that minute. To reach the larger plans with 500',
      'requests, part of their windows is used up before. Admitted is what was answered 200; lost is what the plan allowed and nobody got. An update',
      'whose answer is lost is sent again by the SDK and counts twice: that is the price of never admitting too many. The same happens on a machine so',
      'busy that an answer takes over a second by itself ("too slow"): a window without injected faults in which the SDK had to ask again is no proof of anything',
      'and is left out where windows without faults are spoken of.',
    ].join('\n'),
  },
  {
    table: {
      head: [
        'Windows',
        'allowed',
        'windows',
        'most admitted',
        'fewest admitted',
        'lost',
        'faults',
        'too slow',
        'answered 500',
      ],
      rows: STARTS.flatMap(({ plan }) =>
        [faulted, control].flatMap((tallies, withoutFaults) => {
          const own = tallies.filter((tally) => tally.plan === plan);
          return own[0] ? [figures(own, `${plan}${withoutFaults ? ', no faults' : ''}`, own[0].left)] : [];
        }),
      ),
    },
  },
  {
    table: {
      head: ['Fault', 'applied', 'answered', 'injected'],
      rows: INJECTED.map(({ name, applied, answered }) => [
        name,
        applied ? 'yes' : 'no',
        answered ? 'yes' : 'no',
        sum(faulted, ({ faults }) => faults.filter((injected) => injected === name).length),
      ]),
    },
  },
  {
    chart: {
      file: `limit-${size}`,
      title: 'Admissions lost in each window, beside its faults',
      kind: 'bar',
      unit: 'requests',
      x: windowLabels(faulted.length),
      series: [
        { name: 'faulted database requests', values: faulted.map(({ faults }) => faults.length) },
        { name: 'lost admissions', values: faulted.map(lostIn) },
      ],
    },
  },
];

/** Windows one after the other. */
const run: Run = async (progress, size) => {
  const { faulted, control } = SIZES[size] ?? { faulted: 0, control: 0 };
  const api = await startFourGateways();
  const choose = chooseFor(api);
  const tallies: Tally[] = [];
  try {
    for (const [nth, crowd] of crowds(faulted + control, choose).entries()) {
      progress(nth, faulted + control, 'windows');
      tallies.push(await crowdWindow(api, nth < faulted ? crowd : { ...crowd, choose: () => undefined }));
    }
  } finally {
    await api.stop();
  }
  const [withFaults, without] = [tallies.slice(0, faulted), tallies.slice(faulted)];
  return { findings: judge(withFaults, without), blocks: show(withFaults, without, size) };
};
export default run;
