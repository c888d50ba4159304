/** The CLI's import of vehicles: rows per second beside bare puts, requests and units, memory over a long file. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import pLimit from 'p-limit';
import { connect } from '../admin/deployment/database.ts';
import { addImportCommands } from '../admin/import/import-commands.ts';
import { LOCAL_TABLE_NAMES } from '../core/tables.ts';
import { forkCall } from '../test/support/fork.ts';
import { meteredClient } from '../test/support/metered-client.ts';
import { prepareEngine } from '../test/support/prepared-engine.ts';
import { runCommandOn } from '../test/support/run-command-on.ts';
import { generatedVehicle, writeVehiclesFile } from './generated-vehicles.ts';
import { atMost, grouped, median, table, targetTable } from './report.ts';

const SPEED_ROWS = 20_000;
const SPEED_ROUNDS = 5;
const MEMORY_ROWS = 1_000_000;
/** Of which share of the rows a file differs from what is stored, or lacks: 1 %. */
const ONE_IN = 100;
const MAX_MEMORY_RATIO = 1.1;
/** Records of a page of a scan, and writes at a time. */
const [PAGE, IN_FLIGHT] = [2_000, 32];
const SAMPLE_EVERY_MS = 100;

const CLI = fileURLToPath(new URL('../bin/admin.ts', import.meta.url));
const LOCAL = { region: 'eu-west-2', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
const TableName = LOCAL_TABLE_NAMES.vehicles;

/** The CLI as a process of its own. */
export const startImport = (endpoint: string, file: string, ...options: readonly string[]) => {
  const args = ['--dynamodb', endpoint, '--json', 'import', 'vehicles', file, ...options];
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CLI, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
};

/** Seconds of an import by its own summary. @throws Error unless it came to its end */
const secondsOf = async (cli: ReturnType<typeof startImport>): Promise<number> => {
  const [summary, [code]] = await Promise.all([text(cli.stdout), once(cli, 'exit')]);
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  return (JSON.parse(summary) as { readonly seconds: number }).seconds;
};

interface Files {
  readonly all: string;
  readonly changed: string;
  readonly lacking: string;
}

/** Rows per second of bare conditional puts, in a process of its own (`forkCall`): as cold as an import. */
export const barePuts = async (endpoint: string): Promise<number> => {
  const db = connect({ ...LOCAL, endpoint });
  const started = performance.now();
  const rows = Array.from({ length: SPEED_ROWS }, (_, n) => n);
  await pLimit(IN_FLIGHT).map(rows, (n) => {
    const Item = { ...generatedVehicle(n), revision: randomBytes(16).toString('hex') };
    return db.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(registration)' }));
  });
  db.destroy();
  return (SPEED_ROWS * 1_000) / (performance.now() - started);
};

/** Rows per second of bare conditional puts (on their own engine), of a first load and of the same file again. */
const rowsPerSecond = async ({ all }: Files): Promise<readonly number[]> => {
  const rates: number[] = [];
  for (const work of ['puts', 'imports']) {
    const engine = await prepareEngine();
    const endpoint = process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '';
    if (work === 'puts') {
      const { result, stop } = await forkCall<number>(new URL(import.meta.url), 'barePuts', [endpoint]);
      rates.push(result);
      await stop();
    } else {
      for (let load = 0; load < 2; load += 1) rates.push(SPEED_ROWS / (await secondsOf(startImport(endpoint, all))));
    }
    await engine.close();
  }
  return rates;
};

/** An import in this process, whose database may be metered. */
export const importWith = (db: DynamoDBDocumentClient, ...args: readonly string[]): Promise<unknown> => {
  const place = { db, tableNames: LOCAL_TABLE_NAMES, now: new Date() };
  return runCommandOn(place, addImportCommands, 'import', 'vehicles', ...args);
};

/** Requests and units of each load, as the engine counts them. */
const costs = async ({ all, changed, lacking }: Files) => {
  const engine = await prepareEngine();
  const { client, costOf } = meteredClient(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  const loads: readonly (readonly [string, ...string[]])[] = [
    ['a first load', all],
    ['the same file again', all],
    ['1 % changed', changed],
    // The sample vehicles of the engine go, too.
    ['--complete with 1 % missing', lacking, '--complete'],
  ];
  const rows = await Array.fromAsync(loads, async ([what, ...args]) => {
    const { requests, readUnits, writeUnits } = await costOf(() => importWith(client, ...args));
    return [what, ...[requests, readUnits, writeUnits].map(grouped)];
  });
  client.destroy();
  await engine.close();
  return rows;
};

/** A database that keeps nothing, and whose scan finds so many vehicles. */
const startDatabase = async (vehicles: number) => {
  const scan = ({ Segment, TotalSegments, ExclusiveStartKey }: Record<string, never>): object => {
    const from = Number((ExclusiveStartKey as { registration: { S: string } } | undefined)?.registration.S ?? Segment);
    const numbers = Array.from({ length: PAGE }, (_, nth) => from + nth * Number(TotalSegments));
    const Items = numbers
      .filter((n) => n < vehicles)
      .map((n) => marshall({ ...generatedVehicle(n), revision: `r${n}` }));
    const next = from + PAGE * Number(TotalSegments);
    return { Items, ...(next < vehicles && { LastEvaluatedKey: { registration: { S: String(next) } } }) };
  };
  const database = createServer(async (request, response) => {
    const input = (await json(request)) as Record<string, never>;
    const isScan = String(request.headers['x-amz-target']).endsWith('.Scan');
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify(isScan ? scan(input) : { Responses: {}, UnprocessedKeys: {} }));
  });
  database.keepAliveTimeout = 0;
  await once(database.listen(0, '127.0.0.1'), 'listening');
  return { database, endpoint: `http://127.0.0.1:${(database.address() as AddressInfo).port}` };
};

/** The most resident megabytes of an import. */
export const peakOf = async (cli: ReturnType<typeof startImport>): Promise<number> => {
  const samples: number[] = [];
  const sample = async (): Promise<void> => {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(cli.pid)]);
    samples.push(Number(stdout) / 1_024);
  };
  // The process may end just then.
  const sampling = setInterval(() => sample().catch(() => undefined), SAMPLE_EVERY_MS);
  try {
    await secondsOf(cli);
  } finally {
    clearInterval(sampling);
  }
  return Math.max(...samples);
};

