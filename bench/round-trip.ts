/** An insurance look-up beside one that makes the same three database calls one after the other. */
import { fileURLToPath } from 'node:url';
import { preparePacedEngine } from '../test/support/prepared-engine.ts';
import { deployedBundles } from './deployed-bundles.ts';
import { type FunctionInstance, startFunction } from './function-instance/function-instance.ts';
import { lookUpEvent } from './function-instance/gateway-event.ts';
import { interleaved } from './interleaved.ts';
import { rankSumZ } from './rank-sum.ts';
import { type Block, type Finding, median, type Progress, percentile, type Run } from './report.ts';
import { ASKED, type Asked, differentAnswers, type Refusals, refuse, refusedCallers } from './round-trip/refusals.ts';

/** Injected per database request, in milliseconds, and invocations of each; the targets are for one of them. */
const LATENCIES = [
  { latencyMs: 0, invocations: 200 },
  { latencyMs: 1, invocations: 200 },
  { latencyMs: 5, invocations: 600 },
  { latencyMs: 10, invocations: 100 },
  { latencyMs: 20, invocations: 100 },
] as const;
const TARGET_LATENCY_MS = 5;
const TARGET_P50 = 0.58;
const TARGET_P99 = 0.7;

const REFUSAL_ROUNDS = 300;
const WARM_UP_ROUNDS = 20;
/** Far apart from the others, so that an answer which waited for it would show. */
const SLOW_VEHICLES_MS = 50;
/** Beyond ±3.3 chance alone comes once in a thousand samples. */
const CHANCE_Z = 3.3;

type Engine = Awaited<ReturnType<typeof preparePacedEngine>>;

interface Contest {
  readonly engine: Engine;
  readonly ours: FunctionInstance;
  readonly peer: FunctionInstance;
}

interface Compared {
  readonly latencyMs: number;
  readonly ours: readonly number[];
  readonly peer: readonly number[];
}

const repeatedTables = ({ names }: Engine) => [names.keys, names.usage, names.vehicles];

const compare = async ({ engine, ours, peer }: Contest, progress: Progress): Promise<readonly Compared[]> => {
  const event = lookUpEvent('AB12CDE', engine.key);
  const compared: Compared[] = [];
  for (const { latencyMs, invocations } of LATENCIES) {
    await engine.setPace({ delayMs: latencyMs, repeated: repeatedTables(engine) });
    const contestants = [ours, peer].map((instance) => ({ instance, event }));
    const [mine = [], theirs = []] = await interleaved(contestants, invocations, {
      onBlock: (done) => progress(done, invocations, `${latencyMs} ms injected`),
    });
    compared.push({ latencyMs, ours: mine, peer: theirs });
  }
  return compared;
};

const ratio = ({ ours, peer }: Compared, share: number): number => percentile(ours, share) / percentile(peer, share);

const ratioFinding = (name: string, share: number, target: number, compared: readonly Compared[]): Finding => {
  const atTarget = compared.filter(({ latencyMs }) => latencyMs === TARGET_LATENCY_MS);
  const found = Math.max(...atTarget.map((one) => ratio(one, share)));
  return {
    promise: `With ${TARGET_LATENCY_MS} ms injected per database request, ${name} at most ${target.toFixed(2)} of the sequential handler's`,
    found: found.toFixed(2),
    holds: found <= target,
  };
};

const comparedBlocks = (compared: readonly Compared[]): Block[] => [
  {
    table: {
      head: ['ms injected', 'p50 ms', 'sequential p50 ms', 'ratio', 'p99 ms', 'sequential p99 ms', 'ratio'],
      rows: compared.map((one) => [
        one.latencyMs,
        ...[0.5, 0.99].flatMap((share) => [
          percentile(one.ours, share).toFixed(2),
          percentile(one.peer, share).toFixed(2),
          ratio(one, share).toFixed(2),
        ]),
      ]),
    },
  },
];

const times = ({ answers }: Refusals, asked: Asked): number[] => answers[asked].map(({ ms }) => ms);

const apart = (refusals: Refusals): number => rankSumZ(times(refusals, 'known'), times(refusals, 'unknown'));

