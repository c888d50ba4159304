/** The CLI's import of vehicles: its rows per second beside bare BatchWriteItem loops, and its memory over a long file. */
import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { forkCall } from '../test/support/fork.ts';
import { prepareEngine } from '../test/support/prepared-engine.ts';
import { writeVehiclesFile } from './generated-vehicles.ts';
import { atMost, grouped, median, showProgress, table, targetTable } from './report.ts';

const SPEED_ROWS = 60_000;
const SPEED_ROUNDS = 3;
/** The bare loop's rows per second in those of the import: 1 / 0.9. */
const MAX_SPEED_RATIO = 1.11;
/** As many as the CLI has. */
const BATCHES_IN_FLIGHT = 8;

const MEMORY_ROWS = 1_000_000;
const MAX_MEMORY_RATIO = 1.1;
const SAMPLE_EVERY_MS = 250;

const CLI = fileURLToPath(new URL('../bin/admin.ts', import.meta.url));

const startImport = (file: string, endpoint: string, nodeOptions: readonly string[] = []): ChildProcess =>
  fork(CLI, ['--dynamodb', endpoint, 'import', 'vehicles', file], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning', ...nodeOptions],
  });

/** @throws Error unless the import loaded everything */
const ended = async (cli: ChildProcess): Promise<void> => {
  const [code] = await once(cli, 'exit');
  if (code !== 0) throw new Error(`the import ended with ${code}`);
};

/** From the CLI's own summary, from the first row to the last; the bare loops' clock begins after their start too. */
const secondsOfImport = async (file: string): Promise<number> => {
  const cli = startImport(file, process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  const [summary] = await Promise.all([text(cli.stdout ?? Readable.from([])), ended(cli)]);
  // Rows read, loaded, rejected, then seconds and rows per second.
  const [, seconds] = /^ *[\d,]+ +[\d,]+ +[\d,]+ +([\d.]+) +[\d,]+$/m.exec(summary) ?? [];
  if (seconds === undefined) throw new Error('the import reported no seconds');
  return Number(seconds);
};

const secondsOfBareLoop = async (inFlight: number): Promise<number> => {
  const args = [SPEED_ROWS, inFlight];
  const { result, stop } = await forkCall<number>(
    new URL('./peers/bare-writer.ts', import.meta.url),
    'writeBare',
    args,
  );
  await stop();
  return result;
};

/** Median rows per second of each writer, each time on an engine of its own, in turns. */
const measureSpeed = async (file: string) => {
  const writers = [
    { name: 'import vehicles', write: () => secondsOfImport(file), rates: [] as number[] },
    { name: 'bare loop, 8 in flight', write: () => secondsOfBareLoop(BATCHES_IN_FLIGHT), rates: [] as number[] },
    { name: 'bare loop, one after the other', write: () => secondsOfBareLoop(1), rates: [] as number[] },
  ];
  for (let round = 0; round < SPEED_ROUNDS; round += 1) {
    showProgress(round, SPEED_ROUNDS, 'rows per second');
    for (const { write, rates } of writers) {
      const engine = await prepareEngine();
      rates.push(SPEED_ROWS / (await write()));
      engine.close();
    }
  }
  return writers.map(({ name, rates }) => ({ name, rate: median(rates) }));
};

const residentMegabytes = async ({ pid }: ChildProcess): Promise<number> => {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1_024;
};

/** Calls `add` with the megabytes of a process, again and again. */
type Watch = (cli: ChildProcess, add: (megabytes: number) => void) => void;

/** As the operating system counts it: also what V8 has not collected yet. */
const watchResident: Watch = (cli, add) => {
  // The process may end just then.
  const sampling = setInterval(() => residentMegabytes(cli).then(add, () => undefined), SAMPLE_EVERY_MS);
  cli.once('exit', () => clearInterval(sampling));
};

const REPORT_IN_USE = ['--expose-gc', '--import', new URL('./memory-in-use.ts', import.meta.url).href];

/** Heap and buffers after a full collection, which the process reports itself: what the import remembers. */
const watchInUse: Watch = (cli, add) => void cli.on('message', (megabytes) => add(Number(megabytes)));

/** The median of each tenth. */
const tenths = (samples: readonly number[]): readonly number[] =>
  Array.from({ length: 10 }, (_, part) =>
    median(samples.slice(Math.floor((part * samples.length) / 10), Math.ceil(((part + 1) * samples.length) / 10))),
  );

/** Megabytes in each tenth of the time of an import into a database that accepts everything and keeps nothing. */
const measureMemory = async (
  file: string,
  watch: Watch,
  nodeOptions: readonly string[] = [],
): Promise<readonly number[]> => {
  const database = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{"UnprocessedItems":{}}');
    });
  });
  database.keepAliveTimeout = 0;
  await once(database.listen(0, '127.0.0.1'), 'listening');
  const cli = startImport(file, `http://127.0.0.1:${(database.address() as AddressInfo).port}`, nodeOptions);
  cli.stdout?.resume();
  const samples: number[] = [];
  watch(cli, (megabytes) => {
    samples.push(megabytes);
    showProgress(samples.length, samples.length, 'samples of memory');
  });
  try {
    await ended(cli);
  } finally {
    database.close();
  }
  return tenths(samples);
};

/** The last tenth in that after the first. */
const growth = (memory: readonly number[]): number => (memory.at(-1) ?? Number.NaN) / (memory[1] ?? Number.NaN);

const METHOD = [
  `${grouped(SPEED_ROWS)} rows of a vehicles CSV, a policy each, through the CLI, by its own summary: it stages the file, then writes and checks`,
  'it writes. The bare loops have their items prepared before the clock starts. Each on a fresh embedded engine in a process of',
  `its own, in turns, median of ${SPEED_ROUNDS}.`,
].join('\n');

const measure = async (): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'import-'));
  try {
    const file = join(folder, 'vehicles.csv');
    await writeVehiclesFile(file, SPEED_ROWS);
    const speed = await measureSpeed(file);
    await writeVehiclesFile(file, MEMORY_ROWS);
    const resident = await measureMemory(file, watchResident);
    const inUse = await measureMemory(file, watchInUse, REPORT_IN_USE);
    const [cli, bare] = speed.map(({ rate }) => rate);
    return [
      targetTable(
        atMost("A bare loop's rows per second, ratio to the import's", MAX_SPEED_RATIO, (bare ?? 0) / (cli ?? 0)),
        atMost(
          `Resident memory at the end of ${grouped(MEMORY_ROWS)} rows, ratio to that after a tenth`,
          MAX_MEMORY_RATIO,
          growth(resident),
        ),
        atMost('The same of memory in use, after a collection', MAX_MEMORY_RATIO, growth(inUse)),
      ),
      METHOD,
      table(
        ['writer', 'rows/s'],
        speed.map(({ name, rate }) => [name, Math.round(rate)]),
      ),
      `${grouped(MEMORY_ROWS)} rows into a database that keeps nothing, MB in each tenth of the time.`,
      table(
        ['', ...resident.map((_, tenth) => String(tenth + 1))],
        [
          ['resident', ...resident.map(Math.round)],
          ['in use after a collection', ...inUse.map(Math.round)],
        ],
      ),
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
};
export default measure;