/** The most resident megabytes of an import into a database that keeps nothing. */
const peakMemory = async (file: string, vehicles: number, ...options: readonly string[]): Promise<number> => {
  await writeVehiclesFile(file, vehicles);
  const { database, endpoint } = await startDatabase(vehicles);
  return peakOf(startImport(endpoint, file, ...options)).finally(() => database.close());
};

const measureIn = async (folder: string): Promise<readonly string[]> => {
  const [all, changed, lacking] = ['all', 'changed', 'lacking'].map((name) => join(folder, `${name}.csv`)) as [
    ...(readonly [string, string, string]),
  ];
  await writeVehiclesFile(all, SPEED_ROWS);
  await writeVehiclesFile(changed, SPEED_ROWS, 0, ONE_IN);
  await writeVehiclesFile(lacking, SPEED_ROWS, SPEED_ROWS / ONE_IN, ONE_IN);
  const files = { all, changed, lacking };
  const rounds: (readonly number[])[] = [];
  for (let round = 0; round < SPEED_ROUNDS; round += 1) rounds.push(await rowsPerSecond(files));
  const [puts = 0, first = 0, again = 0] = [0, 1, 2].map((nth) => median(rounds.map((rates) => rates[nth] ?? 0)));
  const counted = await costs(files);
  const memory: number[][] = [];
  for (const options of [[], ['--complete']]) {
    const sizes = [MEMORY_ROWS / 10, MEMORY_ROWS];
    memory.push(await Array.fromAsync(sizes, (rows) => peakMemory(join(folder, 'memory.csv'), rows, ...options)));
  }
  const growth = memory.map(([small = Number.NaN, large = Number.NaN]) => large / small);
  return [
    targetTable(
      atMost('Time of a first load, ratio to bare conditional puts', 1.25, puts / first),
      atMost('Time of the same file again, ratio to its first load', 0.5, first / again),
      ...growth.map((ratio, nth) => {
        const what = nth === 0 ? 'an import' : 'a complete import, of as many stored vehicles';
        return atMost(`Memory of ${what} of ${grouped(MEMORY_ROWS)} rows, ratio to a tenth`, MAX_MEMORY_RATIO, ratio);
      }),
    ),
    `${grouped(SPEED_ROWS)} rows of a vehicles CSV, a policy each, through the CLI, each on a fresh embedded engine in a process of its own;
median of ${SPEED_ROUNDS}.`,
    table(['bare puts, rows/s', 'first load', 'the same file again'], [[puts, first, again].map(Math.round)]),
    `Of as many rows, as the engine counts them.`,
    table(['load', 'requests', 'read units', 'write units'], counted),
    'The most resident MB, into a database that keeps nothing.',
    table(
      ['rows', grouped(MEMORY_ROWS / 10), grouped(MEMORY_ROWS)],
      memory.map((row, nth) => [nth === 0 ? 'import' : 'import --complete', ...row.map(Math.round)]),
    ),
  ];
};

const measure = async (): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'import-'));
  return measureIn(folder).finally(() => rm(folder, { recursive: true }));
};
export default measure;
