/** Under a steady load over all endpoints nothing fails and the gateway's memory stays where it is. */
import { median, percentile } from '../../../tools/report/percentiles.ts';
import type { Block, Finding, Run } from '../../../tools/report/report.ts';
import { inRandomOrder, type RequestKind } from '../soak/request-mix.ts';
import { type Answered, type SoakedApi, startSoakedApi } from '../soak/soaked-api.ts';
import type { Memory } from '../soak/soaked-gateway.ts';
import { sendSteadily, type Timed } from '../soak/steady-load.ts';

const SEED = 3_107;
const MAX_GROWTH = 0.1;
const MEGABYTE = 1_000_000;
/** Items created before the load, so that a deletion finds one even when creations take half a minute. */
const CREATED_BEFORE = 200;

/** Hundreds of requests sent at once before the load, so that memory has room for the most that is ever served at once. */
const BURST = 10;

interface Size {
  /** Requests per second. */
  readonly rate: number;
  readonly seconds: number;
  /** Seconds from one look at the memory to the next. */
  readonly lookEvery: number;
  /** What counts as the beginning and as the end, as shares of the time; before, code is still being compiled. */
  readonly beginning: readonly [number, number];
  readonly end: readonly [number, number];
}

const QUICK: Size = {
  rate: 100,
  seconds: 40,
  lookEvery: 2,
  beginning: [0.3, 0.6],
  end: [0.7, 1],
};
const LONG: Size = {
  rate: 200,
  seconds: 600,
  lookEvery: 5,
  beginning: [0.1, 0.2],
  end: [0.9, 1],
};

type Answers = readonly Timed<Answered>[];

const medianOf = (memory: readonly Memory[], part: keyof Memory, [from, to]: readonly [number, number]): number =>
  median(memory.slice(Math.floor(memory.length * from), Math.ceil(memory.length * to)).map((look) => look[part]));

const count = (number: number): string => number.toLocaleString('en');
const inMegabytes = (bytes: number): number => Math.round(bytes / (MEGABYTE / 10)) / 10;
const inMilliseconds = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

const growth = (memory: readonly Memory[], part: keyof Memory, { beginning, end }: Size) => {
  const [before, after] = [medianOf(memory, part, beginning), medianOf(memory, part, end)];
  const percent = ((after / before - 1) * 100).toFixed(1);
  return {
    found: `${inMegabytes(before)} → ${inMegabytes(after)} MB (${percent} %)`,
    holds: after < before * (1 + MAX_GROWTH),
  };
};

const wrongOutcome = ({ kind, outcome }: Answered): string[] =>
  outcome === String(kind.status) ? [] : [`${kind.name}: ${outcome}`];

const judge = (answers: Answers, memory: readonly Memory[], size: Size): Finding[] => {
  const failed = answers.filter(({ result }) => !/^[1-4]\d\d$/.test(result.outcome));
  const right = answers.filter(({ result }) => result.outcome === String(result.kind.status));
  const wrong = new Set(answers.flatMap(({ result }) => wrongOutcome(result)));
  return [
    {
      promise: 'No answer is 5xx or missing',
      found: `${failed.length} of ${count(answers.length)}`,
      holds: failed.length === 0,
    },
    {
      promise: 'Each request gets the one status that is right for it',
      found: [`${count(right.length)} of ${count(answers.length)}`, ...wrong].join('; '),
      holds: right.length === answers.length,
    },
    {
      promise: 'What JavaScript holds after a collection grows by less than 10 %',
      ...growth(memory, 'heap', size),
    },
    { promise: 'The resident memory grows by less than 10 %', ...growth(memory, 'resident', size) },
  ];
};

const latenciesOf = (answers: Answers, kind: RequestKind): number[] =>
  answers.flatMap(({ result, latency }) => (result.kind === kind ? latency : []));

const figures = (name: string, latencies: readonly number[]) => [
  name,
  latencies.length,
  ...[0.5, 0.99, 1].map((share) => inMilliseconds(percentile(latencies, share))),
];

