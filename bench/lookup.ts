/** Cold starts and warm invocations of the insurance lookup: a raw SDK handler, this API, this API with the stock client. */
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { lookupEvent } from './events.ts';
import type { Block } from './function-process.ts';
import { type Functions, withFunctions } from './functions.ts';
import { preparePacedEngine } from './paced-engine.ts';
import { atMost, median, showProgress, table, targetTable } from './report.ts';

const COLD_STARTS = 21;
const MAX_COLD_RATIO = 0.62;
/** Each with fresh processes. */
const WARM_ROUNDS = 5;
/** In blocks of invocations; the warm-up lasts until V8 is done compiling, whose threads count as CPU of the process. */
const WARM = { warmUp: 30, blocks: 10, invocations: 100 };
const MAX_WARM_RATIO = 0.98;

const HANDLERS = ['raw SDK handler', 'this API', 'this API, stock SDK client'] as const;

/** The numbers below `count`, each round beginning with the next one, so that noise affects all alike. */
const rotated = (count: number, round: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => (index + round) % count);

type Start = (file: string) => ReturnType<Functions['start']>;

/** Of each file. The first round only fills the page cache. */
const measureColdStarts = async (start: Start, files: readonly string[], event: object) => {
  const measured = files.map((): { ms: number; importMs: number; cpuMs: number; peakMegabytes: number }[] => []);
  for (let round = 0; round <= COLD_STARTS; round += 1) {
    showProgress(round, COLD_STARTS, 'cold starts');
    for (const index of rotated(files.length, round)) {
      const process = await start(files[index] ?? '');
      const { importMs, cpuMs } = process.loaded;
      const first = await process.invoke([event]);
      await process.end();
      const { peakMegabytes } = first;
      const ms = importMs + (first.invocations[0]?.ms ?? Number.NaN);
      if (round > 0) measured[index]?.push({ ms, importMs, cpuMs: cpuMs + first.cpuMs, peakMegabytes });
    }
  }
  return measured;
};

/** A round's processor time of an invocation, and its median latency. */
const measureWarm = async (start: Start, files: readonly string[], event: object) => {
  const measured = files.map((): { cpuMs: number; p50: number }[] => []);
  for (let round = 0; round < WARM_ROUNDS; round += 1) {
    showProgress(round, WARM_ROUNDS, 'warm invocations');
    const processes = await Promise.all(files.map(start));
    const counted = files.map((): Block[] => []);
    for (let turn = 0; turn < WARM.warmUp + WARM.blocks; turn += 1) {
      for (const index of rotated(files.length, turn)) {
        const block = await processes[index]?.invoke([event], { repeat: WARM.invocations });
        if (block && turn >= WARM.warmUp) counted[index]?.push(block);
      }
    }
    for (const [index, blocks] of counted.entries()) {
      const cpuMs = blocks.reduce((sum, block) => sum + block.cpuMs, 0) / (WARM.blocks * WARM.invocations);
      measured[index]?.push({
        cpuMs,
        p50: median(blocks.flatMap(({ invocations }) => invocations.map(({ ms }) => ms))),
      });
    }
    for (const process of processes) await process.end();
  }
  return measured;
};

const COLUMNS = ['cold start ms', 'of which import ms', 'cold CPU ms', 'peak memory MB', 'warm CPU ms', 'warm p50 ms'];

const measure = (): Promise<readonly string[]> =>
  withFunctions(async ({ deployed, peer, start: startWith }) => {
    const engine = await preparePacedEngine();
    await engine.setDelay(0);
    // The raw handler does not read the request's key.
    const start: Start = (file) => startWith(file, { ...engine.overTls, KEY_ID: engine.keyId });
    try {
      const own = (await deployed())['vehicle-insurance'];
      const files = [await peer('raw-handler'), own, (await deployed('sdk'))['vehicle-insurance']];
      const event = lookupEvent(engine.key);
      const cold = await measureColdStarts(start, files, event);
      const warm = await measureWarm(start, files, event);
      const medians = files.map((_, handler) =>
        [
          ...(['ms', 'importMs', 'cpuMs', 'peakMegabytes'] as const).map((name) =>
            cold[handler]?.map((one) => one[name]),
          ),
          ...(['cpuMs', 'p50'] as const).map((name) => warm[handler]?.map((one) => one[name])),
        ].map((values = []) => median(values)),
      );
      const ratio = (column: number) => (medians[1]?.[column] ?? Number.NaN) / (medians[0]?.[column] ?? Number.NaN);
      const sizes = await Promise.all(files.map(async (file) => gzipSync(await readFile(file)).length / 1_000));
      return [
        targetTable(
          atMost('Cold start, ratio to the raw SDK handler', MAX_COLD_RATIO, ratio(0)),
          atMost('CPU of a cold start, ratio', MAX_COLD_RATIO, ratio(2)),
          atMost('CPU of a warm invocation, ratio', MAX_WARM_RATIO, ratio(4)),
        ),
        `Over TLS, with \`--expose-gc\`. Cold: import of the bundle and first response, ${COLD_STARTS} fresh processes each. Warm: ${WARM_ROUNDS} rounds with fresh processes, in turns. Medians.`,
        table(
          ['', ...COLUMNS, 'gzipped kB'],
          HANDLERS.map((name, handler) => [
            name,
            ...(medians[handler] ?? []).map((value) => value.toFixed(2)),
            sizes[handler]?.toFixed(1) ?? '',
          ]),
        ),
      ];
    } finally {
      engine.close();
    }
  });
export default measure;
