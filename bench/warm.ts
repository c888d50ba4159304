/** Warm invocations of the insurance look-up beside the floor and the frameworks. */

import { median, percentile } from '../tools/report/percentiles.ts';
import type { Run } from '../tools/report/report.ts';
import { aheadFinding, type Column, comparisonChart, comparisonTable, ratioFinding } from './peers/comparison.ts';
import { type Extent, type Round, warmRounds } from './peers/warm-rounds.ts';

/** Enough turns to warm up that V8 is done compiling: its threads count as processor time of the process. */
const EXTENT: Extent = { rounds: 3, warmUps: 30, blocks: 10, invocations: 100 };
const MAX_RATIO = 0.85;

const milliseconds = (name: string, of: Column<Round>['of']): Column<Round> => ({ name, unit: 'ms', digits: 2, of });

const cpuMs = (round: Round): number =>
  round.reduce((sum, block) => sum + block.cpuMs, 0) / (EXTENT.blocks * EXTENT.invocations);
const latencies = (round: Round): readonly number[] => round.flatMap(({ latenciesMs }) => latenciesMs);

const CPU = milliseconds('CPU per invocation', cpuMs);
const P50 = milliseconds('p50', (round) => median(latencies(round)));
const P99 = milliseconds('p99', (round) => percentile(latencies(round), 0.99));
const COLUMNS = [CPU, P50, P99] as const;

/** Processes in turns: processor time and latency of an invocation, once the code is warm. */
const run: Run = async (progress) => {
  const { rounds, warmUps, blocks, invocations } = EXTENT;
  const measured = [...(await warmRounds(EXTENT, progress))].map(([{ peer }, rounds]) => ({ peer, rounds }));
  return {
    findings: [ratioFinding(measured, CPU, MAX_RATIO), ...COLUMNS.map((column) => aheadFinding(measured, column))],
    blocks: [
      {
        text: `The bundles of the cold starts above, on the same stub. ${rounds} rounds with fresh processes; in each every peer is invoked in turns, ${invocations} times without a break, one after the other: ${warmUps} turns to warm up, then ${blocks} that count. CPU is user and system time of the invoking process alone: the stub of DynamoDB has its own. Medians of the rounds, in brackets the middle half.`,
      },
      { table: comparisonTable(measured, COLUMNS) },
      { chart: comparisonChart(measured, [CPU], { file: 'warm', title: 'CPU per warm look-up' }) },
    ],
  };
};
export default run;
