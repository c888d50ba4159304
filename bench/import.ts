/** The CLI's import of vehicles: its rows per second beside bare BatchWriteItem loops, and its memory over a long file. */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { prepareEngine } from '../test/support/prepared-engine.ts';
import { writeVehiclesFile } from './import/vehicles-file.ts';
import { type Block, type Finding, median, type Progress, type Run } from './report.ts';

const SPEED_ROWS = 60_000;
const SPEED_ROUNDS = 3;
const SPEED_TARGET = 0.9;
/** As many as the CLI has. */
const BATCHES_IN_FLIGHT = 8;

const MEMORY_ROWS = 1_000_000;
const MEMORY_TARGET = 1.1;
const SAMPLE_EVERY_MS = 250;
/** Parts of the file over which memory is told. */
const PARTS = 10;

const CLI = fileURLToPath(new URL('../bin/admin.ts', import.meta.url));
const BARE_WRITER = fileURLToPath(new URL('./import/bare-writer.ts', import.meta.url));
const ACCEPTING_DATABASE = fileURLToPath(new URL('./import/accepting-database.ts', import.meta.url));

const startImport = (file: string, endpoint: string): ChildProcess =>
  fork(CLI, ['--dynamodb', endpoint, 'import', 'vehicles', file], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });

/** @throws Error unless the import did all it should */
const ended = async (cli: ChildProcess): Promise<void> => {
  const [code] = await once(cli, 'exit');
  if (code !== 0) throw new Error(`the import ended with ${code}`);
};

/** What the CLI's summary says it took, from the first row to the last; the bare loops' clock begins after their start too. */
const secondsOfImport = async (file: string): Promise<number> => {
  const cli = startImport(file, process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  const [summary] = await Promise.all([text(cli.stdout ?? Readable.from([])), ended(cli)]);
  // Rows read, loaded, refused, then seconds and rows per second.
  const [, seconds] = /^ *[\d,]+ +[\d,]+ +[\d,]+ +([\d.]+) +[\d,]+$/m.exec(summary) ?? [];
  if (seconds === undefined) throw new Error('the import told no seconds');
  return Number(seconds);
};

const secondsOfBareLoop = async (inFlight: number): Promise<number> => {
  const [seconds] = (await once(fork(BARE_WRITER, [String(SPEED_ROWS), String(inFlight)]), 'message')) as [number];
  return seconds;
};

/** Rows per second of one writer on an engine that has nothing yet. */
const rate = async (seconds: () => Promise<number>): Promise<number> => {
  const engine = await prepareEngine();
  try {
    return SPEED_ROWS / (await seconds());
  } finally {
    engine.close();
  }
};

const compareSpeed = async (file: string, progress: Progress) => {
  const writers = [
    { name: 'import vehicles', seconds: () => secondsOfImport(file), rates: [] as number[] },
    {
      name: `bare loop, ${BATCHES_IN_FLIGHT} in flight`,
      seconds: () => secondsOfBareLoop(BATCHES_IN_FLIGHT),
      rates: [] as number[],
    },
    { name: 'bare loop, one after the other', seconds: () => secondsOfBareLoop(1), rates: [] as number[] },
  ];
  for (let round = 0; round < SPEED_ROUNDS; round += 1) {
    for (const [index, { name, seconds, rates }] of writers.entries()) {
      progress(round * writers.length + index, SPEED_ROUNDS * writers.length, name);
      rates.push(await rate(seconds));
    }
  }
  return writers.map(({ name, rates }) => ({ name, rowsPerSecond: median(rates) }));
};

/** Resident megabytes of a process. */
const residentMegabytes = async ({ pid }: ChildProcess): Promise<number> => {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1_024;
};

/** The median resident memory of an import over each part of its file. */
const memoryByPart = async (file: string, progress: Progress): Promise<readonly number[]> => {
  const database = fork(ACCEPTING_DATABASE);
  const [endpoint] = (await once(database, 'message')) as [string];
  let stored = 0;
  database.on('message', (items: number) => {
    stored = items;
    progress(items, MEMORY_ROWS, 'memory');
  });
  const samples: number[][] = Array.from({ length: PARTS }, () => []);
  const cli = startImport(file, endpoint);
  cli.stdout?.resume();
  const end = ended(cli);
  const sampling = setInterval(() => {
    const part = Math.floor((stored / MEMORY_ROWS) * PARTS);
    residentMegabytes(cli).then(
      (megabytes) => samples[Math.min(part, PARTS - 1)]?.push(megabytes),
      // The process may end just when it is looked at.
      () => undefined,
    );
  }, SAMPLE_EVERY_MS);
  try {
    await end;
  } finally {
    clearInterval(sampling);
    database.disconnect();
  }
  return samples.map(median);
};

const findingsOf = (speed: Awaited<ReturnType<typeof compareSpeed>>, memory: readonly number[]): Finding[] => {
  const [cli, bare] = speed.map(({ rowsPerSecond }) => rowsPerSecond);
  const share = (cli ?? 0) / (bare ?? 0);
  const growth = (memory.at(-1) ?? Number.NaN) / (memory[1] ?? Number.NaN);
  return [
    {
      promise: `Rows per second at least ${SPEED_TARGET} of a bare BatchWriteItem loop's`,
      found: share.toFixed(2),
      holds: share >= SPEED_TARGET,
    },
    {
      promise: `Resident memory near the end of ${MEMORY_ROWS.toLocaleString('en-GB')} rows at most ${MEMORY_TARGET.toFixed(2)} of that after a tenth`,
      found: growth.toFixed(2),
      holds: growth <= MEMORY_TARGET,
    },
  ];
};

const memoryTable = (memory: readonly number[]): Block => ({
  table: {
    head: ['share of the rows', 'resident memory MB'],
    rows: memory.map((megabytes, part) => [`${(part + 1) * (100 / PARTS)} %`, Math.round(megabytes)]),
  },
});

const SPEED = [
  `${SPEED_ROWS.toLocaleString('en-GB')} rows of a vehicles CSV, a policy each, through the CLI as an operator runs it, by its own summary: reading it twice and`,
  'checking it while it writes. The bare loops have their items prepared before the clock starts. Each on a fresh',
  `embedded engine in a process of its own, in turns, median of ${SPEED_ROUNDS}.`,
].join('\n');

const MEMORY = [
  `${MEMORY_ROWS.toLocaleString('en-GB')} rows into a database that takes everything and keeps nothing, so that only the importing process can grow: the`,
  `median of its resident memory over each tenth of the file, sampled every ${SAMPLE_EVERY_MS} ms.`,
].join('\n');

const run: Run = async (progress) => {
  const folder = await mkdtemp(join(tmpdir(), 'import-'));
  try {
    const [short, long] = [join(folder, 'short.csv'), join(folder, 'long.csv')];
    await writeVehiclesFile(short, SPEED_ROWS);
    const speed = await compareSpeed(short, progress);
    await writeVehiclesFile(long, MEMORY_ROWS);
    const memory = await memoryByPart(long, progress);
    return {
      findings: findingsOf(speed, memory),
      blocks: [
        { text: SPEED },
        {
          table: {
            head: ['writer', 'rows/s'],
            rows: speed.map(({ name, rowsPerSecond }) => [name, Math.round(rowsPerSecond)]),
          },
        },
        { text: MEMORY },
        memoryTable(memory),
      ],
    };
  } finally {
    await rm(folder, { recursive: true });
  }
};
export default run;
