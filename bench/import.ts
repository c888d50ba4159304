/** The CLI's import of vehicles: its rows per second, and its memory over a long file. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { prepareEngine } from '../test/support/prepared-engine.ts';
import { writeVehiclesFile } from './generated-vehicles.ts';
import { atMost, grouped, median, showProgress, table, targetTable } from './report.ts';

const SPEED_ROWS = 60_000;
const SPEED_ROUNDS = 3;
const MEMORY_ROWS = 1_000_000;
const MAX_MEMORY_RATIO = 1.1;
const SAMPLE_EVERY_MS = 250;

const CLI = fileURLToPath(new URL('../bin/admin.ts', import.meta.url));

const startImport = (file: string, endpoint = '') =>
  spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', CLI, '--dynamodb', endpoint, 'import', 'vehicles', file],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );

/** The summary. @throws Error unless the import loaded everything */
const summaryOf = async (cli: ReturnType<typeof startImport>): Promise<string> => {
  const [summary, [code]] = await Promise.all([text(cli.stdout), once(cli, 'exit')]);
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  return summary;
};

/** Rows per second by the CLI's own summary, from the first row to the last, on an engine of its own. */
const rowsPerSecond = async (file: string): Promise<number> => {
  const engine = await prepareEngine();
  const summary = await summaryOf(startImport(file, process.env.AWS_ENDPOINT_URL_DYNAMODB));
  await engine.close();
  // Rows read, loaded, rejected, then seconds and rows per second.
  const [, seconds] = /^ *[\d,]+ +[\d,]+ +[\d,]+ +([\d.]+) +[\d,]+$/m.exec(summary) ?? [];
  if (seconds === undefined) throw new Error('the import reported no seconds');
  return SPEED_ROWS / Number(seconds);
};

/** Resident megabytes, the median of each tenth of the time of an import into a database that keeps nothing. */
const measureMemory = async (file: string): Promise<readonly number[]> => {
  const database = createServer((request, response) => {
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{"UnprocessedItems":{}}');
    });
  });
  database.keepAliveTimeout = 0;
  await once(database.listen(0, '127.0.0.1'), 'listening');
  const cli = startImport(file, `http://127.0.0.1:${(database.address() as AddressInfo).port}`);
  const samples: number[] = [];
  const sample = async (): Promise<void> => {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(cli.pid)]);
    samples.push(Number(stdout) / 1_024);
    showProgress(samples.length, samples.length, 'samples of memory');
  };
  // The process may end just then.
  const sampling = setInterval(() => sample().catch(() => undefined), SAMPLE_EVERY_MS);
  try {
    await summaryOf(cli);
  } finally {
    clearInterval(sampling);
    database.close();
  }
  const start = (tenth: number) => Math.floor((tenth * samples.length) / 10);
  return Array.from({ length: 10 }, (_, tenth) =>
    median(samples.slice(start(tenth), start(tenth) + Math.ceil(samples.length / 10))),
  );
};

const METHOD = `${grouped(SPEED_ROWS)} rows of a vehicles CSV, a policy each, through the CLI: it stages the file, then writes and checks what it
writes. Each on a fresh embedded engine in a process of its own, median of ${SPEED_ROUNDS}.`;

const measureIn = async (folder: string): Promise<readonly string[]> => {
  const file = join(folder, 'vehicles.csv');
  await writeVehiclesFile(file, SPEED_ROWS);
  const rates: number[] = [];
  for (let round = 0; round < SPEED_ROUNDS; round += 1) rates.push(await rowsPerSecond(file));
  await writeVehiclesFile(file, MEMORY_ROWS);
  const memory = await measureMemory(file);
  const growth = (memory.at(-1) ?? Number.NaN) / (memory[1] ?? Number.NaN);
  const ofMemory = `Resident memory at the end of ${grouped(MEMORY_ROWS)} rows, ratio to that after a tenth`;
  return [
    targetTable(atMost(ofMemory, MAX_MEMORY_RATIO, growth)),
    METHOD,
    table(['import vehicles, rows/s'], [[Math.round(median(rates))]]),
    `${grouped(MEMORY_ROWS)} rows into a database that keeps nothing, resident MB in each tenth of the time.`,
    table(
      memory.map((_, tenth) => String(tenth + 1)),
      [memory.map(Math.round)],
    ),
  ];
};

const measure = async (): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'import-'));
  return measureIn(folder).finally(() => rm(folder, { recursive: true }));
};
export default measure;
