/** Cold starts and warm invocations of the insurance lookup: a raw SDK handler, this API, this API with the stock client. */
import { lookupEvent } from './events.ts';
import type { Block, Loaded } from './function-process.ts';
import { type Functions, gzippedKb, inTurns, latencies, rotated, withFunctions } from './functions.ts';
import { atMost, median, percentile, showProgress, spread, table, targetTable } from './report.ts';
import { startTlsStub } from './tls-stub.ts';

const COLD_STARTS = 21;
const MAX_COLD_RATIO = 0.62;

/** Each with fresh processes. */
const WARM_ROUNDS = 5;
/** In blocks of invocations; the warm-up lasts until V8 is done compiling, whose threads count as CPU of the process. */
const WARM = { warmUp: 30, blocks: 10, invocations: 100 };
const MAX_WARM_RATIO = 0.98;

type Stub = Awaited<ReturnType<typeof startTlsStub>>;
type ColdStart = Loaded & { readonly first: Block };

const HANDLERS = ['raw SDK handler', 'this API', 'this API, stock SDK client'] as const;

/** The bundles of the handlers, in their order. */
const bundleHandlers = async ({ peer, deployed }: Functions): Promise<readonly string[]> => [
  await peer('raw-handler'),
  (await deployed())['vehicle-insurance'],
  (await deployed('sdk'))['vehicle-insurance'],
];

const measureColdStarts = async ({ start }: Functions, files: readonly string[], { key, env }: Stub) => {
  const measured = files.map((): ColdStart[] => []);
  // The first round only fills the page cache.
  for (let round = 0; round <= COLD_STARTS; round += 1) {
    showProgress(round, COLD_STARTS, 'cold starts');
    for (const index of rotated(files.length, round)) {
      const process = await start(files[index] ?? '', env);
      const first = await process.invoke([lookupEvent(key)]);
      await process.end();
      if (round > 0) measured[index]?.push({ ...process.loaded, first });
    }
  }
  return measured;
};

interface WarmRound {
  readonly cpuMs: number;
  readonly times: readonly number[];
}

const measureWarm = async ({ start }: Functions, files: readonly string[], { key, env }: Stub) => {
  const measured = files.map((): WarmRound[] => []);
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    showProgress(round, WARM_ROUNDS, 'warm invocations');
    const processes = await Promise.all(files.map((file) => start(file, env)));
    const contestants = processes.map((process) => ({ process, event: lookupEvent(key) }));
    for (const [index, blocks] of (await inTurns(contestants, WARM)).entries()) {
      const cpuMs = blocks.reduce((sum, block) => sum + block.cpuMs, 0) / (WARM.blocks * WARM.invocations);
      measured[index]?.push({ cpuMs, times: latencies(blocks) });
    }
    for (const process of processes) await process.end();
  }
  return measured;
};

interface Column<Figures> {
  readonly name: string;
  readonly digits: number;
  readonly of: (figures: Figures) => number;
}

const valuesOf = <Figures>(measured: readonly (readonly Figures[])[], handler: number, { of }: Column<Figures>) =>
  (measured[handler] ?? []).map(of);

/** The ratio of medians to the raw handler's. */
const ratioOf = <Figures>(measured: readonly (readonly Figures[])[], handler: number, column: Column<Figures>) =>
  median(valuesOf(measured, handler, column)) / median(valuesOf(measured, 0, column));

const comparison = <Figures>(
  measured: readonly (readonly Figures[])[],
  columns: readonly Column<Figures>[],
  ratios: readonly Column<Figures>[],
): string =>
  table(
    ['', ...columns.map(({ name }) => name), ...ratios.map(({ name }) => `${name}, ratio`)],
    HANDLERS.map((name, handler) => [
      name,
      ...columns.map((column) => spread(valuesOf(measured, handler, column), column.digits)),
      ...ratios.map((column) => ratioOf(measured, handler, column).toFixed(2)),
    ]),
  );

const COLD: Column<ColdStart> = {
  name: 'cold start ms',
  digits: 1,
  of: ({ importMs, first }) => importMs + (first.invocations[0]?.ms ?? Number.NaN),
};
const COLD_CPU: Column<ColdStart> = { name: 'CPU ms', digits: 1, of: ({ cpuMs, first }) => cpuMs + first.cpuMs };
const IMPORT: Column<ColdStart> = { name: 'of which import ms', digits: 1, of: ({ importMs }) => importMs };
const MEMORY: Column<ColdStart> = { name: 'peak memory MB', digits: 1, of: ({ first }) => first.peakMegabytes };

const WARM_CPU: Column<WarmRound> = { name: 'CPU per invocation ms', digits: 2, of: ({ cpuMs }) => cpuMs };
const P50: Column<WarmRound> = { name: 'p50 ms', digits: 2, of: ({ times }) => median(times) };
const P99: Column<WarmRound> = { name: 'p99 ms', digits: 2, of: ({ times }) => percentile(times, 0.99) };

const measure = (): Promise<readonly string[]> =>
  withFunctions(async (functions) => {
    const stub = await startTlsStub();
    try {
      const files = await bundleHandlers(functions);
      const cold = await measureColdStarts(functions, files, stub);
      const warm = await measureWarm(functions, files, stub);
      const sizes = await Promise.all(files.map(gzippedKb));
      return [
        targetTable(
          atMost('Cold start, ratio to the raw SDK handler', MAX_COLD_RATIO, ratioOf(cold, 1, COLD)),
          atMost('CPU of a cold start, ratio', MAX_COLD_RATIO, ratioOf(cold, 1, COLD_CPU)),
          atMost('CPU of a warm invocation, ratio', MAX_WARM_RATIO, ratioOf(warm, 1, WARM_CPU)),
        ),
        `Over TLS, with \`--expose-gc\`. Cold: import of the bundle and first response, ${COLD_STARTS} fresh processes each, in turns. Medians, in brackets the middle half.`,
        comparison(cold, [COLD, IMPORT, COLD_CPU, MEMORY], [COLD, COLD_CPU]),
        `Gzipped: ${HANDLERS.map((name, index) => `${name} ${sizes[index]?.toFixed(1)} kB`).join(', ')}.`,
        `Warm: ${WARM_ROUNDS} rounds with fresh processes, ${WARM.warmUp * WARM.invocations} invocations to warm up, then ${WARM.blocks * WARM.invocations} in blocks of ${WARM.invocations} that take turns.`,
        comparison(warm, [WARM_CPU, P50, P99], [WARM_CPU]),
      ];
    } finally {
      await stub.stop();
    }
  });
export default measure;
