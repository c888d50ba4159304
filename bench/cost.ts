/**
 * What a million requests of each kind cost at AWS's prices, and how long they take with the processor time that the
 * function's memory brings. Measured with the deployed bundles over TLS, logs and metrics on. The units are as the
 * embedded engine counts them.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { database, databaseWithoutRetries } from '../core/aws/database.ts';
import { importFunctionFile } from '../functions/endpoints/endpoint-files.ts';
import { endpoints } from '../functions/endpoints/table.ts';
import type { GatewayHandler } from '../functions/http/request.ts';
import { endpoint as notFound } from '../functions/not-found/endpoint.ts';
import type { Invocation } from './function-process.ts';
import { type Cost, meter } from './metered-client.ts';
import { type Measurement, median, percentile, table } from './report.ts';
import { type KindOfRequest, prepareRequests } from './requests.ts';

/** Milliseconds from a request to the database to its answer. */
const DATABASE_MS = 5;
/** With a whole core for the import, and again with the share from the start. */
const COLD_STARTS = 7;
/** Invocations on a whole core, until V8 has compiled the code. */
const WARM_UP = 400;
/** Invocations until the unused share of earlier periods is used up. */
const SETTLED = 40;
const INVOCATIONS = 400;
const REQUESTS_PER_KIND = 2 * COLD_STARTS + WARM_UP + SETTLED + INVOCATIONS;

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
/** API Gateway's access log, by its length; nothing here writes it. Lambda logs lines of its own for failures only. */
const ACCESS_LOG_BYTES = 229;

/** The size of the response, headers included. */
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

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

type Start = Awaited<ReturnType<typeof prepareRequests>>['start'];

/** Cold starts and warm invocations with the processor time of some memory. */
const measureInvocations = async (start: Start, { endpoint, event, status }: KindOfRequest, megabytes: number) => {
  const share = await cpuShareOf(megabytes);
  // The first request of a kind is for the units.
  const events = Array.from({ length: REQUESTS_PER_KIND }, (_, nth) => event(1 + nth));
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
  return {
    coldStarts,
    p99: percentile(times, 0.99),
    loggedBytes,
    responseBytes: mean(invocations.map(responseBytes)),
    // Lambda rounds each up.
    billedMs: mean(times.map(Math.ceil)),
  };
};

/** USD for a million requests: milliseconds, bytes and units of one are thousands, megabytes and millions of all. */
const costOfMillion = (
  { readUnits, writeUnits }: Cost,
  { billedMs, loggedBytes, responseBytes }: Awaited<ReturnType<typeof measureInvocations>>,
  megabytes: number,
) => {
  const lambda = PRICES.lambdaPerMillion + billedMs * 1_000 * (megabytes / 1_024) * PRICES.lambdaPerGigabyteSecond;
  const units = readUnits * PRICES.readUnitsPerMillion + writeUnits * PRICES.writeUnitsPerMillion;
  const logs = ((loggedBytes + ACCESS_LOG_BYTES) / 1_000) * PRICES.logsPerGigabyte;
  const transfer = (responseBytes / 1_000) * PRICES.transferPerGigabyte;
  return { lambda, total: PRICES.gatewayPerMillion + lambda + units + logs + transfer };
};

const MEMORY_COLUMNS = [
  ...['request', 'MB', 'cold start ms, a whole core for the import', 'its share from the start', 'p99 ms'],
  'Lambda, USD per million',
];
const COST_COLUMNS = [
  ...['request', 'database requests', 'read units', 'write units', 'billed ms', 'response bytes', 'USD per million'],
];

const measure: Measurement = async () => {
  const { kinds, setDelay, start } = await prepareRequests(2 + REQUESTS_PER_KIND);
  const costOf = meter(database(), databaseWithoutRetries());
  const memories: (string | number)[][] = [];
  const costs: (string | number)[][] = [];
  for (const kind of kinds) {
    const { endpoint, name } = kind;
    const { memoryMegabytes } = endpoint === 'not-found' ? notFound : endpoints[endpoint];
    const { handler } = await importFunctionFile<{ readonly handler: GatewayHandler }>(endpoint, 'handler.ts');
    await setDelay();
    // Takes units of the allowance ahead, as one request in a hundred does.
    await handler(kind.event(1 + REQUESTS_PER_KIND) as never, {} as never);
    const units = await costOf(() => handler(kind.event(0) as never, {} as never));
    await setDelay(DATABASE_MS);
    const measured = await measureInvocations(start, kind, memoryMegabytes);
    const { lambda, total } = costOfMillion(units, measured, memoryMegabytes);
    memories.push([name, memoryMegabytes, ...measured.coldStarts, measured.p99.toFixed(1), lambda.toFixed(2)]);
    const { requests, readUnits, writeUnits } = units;
    const { billedMs, responseBytes: bytes } = measured;
    costs.push([name, requests, readUnits, writeUnits, billedMs.toFixed(1), Math.round(bytes), total.toFixed(2)]);
  }
  return [table(MEMORY_COLUMNS, memories), table(COST_COLUMNS, costs)];
};
export default measure;
