/**
 * What a million requests of each kind cost at AWS's prices, and how long they take with the processor time that the
 * function's memory brings. Measured with the deployed bundles over TLS, logs and metrics on. The units are as the
 * embedded engine counts them.
 */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endpoints } from '../functions/endpoints/table.ts';
import { endpoint as notFound } from '../functions/not-found/endpoint.ts';
import type { Cost } from './engine.ts';
import type { Invocation } from './function-process.ts';
import { type Measurement, median, percentile, table } from './report.ts';
import { type KindOfRequest, prepareRequests } from './requests.ts';

/** Milliseconds from a request to the database to its answer. */
const DATABASE_MS = 5;
const COLD_STARTS = 7;
/** Invocations on a whole core, until V8 has compiled the code. */
const WARM_UP = 400;
/** Invocations until the unused share of earlier periods is used up. */
const SETTLED = 40;
const INVOCATIONS = 400;
const REQUESTS_PER_KIND = COLD_STARTS + WARM_UP + SETTLED + INVOCATIONS;

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
  return {
    /** The file that takes the ids of processes. */
    procs: join(folder, 'cgroup.procs'),
    /** When its processes have ended. */
    remove: () => rmdir(folder),
  };
};

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

type Start = Awaited<ReturnType<typeof prepareRequests>>['start'];

/** Cold starts and warm invocations with the processor time of some memory, which the import has too. */
const measureInvocations = async (start: Start, { endpoint, event, status }: KindOfRequest, megabytes: number) => {
  const share = await cpuShareOf(megabytes);
  // The first request of a kind is for the units.
  const events = Array.from({ length: REQUESTS_PER_KIND }, (_, nth) => event(1 + nth));
  const coldStarts: number[] = [];
  while (coldStarts.length < COLD_STARTS) {
    const process = await start(endpoint, share.procs);
    const { invocations } = await process.invoke(events.splice(0, 1), status);
    await process.end();
    coldStarts.push(process.loaded.importMs + (invocations[0]?.ms ?? Number.NaN));
  }
  const process = await start(endpoint);
  await process.invoke(events.splice(0, WARM_UP), status);
  await writeFile(share.procs, String(process.pid));
  await process.invoke(events.splice(0, SETTLED), status);
  const { invocations } = await process.invoke(events, status);
  const loggedBytes = (await process.end()) / (WARM_UP + SETTLED + INVOCATIONS);
  await share.remove();
  const times = invocations.map(({ ms }) => ms);
  return {
    coldStart: median(coldStarts),
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
): number => {
  const lambda = PRICES.lambdaPerMillion + billedMs * 1_000 * (megabytes / 1_024) * PRICES.lambdaPerGigabyteSecond;
  const units = readUnits * PRICES.readUnitsPerMillion + writeUnits * PRICES.writeUnitsPerMillion;
  const logs = ((loggedBytes + ACCESS_LOG_BYTES) / 1_000) * PRICES.logsPerGigabyte;
  const transfer = (responseBytes / 1_000) * PRICES.transferPerGigabyte;
  return PRICES.gatewayPerMillion + lambda + units + logs + transfer;
};

const COLUMNS = ['request', 'read units', 'write units', 'USD per million', 'MB', 'cold start ms', 'p99 ms'];

const measure: Measurement = async () => {
  const { kinds, engine, start } = await prepareRequests(2 + REQUESTS_PER_KIND);
  const rows = await Array.fromAsync(kinds, async (kind) => {
    const { endpoint, name, event, status } = kind;
    const { memoryMegabytes } = endpoint === 'not-found' ? notFound : endpoints[endpoint];
    engine.setDelay();
    const process = await start(endpoint);
    // Takes units of the allowance ahead, as one request in a hundred does.
    await process.invoke([event(1 + REQUESTS_PER_KIND)], status);
    const units = await engine.costOf(() => process.invoke([event(0)], status));
    await process.end();
    engine.setDelay(DATABASE_MS);
    const measured = await measureInvocations(start, kind, memoryMegabytes);
    const usd = costOfMillion(units, measured, memoryMegabytes).toFixed(2);
    const { coldStart, p99 } = measured;
    return [name, units.readUnits, units.writeUnits, usd, memoryMegabytes, coldStart.toFixed(0), p99.toFixed(1)];
  });
  return [table(COLUMNS, rows)];
};
export default measure;
