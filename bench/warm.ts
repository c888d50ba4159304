/** Warm invocations of the insurance lookup: a raw SDK handler, this API, and this API with the stock SDK client. */
import { type Column, comparisonTable, ratioFinding } from './lookup/comparison.ts';
import { type HandlerName, type HandlerProcess, inTurn, withHandlers } from './lookup/handlers.ts';
import type { Block } from './lookup/warm-process.ts';
import { median, type Progress, percentile, type Run } from './report.ts';

/** Each with fresh processes. */
const ROUNDS = 3;
/** Blocks before any is counted: enough that V8 is done compiling, whose threads count as CPU of the process. */
const WARM_UP_BLOCKS = 30;
const BLOCKS = 10;
const INVOCATIONS_PER_BLOCK = 100;
const MAX_RATIO = 0.98;

/** The counted blocks of one process. */
type Round = readonly Block[];

const invokeBlock = async (process: HandlerProcess): Promise<Block> => {
  process.send(INVOCATIONS_PER_BLOCK);
  const block = await process.receive<Block>();
  if (block.statusCodes.some((status) => status !== 200))
    throw new Error(`answers were ${block.statusCodes.join(', ')}`);
  return block;
};

/** Invokes the handlers in blocks that take turns. @throws Error when one does not answer 200 */
const warmRounds = (progress: Progress): Promise<ReadonlyMap<HandlerName, readonly Round[]>> =>
  withHandlers('warm-process', async ({ bundles, start }) => {
    const rounds = new Map<HandlerName, Round[]>(bundles.map(({ name }) => [name, []]));
    for (let round = 0; round < ROUNDS; round += 1) {
      const running = bundles.map((bundle) => ({ bundle, process: start(bundle), counted: [] as Block[] }));
      for (let block = 0; block < WARM_UP_BLOCKS + BLOCKS; block += 1) {
        progress(round * (WARM_UP_BLOCKS + BLOCKS) + block, ROUNDS * (WARM_UP_BLOCKS + BLOCKS), 'blocks in turns');
        for (const { process, counted } of inTurn(running, block)) {
          const measured = await invokeBlock(process);
          if (block >= WARM_UP_BLOCKS) counted.push(measured);
        }
      }
      for (const { bundle, process, counted } of running) {
        rounds.get(bundle.name)?.push(counted);
        await process.end();
      }
    }
    return rounds;
  });

const milliseconds = (name: string, of: Column<Round>['of']): Column<Round> => ({ name, unit: 'ms', digits: 2, of });
const latencies = (round: Round): readonly number[] => round.flatMap(({ latenciesMs }) => latenciesMs);

const CPU = milliseconds(
  'CPU per invocation',
  (round) => round.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / (BLOCKS * INVOCATIONS_PER_BLOCK),
);
const COLUMNS = [
  CPU,
  milliseconds('p50', (round) => median(latencies(round))),
  milliseconds('p99', (round) => percentile(latencies(round), 0.99)),
];

const run: Run = async (progress) => {
  const measured = await warmRounds(progress);
  return {
    findings: [ratioFinding(measured, CPU, MAX_RATIO)],
    blocks: [
      {
        text: `The bundles of the cold starts, on the same stub over TLS, with \`--expose-gc\`. ${ROUNDS} rounds with fresh processes, ${INVOCATIONS_PER_BLOCK} invocations a block, one after the other; ${WARM_UP_BLOCKS} blocks of warm-up, then ${BLOCKS} that count. CPU is user and system time of the invoking process. Medians of the rounds, in brackets the middle half.`,
      },
      { table: comparisonTable(measured, COLUMNS, [CPU]) },
    ],
  };
};
export default run;
