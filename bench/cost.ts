/**
 * What a million requests of each kind cost at AWS's prices, and how long they take with the processor time of several
 * sizes of memory, from what the deployed bundles take. `BENCH_KINDS='usage not-found'` measures some.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { database } from '../core/dynamodb/database.ts';
import { importFile } from '../functions/endpoints/endpoint-files.ts';
import { endpoints } from '../functions/endpoints/table.ts';
import type { GatewayHandler } from '../functions/http/stack.ts';
import { endpoint as notFound } from '../functions/not-found/endpoint.ts';
import { type Cost, meter } from '../test/support/metered-client.ts';
import type { Invocation } from './function-process.ts';
import { mean, median, percentile, showProgress, table } from './report.ts';
import { type KindOfRequest, prepareRequests } from './requests.ts';

/** Megabytes: what the functions are deployed with, and more. */
const SIZES = [512, 1_024, 1_280, 1_769];
const KINDS = process.env.BENCH_KINDS?.split(' ');
/** Milliseconds from a request to the database to its answer. */
const DATABASE_MS = 5;
/** Of each of the two sorts. */
const COLD_STARTS = 7;
/** On a whole core, until V8 is done compiling. */
const WARM_UP = 400;
/** Until what the function has not used of its share before is used up. */
const SETTLED = 40;
const INVOCATIONS = 400;
const PER_SIZE = 2 * COLD_STARTS + WARM_UP + SETTLED + INVOCATIONS;

/**
 * USD, AWS price list of us-east-1 as known in 2025; nothing looks them up. eu-west-2 (London) costs 10–20 % more. On
 * demand, without free tiers and discounts.
 */
const PRICES = {
  /** HTTP API, per million requests of up to 512 kB. */
  gatewayPerMillion: 1,
  lambdaPerMillion: 0.2,
  /** arm64. */
  lambdaPerGigabyteSecond: 0.0000133334,
  readUnitsPerMillion: 0.125,
  writeUnitsPerMillion: 0.625,
  /** CloudWatch Logs, ingested. */
  logsPerGigabyte: 0.5,
  /** Out to the internet. */
  transferPerGigabyte: 0.09,
} as const;
/** API Gateway's access log, by its length; nothing here writes it. Lambda's own lines are off (`lambdaSystemLogs`). */
const ACCESS_LOG_BYTES = 229;

/** Of the response, headers included. */
const responseBytes = ({ headers = {}, body = '', isBase64Encoded }: Invocation): number => {
  const bytes = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
  return Object.entries(headers).reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, bytes);
};

/** Megabytes that have one whole core (Lambda's documentation, "Configure Lambda function memory"). */
const MEGABYTES_PER_CORE = 1_769;
/** Lambda's own period, as measured from outside: AWS does not document it. */
const PERIOD_US = 20_000;

/**
 * The processor time that Lambda gives a function of some memory, imposed on processes of this machine by a control
 * group of Linux. Needs root. @throws Error where there are no control groups, or without root
 */
const cpuShareOf = async (memoryMegabytes: number) => {
  const quotaUs = Math.round(PERIOD_US * Math.min(1, memoryMegabytes / MEGABYTES_PER_CORE));
  const isVersion1 = existsSync('/sys/fs/cgroup/cpu');
  const folder = join('/sys/fs/cgroup', isVersion1 ? 'cpu' : '', `bench-${randomUUID()}`);
  const settings = isVersion1
    ? { 'cpu.cfs_period_us': PERIOD_US, 'cpu.cfs_quota_us': quotaUs }
    : { 'cpu.max': `${quotaUs} ${PERIOD_US}` };
  await mkdir(folder);
  for (const [file, value] of Object.entries(settings)) await writeFile(join(folder, file), String(value));
  /** The file that takes the ids of processes. */
  const procs = join(folder, 'cgroup.procs');
  return {
    procs,
    add: (pid: number) => writeFile(procs, String(pid)),
    /** When its processes have ended. */
    remove: () => rmdir(folder),
  };
};

type Start = Awaited<ReturnType<typeof prepareRequests>>['start'];

/** Cold starts and warm invocations with the processor time of some memory. */
const measureSize = async (start: Start, { endpoint, status }: KindOfRequest, megabytes: number, events: object[]) => {
  const share = await cpuShareOf(megabytes);
  /** Import and first response; with `fromStart` the import has only the share too. */
  const coldMs = async (fromStart: boolean): Promise<number> => {
    const process = await start(endpoint, fromStart ? share.procs : undefined);
    await share.add(process.loaded.pid);
    const { invocations } = await process.invoke(events.splice(0, 1), status);
    await process.end();
    return process.loaded.importMs + (invocations[0]?.ms ?? Number.NaN);
  };
  const coldStarts: number[] = [];
  for (const fromStart of [false, true]) {
    const times: number[] = [];
    while (times.length < COLD_STARTS) times.push(await coldMs(fromStart));
    coldStarts.push(Math.round(median(times)));
  }
  const process = await start(endpoint);
  await process.invoke(events.splice(0, WARM_UP), status);
  await share.add(process.loaded.pid);
  await process.invoke(events.splice(0, SETTLED), status);
  const { invocations } = await process.invoke(events, status);
  const loggedBytes = (await process.end()) / (WARM_UP + SETTLED + INVOCATIONS);
  await share.remove();
  const times = invocations.map(({ ms }) => ms);
  // Lambda rounds each up.
  const billedMs = mean(times.map(Math.ceil));
  return { megabytes, coldStarts, times, loggedBytes, billedMs, responseBytes: mean(invocations.map(responseBytes)) };
};
type Measured = Awaited<ReturnType<typeof measureSize>>;