/** A name for each tenth of the time. */
const moments = (memory: readonly Memory[], { lookEvery }: Size): string[] =>
  memory.map((_, nth) => (nth % Math.ceil(memory.length / 10) === 0 ? `${nth * lookEvery} s` : ''));

const asPercent = ([from, to]: readonly [number, number]): string => `${from * 100}–${to * 100} %`;

const show = (answers: Answers, memory: readonly Memory[], kinds: readonly RequestKind[], size: Size): Block[] => {
  const file = size === LONG ? 'long' : 'quick';
  const late = percentile(
    answers.map((answer) => answer.late),
    0.99,
  );
  const answered = kinds.filter(({ status }) => status < 300);
  return [
    {
      text: [
        `${size.rate} requests per second for ${size.seconds} s, ${count(answers.length)} in all, mixed over all endpoints in the numbers below (seed ${SEED}). They leave at their`,
        `time whatever is still unanswered (99 % of them within ${inMilliseconds(late)} ms of it), and latency counts from the moment at which a request was`,
        'due, so that a stall counts for all who had to wait (no coordinated omission). Gateway, engine and load are a process each on one machine;',
        'the engine keeps its data in memory and so grows with it, in its own process. As many items are deleted as created. Logs and metrics are on. First',
        `${count(BURST * 100)} requests are sent at once (only their statuses count), so that memory has room for the most that is ever served at once, and V8's space for new objects has its full size. Memory is`,
        `read every ${size.lookEvery} s after a forced collection, whose pause is in the latencies; compared are the medians of ${asPercent(size.beginning)} and of ${asPercent(size.end)} of the time.`,
      ].join('\n'),
    },
    {
      table: {
        head: ['Request', 'sent', 'p50 ms', 'p99 ms', 'slowest ms'],
        rows: [
          ...kinds.map((kind) => figures(kind.name, latenciesOf(answers, kind))),
          figures(
            'all',
            answers.map(({ latency }) => latency),
          ),
        ],
      },
    },
    {
      chart: {
        file: `soak-memory-${file}`,
        title: "The gateway's memory under a steady load",
        kind: 'line',
        unit: 'MB',
        x: moments(memory, size),
        series: [
          { name: 'resident', values: memory.map(({ resident }) => inMegabytes(resident)) },
          { name: 'JavaScript, after collection', values: memory.map(({ heap }) => inMegabytes(heap)) },
        ],
      },
    },
    {
      chart: {
        file: `soak-latency-${file}`,
        title: 'Latency by endpoint',
        kind: 'bar',
        unit: 'ms',
        x: answered.map(({ name }) => name),
        series: [0.5, 0.99].map((share) => ({
          name: `p${share * 100}`,
          values: answered.map((kind) => inMilliseconds(percentile(latenciesOf(answers, kind), share))),
        })),
      },
    },
  ];
};

const warmUp = async ({ kinds, send }: SoakedApi): Promise<Answers> => {
  const create = kinds.filter(({ name }) => name === 'create');
  for (let nth = 0; nth < CREATED_BEFORE; nth += 1) await Promise.all(create.map((kind) => send(kind, nth)));
  return sendSteadily(inRandomOrder(kinds, BURST, SEED), Number.POSITIVE_INFINITY, send);
};

/** A burst, then the steady load; memory is read meanwhile. */
const run: Run = async (progress, half) => {
  const size = half === 'long' ? LONG : QUICK;
  const { rate, seconds, lookEvery } = size;
  const api = await startSoakedApi();
  try {
    const burst = await warmUp(api);
    const requests = inRandomOrder(api.kinds, (rate * seconds) / 100, SEED);
    const looks: Promise<Memory>[] = [];
    const answers = await sendSteadily(requests, rate, (kind, nth) => {
      if (nth % rate === 0) progress(nth / rate, seconds, 'seconds');
      if (nth % (rate * lookEvery) === 0) looks.push(api.memory());
      return api.send(kind, nth);
    });
    const memory = await Promise.all(looks);
    return { findings: judge([...burst, ...answers], memory, size), blocks: show(answers, memory, api.kinds, size) };
  } finally {
    await api.stop();
  }
};
export default run;
