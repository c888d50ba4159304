/** The CLI's import of vehicles: rows per second beside bare puts, requests and units, memory over a long file. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import pLimit from 'p-limit';
import { connect } from '../admin/deployment/database.ts';
import { addImportCommands } from '../admin/import/import-commands.ts';
import { LOCAL_TABLE_NAMES } from '../core/tables.ts';
import { runCommandOn } from '../test/support/run-command-on.ts';
import { forkCall } from './fork.ts';
import { generatedVehicle, writeVehiclesFile } from './generated-vehicles.ts';
import { meteredClient } from './metered-client.ts';
import { prepareEngine } from './prepared-engine.ts';
import { grouped, type Measurement, median, table, temporaryFolder } from './report.ts';

const SPEED_ROWS = 20_000;
const SPEED_ROUNDS = 5;
const MEMORY_ROWS = 1_000_000;
/** Of which share of the rows a file differs from what is stored, or lacks: 1 %. */
const ONE_IN = 100;
/** Records of a page of a scan, and writes at a time. */
const [PAGE, IN_FLIGHT] = [2_000, 32];

const CLI = fileURLToPath(new URL('../bin/admin.ts', import.meta.url));
const LOCAL = { region: 'eu-west-2', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
const TableName = LOCAL_TABLE_NAMES.vehicles;

/** Prints the most resident memory of a process, in kB, when it ends. */
const REPORT_MEMORY = 'data:text/javascript,process.once("exit", () => console.error(process.resourceUsage().maxRSS));';

/**
 * Runs the CLI's import as a process of its own. A shell starts it, because Linux counts the memory of the process that
 * forks into the peak of the new one.
 */
const runImport = async (endpoint: string, file: string, ...options: readonly string[]) => {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', '--import', REPORT_MEMORY, CLI];
  const args = ['--dynamodb', endpoint, '--json', 'import', 'vehicles', file, ...options];
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', '"$0" "$@" || exit', ...node, ...args]);
  const { seconds, read } = JSON.parse(stdout) as { readonly seconds: number; readonly read: number };
  return { seconds, read, peakMegabytes: Number(stderr.trimEnd().split('\n').at(-1)) / 1_024 };
};

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

/**
 * Rows per second of bare conditional puts, and then, on an engine of its own, of a first load and the same file again.
 */
const rowsPerSecond = async (file: string): Promise<readonly number[]> => {
  const ofPuts = await prepareEngine();
  const puts = await forkCall<number>(new URL(import.meta.url), 'barePuts', [ofPuts.endpoint]);
  await puts.stop();
  await ofPuts.close();
  const { endpoint, close } = await prepareEngine();
  const first = await runImport(endpoint, file);
  const again = await runImport(endpoint, file);
  await close();
  return [puts.result, SPEED_ROWS / first.seconds, SPEED_ROWS / again.seconds];
};

/** An import in this process, whose database may be metered. */
const importWith = (db: DynamoDBDocumentClient, ...args: readonly string[]): Promise<unknown> => {
  const place = { db, tableNames: LOCAL_TABLE_NAMES, now: new Date() };
  return runCommandOn(place, addImportCommands, 'import', 'vehicles', ...args);
};

/** Requests and units of each load, as the engine counts them. */
const costs = async (all: string, changed: string, lacking: string) => {
  const engine = await prepareEngine();
  const { client, costOf } = meteredClient(engine.endpoint);
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

/** The most resident megabytes of an import into a database that keeps nothing. */
const peakMemory = async (file: string, vehicles: number, ...options: readonly string[]): Promise<string> => {
  await writeVehiclesFile(file, vehicles);
  const { database, endpoint } = await startDatabase(vehicles);
  const { peakMegabytes } = await runImport(endpoint, file, ...options).finally(() => database.close());
  return grouped(peakMegabytes);
};

const measure: Measurement = async () => {
  const folder = temporaryFolder();
  const [all, changed, lacking, long] = ['all', 'changed', 'lacking', 'long'].map((name) =>
    join(folder, `${name}.csv`),
  ) as [string, string, string, string];
  await writeVehiclesFile(all, SPEED_ROWS);
  await writeVehiclesFile(changed, SPEED_ROWS, 0, ONE_IN);
  await writeVehiclesFile(lacking, SPEED_ROWS, SPEED_ROWS / ONE_IN, ONE_IN);
  const rounds: (readonly number[])[] = [];
  for (let round = 0; round < SPEED_ROUNDS; round += 1) rounds.push(await rowsPerSecond(all));
  const [puts = 0, first = 0, again = 0] = [0, 1, 2].map((nth) => median(rounds.map((rates) => rates[nth] ?? 0)));
  const [small, large] = [MEMORY_ROWS / 10, MEMORY_ROWS];
  const [ofSmall, ofLarge] = [await peakMemory(long, small), await peakMemory(long, large)];
  const complete = [await peakMemory(long, small, '--complete'), await peakMemory(long, large, '--complete')];
  return [
    table(['load', 'requests', 'read units', 'write units'], await costs(all, changed, lacking)),
    table(
      [`${grouped(SPEED_ROWS)} rows, medians of ${SPEED_ROUNDS}`, ''],
      [
        ['bare conditional puts a second', grouped(puts)],
        ['first load, rows a second', `${grouped(first)} (${(first / puts).toFixed(2)})`],
        ['the same file again', `${grouped(again)} (${(again / first).toFixed(1)} times)`],
        [`peak MB of ${grouped(small)} and ${grouped(large)} rows`, `${ofSmall}, ${ofLarge}`],
        ['with `--complete`, on as many stored', complete.join(', ')],
      ],
    ),
  ];
};
export default measure;