/** The refusals while everything takes as long, and while vehicles take much longer than admission. */
const refuseBothWays = async ({ engine, ours }: Contest, progress: Progress) => {
  const delayMs = TARGET_LATENCY_MS;
  const repeated = repeatedTables(engine);
  await engine.setPace({ delayMs: 0, repeated: [] });
  const callers = await refusedCallers(engine);
  progress(0, 2, 'refusals');
  await engine.setPace({ delayMs, repeated });
  await refuse(ours, callers, WARM_UP_ROUNDS);
  const even = await refuse(ours, callers, REFUSAL_ROUNDS);
  progress(1, 2, 'refusals while vehicles are slow');
  await engine.setPace({ delayMs, repeated, slower: { [engine.names.vehicles]: SLOW_VEHICLES_MS } });
  const slow = await refuse(ours, callers, WARM_UP_ROUNDS);
  return { even, slow };
};

const refusalFindings = (even: readonly Refusals[], slow: readonly Refusals[]): Finding[] => {
  const all = [...even, ...slow];
  const compared = all.flatMap(({ answers }) => ASKED.map((asked) => answers[asked].length)).reduce((a, b) => a + b, 0);
  const wrong = all.flatMap(({ caller, answers }) =>
    ASKED.flatMap((asked) => answers[asked].filter(({ statusCode }) => statusCode !== caller.status)),
  );
  const different = all.filter((refusals) => differentAnswers(refusals) !== 1).map(({ caller }) => caller.name);
  const farthest = Math.max(...even.map((refusals) => Math.abs(apart(refusals))));
  const slowest = Math.max(...slow.flatMap((refusals) => ASKED.map((asked) => median(times(refusals, asked)))));
  return [
    {
      promise: 'Precedence stays: refused callers get their 401, 403 or 429, whatever they ask for',
      found: `${compared - wrong.length} of ${compared} answers`,
      holds: wrong.length === 0,
    },
    {
      promise: 'One and the same answer, byte for byte, for a known, an unknown and an invalid registration',
      found: different.length === 0 ? `${compared} answers compared` : `differs for: ${different.join(', ')}`,
      holds: different.length === 0,
    },
    {
      promise: `A refusal does not wait for what was loaded: p50 below ${SLOW_VEHICLES_MS / 2} ms while vehicles take ${SLOW_VEHICLES_MS} ms`,
      found: `${slowest.toFixed(1)} ms`,
      holds: slowest < SLOW_VEHICLES_MS / 2,
    },
    {
      promise: `The time of a refusal does not tell known from unknown vehicles: rank-sum |z| at most ${CHANCE_Z}`,
      found: farthest.toFixed(1),
      holds: farthest <= CHANCE_Z,
    },
  ];
};

const refusalTable = (even: readonly Refusals[]): Block => ({
  table: {
    head: ['refused for', 'status', 'known: p50 ms', 'unknown: p50 ms', 'invalid: p50 ms', 'z, known to unknown'],
    rows: even.map((refusals) => [
      refusals.caller.name,
      refusals.caller.status,
      ...ASKED.map((asked) => median(times(refusals, asked)).toFixed(2)),
      apart(refusals).toFixed(1),
    ]),
  },
});

const METHOD = [
  'The deployed bundle, logs and metrics on, and a bare handler that reads the key, raises the counter and reads the vehicle',
  'one after the other, each in a process of its own, one invocation at a time, warm, in turns of 25. The database answers as',
  'it did the first time, at exactly the injected latency after a request has come.',
].join('\n');

const REFUSALS = [
  `Refused callers ask for a known, an unknown and an invalid registration, ${REFUSAL_ROUNDS} times each in random order, with`,
  `${TARGET_LATENCY_MS} ms per database request. An invalid one is refused a little sooner, since nothing is read for it; that tells only`,
  'what the form of a registration is. z counts standard deviations of chance (Mann–Whitney).',
].join('\n');

const run: Run = async (progress) => {
  const bundles = await deployedBundles();
  const engine = await preparePacedEngine();
  const contest = {
    engine,
    ours: startFunction(bundles.fileOf('vehicle-insurance')),
    peer: startFunction(fileURLToPath(new URL('./round-trip/sequential-look-up.ts', import.meta.url))),
  };
  try {
    const compared = await compare(contest, progress);
    const { even, slow } = await refuseBothWays(contest, progress);
    return {
      findings: [
        ratioFinding('p50', 0.5, TARGET_P50, compared),
        ratioFinding('p99', 0.99, TARGET_P99, compared),
        ...refusalFindings(even, slow),
      ],
      blocks: [{ text: METHOD }, ...comparedBlocks(compared), { text: REFUSALS }, refusalTable(even)],
    };
  } finally {
    await Promise.all([contest.ours.close(), contest.peer.close()]);
    engine.close();
    await bundles.remove();
  }
};
export default run;
