/** Cold starts of the insurance lookup: a raw SDK handler, this API, and this API with the stock SDK client. */
import { isDeepStrictEqual } from 'node:util';
import { deployedBundles } from './deployed-bundles.ts';
import type { ColdStart } from './lookup/cold-process.ts';
import { type Column, comparisonTable, ratioFinding } from './lookup/comparison.ts';
import { gzippedKbOf, type HandlerName, inTurn, withHandlers } from './lookup/handlers.ts';
import type { Progress, Run } from './report.ts';
import { STUB_TABLES } from './stub/table-names.ts';

const ROUNDS = 21;
const MAX_RATIO = 0.62;

/** The requests of a lookup, each once. */
const REQUESTS = {
  [`GetItem ${STUB_TABLES.keys}`]: 1,
  [`UpdateItem ${STUB_TABLES.usage}`]: 1,
  [`GetItem ${STUB_TABLES.vehicles}`]: 1,
};

type Figures = ColdStart & { readonly kilobytes: number };

/** Starts each handler `ROUNDS` times in turns. @throws Error when one sends other requests or does not answer 200 */
const coldStarts = (progress: Progress): Promise<ReadonlyMap<HandlerName, readonly Figures[]>> =>
  withHandlers('cold-process', async ({ bundles, stub, start }) => {
    const starts = new Map<HandlerName, Figures[]>(bundles.map(({ name }) => [name, []]));
    for (let round = 0; round <= ROUNDS; round += 1) {
      progress(round, ROUNDS + 1, 'fresh processes');
      for (const bundle of inTurn(bundles, round)) {
        const process = start(bundle);
        const measured = await process.receive<ColdStart>();
        const requests = await stub.tally();
        await process.end();
        if (measured.answer.statusCode !== 200 || !isDeepStrictEqual({ ...requests }, REQUESTS)) {
          throw new Error(`${bundle.name} answered ${measured.answer.statusCode} after ${JSON.stringify(requests)}`);
        }
        // The first round only fills the page cache.
        if (round > 0) starts.get(bundle.name)?.push({ ...measured, kilobytes: bundle.gzippedKb });
      }
    }
    return starts;
  });

const milliseconds = (name: string, of: Column<Figures>['of']): Column<Figures> => ({
  name,
  unit: 'ms',
  digits: 1,
  of,
});

const TOTAL = milliseconds('cold start', ({ importMs, firstAnswerMs }) => importMs + firstAnswerMs);
const CPU = milliseconds('CPU', ({ cpuMs }) => cpuMs);
const COLUMNS = [
  TOTAL,
  milliseconds('import', ({ importMs }) => importMs),
  milliseconds('first response', ({ firstAnswerMs }) => firstAnswerMs),
  CPU,
  { name: 'peak memory', unit: 'MB', digits: 1, of: ({ peakMegabytes }) => peakMegabytes },
  { name: 'size gzipped', unit: 'kB', digits: 1, of: ({ kilobytes }) => kilobytes },
] satisfies readonly Column<Figures>[];

const functionSizes = async () => {
  const bundles = await deployedBundles();
  try {
    return await Promise.all(
      bundles.ids.map(async (id) => [id, (await gzippedKbOf(bundles.folderOf(id))).toFixed(1)] as const),
    );
  } finally {
    await bundles.remove();
  }
};

const run: Run = async (progress) => {
  const measured = await coldStarts(progress);
  return {
    findings: [ratioFinding(measured, TOTAL, MAX_RATIO), ratioFinding(measured, CPU, MAX_RATIO)],
    blocks: [
      {
        text: `The import of the bundle and the first response, over TLS, with \`--expose-gc\`: ${ROUNDS} fresh processes each, in turns; medians, in brackets the middle half. CPU is the processor time of both, which other work on the machine changes least.`,
      },
      { table: comparisonTable(measured, COLUMNS, [TOTAL, CPU]) },
      { table: { head: ['function', 'kB gzipped'], rows: await functionSizes() } },
    ],
  };
};
export default run;
