/** The CLI's import of vehicles: rows per second beside bare puts, requests and units, memory over a long file. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import pLimit from 'p-limit';
import { connect } from '../admin/deployment/database.ts';
import { LOCAL_TABLE_NAMES } from '../core/tables.ts';
import { type PerformOperation, startProtocolServer } from '../local/engine/http-server.ts';
import { prepareEngine } from './engine.ts';
import { generatedVehicle, writeVehiclesFile } from './generated-vehicles.ts';
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

/** As `npm run admin` has it. */
const SEMI_SPACE = '--max-semi-space-size=8';

/** Prints the most resident memory of a process, in kB, when it ends. */
const REPORT_MEMORY = 'data:text/javascript,process.once("exit", () => console.error(process.resourceUsage().maxRSS));';

/**
 * Runs a program as a process of its own. A shell starts it, because Linux counts the memory of the process that forks
 * into the peak of the new one (`setmax_mm_hiwater_rss` in its exec.c).
 */
const runNode = (...args: readonly string[]) => {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', ...args];
  return promisify(execFile)('sh', ['-c', '"$0" "$@" || exit', ...node]);
};

const runImport = async (endpoint: string, file: string, ...options: readonly string[]) => {
  const args = ['--dynamodb', endpoint, '--json', 'import', 'vehicles', file, ...options];
  const { stdout, stderr } = await runNode(SEMI_SPACE, '--import', REPORT_MEMORY, CLI, ...args);
  const { seconds } = JSON.parse(stdout) as { readonly seconds: number };
  return { seconds, peakMegabytes: Number(stderr.trimEnd().split('\n').at(-1)) / 1_024 };
};

/** The seconds of bare conditional puts. */
const barePuts = async (endpoint: string): Promise<number> => {
  const db = connect({ ...LOCAL, endpoint });
  const started = performance.now();
  const rows = Array.from({ length: SPEED_ROWS }, (_, n) => n);
  await pLimit(IN_FLIGHT).map(rows, (n) => {
    const Item = { ...generatedVehicle(n), revision: randomBytes(16).toString('hex') };
    return db.send(new PutCommand({ TableName, Item, ConditionExpression: 'attribute_not_exists(registration)' }));
  });
  db.destroy();
  return (performance.now() - started) / 1_000;
};

/** The seconds of bare puts in a process of their own, as cold as an import, on an engine of their own. */
const secondsOfPuts = async (): Promise<number> => {
  const { endpoint, close } = await prepareEngine();
  const { stdout } = await runNode(import.meta.filename, endpoint);
  await close();
  return Number(stdout);
};

/** The seconds and units of loads, one after the other on an engine of their own. */
const measureLoads = async (loads: readonly (readonly [file: string, ...options: string[]])[]) => {
  const { endpoint, costOf, close } = await prepareEngine();
  const measured = await Array.fromAsync(loads, async (load) => {
    let seconds = 0;
    const cost = await costOf(async () => {
      ({ seconds } = await runImport(endpoint, ...load));
    });
    return { seconds, cost };
  });
  await close();
  return measured;
};

/** Keeps nothing, and finds so many vehicles by a scan. */
const emptyDatabase =
  (vehicles: number): PerformOperation =>
  async (operation, { Segment, TotalSegments, ExclusiveStartKey }) => {
    if (operation !== 'Scan') return { status: 200, body: { Responses: {}, UnprocessedKeys: {} } };
    const from = Number((ExclusiveStartKey as { registration: { S: string } } | undefined)?.registration.S ?? Segment);
    const numbers = Array.from({ length: PAGE }, (_, nth) => from + nth * Number(TotalSegments));
    const Items = numbers
      .filter((n) => n < vehicles)
      .map((n) => marshall({ ...generatedVehicle(n), revision: `r${n}` }));
    const next = from + PAGE * Number(TotalSegments);
    const isLast = next >= vehicles;
    return {
      status: 200,
      body: { Items, ...(!isLast && { LastEvaluatedKey: { registration: { S: String(next) } } }) },
    };
  };

/** The most resident megabytes of an import into a database that keeps nothing. */
const peakMemory = async (file: string, ...options: readonly string[]): Promise<string> => {
  const { origin, close } = await startProtocolServer(emptyDatabase(MEMORY_ROWS));
  const { peakMegabytes } = await runImport(origin, file, ...options);
  await close();
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
  await writeVehiclesFile(long, MEMORY_ROWS);
  // The sample vehicles of the engine go with the complete file, too.
  const loads = [[all], [all], [changed], [lacking, '--complete']] as const;
  const rounds = await Array.fromAsync({ length: SPEED_ROUNDS }, async () => {
    const puts = await secondsOfPuts();
    const measured = await measureLoads(loads);
    return { rates: [puts, ...measured.map(({ seconds }) => seconds)].map((each) => SPEED_ROWS / each), measured };
  });
  const [puts = 0, first = 0, again = 0] = [0, 1, 2].map((nth) => median(rounds.map(({ rates }) => rates[nth] ?? 0)));
  const names = ['a first load', 'the same file again', '1 % changed', '`--complete` with 1 % missing'];
  const costs = rounds[0]?.measured.map(({ cost: { requests, readUnits, writeUnits } }, nth) => {
    return [names[nth] ?? '', ...[requests, readUnits, writeUnits].map(grouped)];
  });
  return [
    table(['load', 'requests', 'read units', 'write units'], costs ?? []),
    table(
      [`${grouped(SPEED_ROWS)} rows, medians of ${SPEED_ROUNDS}`, ''],
      [
        ['bare conditional puts a second', grouped(puts)],
        ['first load, rows a second', `${grouped(first)} (${(first / puts).toFixed(2)})`],
        ['the same file again', `${grouped(again)} (${(again / first).toFixed(1)} times)`],
        [`peak MB of ${grouped(MEMORY_ROWS)} rows`, await peakMemory(long)],
        ['with `--complete`, on as many stored', await peakMemory(long, '--complete')],
      ],
    ),
  ];
};
export default measure;

if (import.meta.main) process.stdout.write(`${await barePuts(process.argv[2] ?? '')}`);
