/**
 * Cold starts and warm invocations of the insurance lookup, beside a raw SDK handler and frameworks that send the same
 * database requests, written as their documentation writes it.
 */
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { bundleModule, deployed, startFunction } from './functions.ts';
import { preparePacedEngine } from './paced-engine.ts';
import { atMost, median, percentile, showProgress, table, targetTable } from './report.ts';
import { kindsOfRequest } from './requests.ts';

const COLD_STARTS = 21;
const MAX_COLD_RATIO = 0.73;
/** Each with fresh processes. */
const WARM_ROUNDS = 5;
/** In blocks of invocations. The warm-up lasts until V8 has compiled: its threads count as CPU of the process. */
const WARM = { warmUp: 30, blocks: 10, invocations: 100 };
const MAX_WARM_RATIO = 1;

/** Each is a file of `peers`. */
const PEERS = {
  middy: 'middy and its official middlewares',
  hono: 'Hono',
  fastify: 'Fastify',
  express: 'Express',
  powertools: 'Powertools event handler',
};

const COLUMNS = [
  ...(['cold start ms', 'of which import ms', 'cold CPU ms', 'peak memory MB'] as const),
  ...(['warm CPU ms', 'warm p50 ms', 'warm p99 ms', 'gzipped kB'] as const),
];
type Column = (typeof COLUMNS)[number];

/** The figures that are compared. */
const RATIOS = ['cold start ms', 'cold CPU ms', 'warm CPU ms', 'warm p50 ms', 'warm p99 ms'] as const;

/** A bundle of the lookup, and what was measured of it. */
const candidate = async (name: string, file: string) => {
  const samples: Partial<Record<Column, number>>[] = [{ 'gzipped kB': gzipSync(await readFile(file)).length / 1_000 }];
  return { name, file, samples };
};
type Candidate = Awaited<ReturnType<typeof candidate>>;

const medianOf = ({ samples }: Candidate, column: Column): number =>
  median(samples.flatMap((sample) => sample[column] ?? []));

/** All of them, each round beginning with the next one, so that noise affects all alike. */
const rotated = <T>(all: readonly T[], round: number): readonly T[] => {
  const first = round % all.length;
  return [...all.slice(first), ...all.slice(0, first)];
};

type Start = (candidate: Candidate) => ReturnType<typeof startFunction>;

/** The first round only fills the page cache. */
const measureColdStarts = async (start: Start, candidates: readonly Candidate[], event: object) => {
  for (let round = 0; round <= COLD_STARTS; round += 1) {
    showProgress(round, COLD_STARTS, 'cold starts');
    for (const one of rotated(candidates, round)) {
      const process = await start(one);
      const { importMs, cpuMs } = process.loaded;
      const first = await process.invoke([event]);
      await process.end();
      if (round > 0)
        one.samples.push({
          'cold start ms': importMs + (first.invocations[0]?.ms ?? Number.NaN),
          'of which import ms': importMs,
          'cold CPU ms': cpuMs + first.cpuMs,
          'peak memory MB': first.peakMegabytes,
        });
    }
  }
};

/** A round's processor time of an invocation, and its median latency. */
const measureWarm = async (start: Start, candidates: readonly Candidate[], event: object) => {
  const events = Array<object>(WARM.invocations).fill(event);
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    showProgress(round, WARM_ROUNDS, 'warm invocations');
    const running = await Promise.all(
      candidates.map(async (one) => ({ one, process: await start(one), cpuMs: 0, times: [] as number[] })),
    );
    for (let turn = 0; turn < WARM.warmUp + WARM.blocks; turn += 1) {
      for (const own of rotated(running, turn)) {
        const { cpuMs, invocations } = await own.process.invoke(events);
        if (turn < WARM.warmUp) continue;
        own.cpuMs += cpuMs;
        own.times.push(...invocations.map(({ ms }) => ms));
      }
    }
    for (const { one, process, cpuMs, times } of running) {
      one.samples.push({
        'warm CPU ms': cpuMs / times.length,
        'warm p50 ms': median(times),
        'warm p99 ms': percentile(times, 0.99),
      });
      await process.end();
    }
  }
};

/** Bundles the frameworks, which are installed only here. @throws Error when they cannot be installed */
const bundlePeers = async (): Promise<Candidate[]> => {
  const cwd = join(import.meta.dirname, 'peers');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd, stdio: 'ignore' });
  if (status !== 0) throw new Error('npm ci failed in bench/peers; it needs the npm registry.');
  return Promise.all(
    Object.entries(PEERS).map(async ([file, name]) => candidate(name, await bundleModule(`peers/${file}.ts`))),
  );
};

const measure = async (): Promise<readonly string[]> => {
  const engine = await preparePacedEngine();
  await engine.setDelay(0);
  // Only this API reads the request's key.
  const start: Start = ({ file }) => startFunction(file, { ...engine.overTls, KEY_ID: engine.keyId });
  const raw = await candidate('raw SDK handler', await bundleModule('raw-handler.ts'));
  const own = await candidate('this API', (await deployed())['vehicle-insurance']);
  const candidates = [raw, own, ...(await bundlePeers())];
  const event = kindsOfRequest(engine.key)[0]?.event(0) ?? {};
  await measureColdStarts(start, candidates, event);
  await measureWarm(start, candidates, event);
  const ratioOf = (one: Candidate, column: Column): number => medianOf(one, column) / medianOf(raw, column);
  const ratio = (column: Column): number => ratioOf(own, column);
  return [
    targetTable(
      atMost('Cold start, ratio to the raw SDK handler', MAX_COLD_RATIO, ratio('cold start ms')),
      atMost('CPU of a cold start, ratio', MAX_COLD_RATIO, ratio('cold CPU ms')),
      atMost('CPU of a warm invocation, ratio', MAX_WARM_RATIO, ratio('warm CPU ms')),
    ),
    `Over TLS, with \`--expose-gc\`. Cold: import of the bundle and first response, ${COLD_STARTS} fresh processes each. Warm: ${WARM_ROUNDS} rounds with fresh processes, in turns. Medians.`,
    table(
      ['', ...COLUMNS],
      candidates.map((one) => [one.name, ...COLUMNS.map((column) => medianOf(one, column).toFixed(2))]),
    ),
    'Ratios to the raw SDK handler:',
    table(
      ['', ...RATIOS.map((column) => column.replace(' ms', ''))],
      candidates.map((one) => [one.name, ...RATIOS.map((column) => ratioOf(one, column).toFixed(2))]),
    ),
  ];
};
export default measure;