/** One event of each kind for the units, the others in the bundle. */
const measureAll = async () => {
  const { kinds, setDelay, start } = await prepareRequests(1 + SIZES.length * PER_SIZE);
  const costOf = meter(database());
  const measured: { readonly kind: KindOfRequest; readonly units: Cost; readonly sizes: readonly Measured[] }[] = [];
  const chosen = kinds.filter(({ endpoint }) => !KINDS || KINDS.includes(endpoint));
  for (const kind of chosen) {
    const { handler } = await importFile<{ readonly handler: GatewayHandler }>(kind.endpoint, 'handler.ts');
    await setDelay();
    const units = await costOf(() => handler(kind.event(0) as never, {} as never));
    await setDelay(DATABASE_MS);
    const sizes = await Array.fromAsync(SIZES, (megabytes, index) => {
      showProgress(measured.length, chosen.length, `${kind.name}, ${megabytes} MB`);
      const events = Array.from({ length: PER_SIZE }, (_, nth) => kind.event(1 + index * PER_SIZE + nth));
      return measureSize(start, kind, megabytes, events);
    });
    measured.push({ kind, units, sizes });
  }
  return measured;
};

/** USD for a million invocations: milliseconds of one are thousands of seconds of all. */
const lambdaCost = ({ billedMs, megabytes }: Measured): number =>
  PRICES.lambdaPerMillion + billedMs * 1_000 * (megabytes / 1_024) * PRICES.lambdaPerGigabyteSecond;

/** USD for a million requests: bytes and seconds of one are megabytes and million seconds of all. */
const costsOf = ({ readUnits, writeUnits }: Cost, one: Measured): readonly number[] => [
  PRICES.gatewayPerMillion,
  lambdaCost(one),
  readUnits * PRICES.readUnitsPerMillion,
  writeUnits * PRICES.writeUnitsPerMillion,
  ((one.loggedBytes + ACCESS_LOG_BYTES) / 1_000) * PRICES.logsPerGigabyte,
  (one.responseBytes / 1_000) * PRICES.transferPerGigabyte,
];

const METHOD = `The deployed bundles over TLS, logs and metrics on, in a control group of Linux whose share of a core is that of the memory (memory /
1,769 MB, of every 20 ms), ${DATABASE_MS} ms for every database request (content: at least that). Cold: import of the bundle and first response, median
of ${COLD_STARTS}. Warm: ${INVOCATIONS} invocations, one at a time, after ${WARM_UP} on a whole core. Units: the embedded engine, which counts as DynamoDB does.
Prices: us-east-1, USD, as known in 2025, without free tiers. Known vehicles, existing items, every request admitted.`;

const OF_SIZE = [
  'request',
  'memory MB',
  'cold start ms, whole core for the import',
  'cold start ms, share from the start',
];
const OF_REQUEST = ['request', 'database requests', 'read units', 'write units', 'response bytes', 'logged bytes'];
const PAID_FOR = ['API Gateway', 'Lambda', 'reads', 'writes', 'logs', 'transfer', 'total'];

const deployedMegabytes = ({ endpoint }: KindOfRequest): number =>
  (endpoint === 'not-found' ? notFound : endpoints[endpoint]).memoryMegabytes;

const measure = async (): Promise<readonly string[]> => {
  const measured = await measureAll();
  const deployed = measured.flatMap(({ kind, units, sizes }) =>
    sizes
      .filter(({ megabytes }) => megabytes === deployedMegabytes(kind))
      .map((size) => ({ name: kind.name, units, size, costs: costsOf(units, size) })),
  );
  return [
    METHOD,
    table(
      [...OF_SIZE, 'p50 ms', 'p99 ms', 'billed ms', 'Lambda, USD per million'],
      measured.flatMap(({ kind, sizes }) =>
        sizes.map((size) => [
          ...[kind.name, size.megabytes, ...size.coldStarts],
          ...[median(size.times), percentile(size.times, 0.99), size.billedMs].map((ms) => ms.toFixed(1)),
          lambdaCost(size).toFixed(2),
        ]),
      ),
    ),
    'As deployed:',
    table(
      OF_REQUEST,
      deployed.map(({ name, units: { requests, readUnits, writeUnits }, size }) => [
        ...[name, requests, readUnits, writeUnits, Math.round(size.responseBytes), Math.round(size.loggedBytes)],
      ]),
    ),
    table(
      ['USD per million', 'memory MB', ...PAID_FOR],
      deployed.map(({ name, size, costs }) => {
        const total = costs.reduce((sum, usd) => sum + usd, 0);
        return [name, size.megabytes, ...[...costs, total].map((usd) => usd.toFixed(2))];
      }),
    ),
  ];
};
export default measure;
