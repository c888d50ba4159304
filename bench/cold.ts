/** Cold starts of the insurance look-up beside the floor and the frameworks, and the size of every function. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleFunctions } from '../lib/cloud/bundles.ts';
import type { Run } from '../tools/report/report.ts';
import { sizeOf } from './peers/bundle.ts';
import type { ColdStart } from './peers/cold-process.ts';
import { coldStarts } from './peers/cold-starts.ts';
import {
  aheadFinding,
  type Column,
  comparisonChart,
  comparisonTable,
  peersTable,
  ratioFinding,
} from './peers/comparison.ts';
import { PEERS } from './peers/peers.ts';
import { sameWorkFinding } from './peers/same-work.ts';

const ROUNDS = 21;
const MAX_RATIO = 0.75;

/** What a process tells of its start, and the size of its bundle. */
type Figures = Omit<ColdStart, 'answer'> & { readonly kilobytes: number };

const milliseconds = (name: string, of: Column<Figures>['of']): Column<Figures> => ({
  name,
  unit: 'ms',
  digits: 1,
  of,
});

const BOTH = milliseconds('cold start', ({ importMs, firstAnswerMs }) => importMs + firstAnswerMs);
const IMPORT = milliseconds('import', ({ importMs }) => importMs);
const FIRST_ANSWER = milliseconds('first response', ({ firstAnswerMs }) => firstAnswerMs);
const CPU = milliseconds('CPU', ({ cpuMs }) => cpuMs);
const PEAK: Column<Figures> = {
  name: 'peak memory',
  unit: 'MB',
  digits: 1,
  of: ({ peakMegabytes }) => peakMegabytes,
};
const SIZE: Column<Figures> = { name: 'size gzipped', unit: 'kB', digits: 1, of: ({ kilobytes }) => kilobytes };
const COLUMNS = [BOTH, IMPORT, FIRST_ANSWER, CPU, PEAK, SIZE] as const;

const functionSizes = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'functions-'));
  try {
    const functions = Object.entries(await bundleFunctions(folder));
    return await Promise.all(functions.map(async ([id, bundle]) => ({ id, size: await sizeOf(bundle) })));
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** Fresh processes in turns: import, first response, peak memory, size. */
const run: Run = async (progress) => {
  const starts = await coldStarts(ROUNDS, progress);
  const measured = [...starts].map(([{ peer, size }, rounds]) => ({
    peer,
    rounds: rounds.map((start) => ({ ...start, kilobytes: size.gzipped })),
  }));
  const sizes = await functionSizes();
  return {
    findings: [
      sameWorkFinding(starts),
      ratioFinding(measured, BOTH, MAX_RATIO),
      ...COLUMNS.map((column) => aheadFinding(measured, column)),
    ],
    blocks: [
      {
        text: `A cold start is the import of the bundle and the first response. ${ROUNDS} fresh processes each, in turns; medians, in brackets the middle half. CPU is the processor time of both, the figure that other work on the machine changes least. All send the same three requests to the same stub of DynamoDB, over plain HTTP on this machine and answered at once: what a start costs besides on AWS (the micro-VM, Node itself, TLS) comes on top for everyone.`,
      },
      { table: comparisonTable(measured, COLUMNS) },
      {
        chart: comparisonChart(measured, [IMPORT, FIRST_ANSWER], { file: 'cold', title: 'Cold start of a look-up' }),
      },
      {
        text: 'What each does. All are bundled by esbuild, minified, the SDK with them. The frameworks are ES modules as the raw handler is, each in its newest version. They use the product’s own rules for keys, limit and insurance, validate the registration and send the rate limit headers; they leave out scopes, expiry, deadlines, problem documents, log and metrics.',
      },
      { table: peersTable(PEERS) },
      { text: 'The size of each function, kB of 1,000 bytes.' },
      {
        table: {
          head: ['function', 'kB', 'kB gzipped'],
          rows: sizes.map(({ id, size }) => [id, size.plain.toFixed(1), size.gzipped.toFixed(1)]),
        },
      },
    ],
  };
};
export default run;
