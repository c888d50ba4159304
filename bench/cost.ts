/** What a million requests cost at AWS's prices, from what the deployed bundles take. */
import { database } from '../core/dynamodb/database.ts';
import type { GatewayHandler } from '../functions/http/http-function.ts';
import { memoryMegabytes } from '../lib/cloud/endpoint-function.ts';
import { importFileOf } from '../lib/endpoint-files.ts';
import { meter } from '../test/support/metered-client.ts';
import type { Invocation } from './function-process.ts';
import { mean, showProgress, table } from './report.ts';
import { DATABASE_MS, prepareRequests, WARM_EVENTS, WARM_METHOD } from './requests.ts';

/**
 * USD, AWS price list of us-east-1 as known in 2025; nothing looks them up. eu-west-2 (London) costs 10–20 % more. On demand,
 * without free tiers and discounts.
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
const responseBytes = ({ headers = {}, body = '' }: Invocation): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, Buffer.byteLength(body));

/** One event for the units, the others in the bundle. */
const measureAll = async () => {
  const { kinds, setDelay, measureWarm } = await prepareRequests(1 + WARM_EVENTS);
  const costOf = meter(database());
  const measured = [];
  for (const [index, kind] of kinds.entries()) {
    showProgress(index, kinds.length, kind.name);
    const { handler } = await importFileOf<{ readonly handler: GatewayHandler }>(kind.endpoint, 'handler.ts');
    const [first = {}, ...events] = Array.from({ length: 1 + WARM_EVENTS }, (_, nth) => kind.event(nth));
    await setDelay();
    const units = await costOf(() => handler(first as never, {} as never));
    await setDelay(DATABASE_MS);
    const memory = memoryMegabytes(kind.endpoint);
    const { invocations, billedMs, loggedBytes } = await measureWarm(kind, memory, events);
    const bytes = mean(invocations.map(responseBytes));
    measured.push({ name: kind.name, memory, ...units, billedMs, loggedBytes, responseBytes: bytes });
  }
  return measured;
};

/** USD for a million invocations: milliseconds of one are thousands of seconds of all. */
export const lambdaCost = (billedMs: number, megabytes: number): number =>
  PRICES.lambdaPerMillion + billedMs * 1_000 * (megabytes / 1_024) * PRICES.lambdaPerGigabyteSecond;

type Measured = Awaited<ReturnType<typeof measureAll>>[number];

/** USD for a million requests, by what is paid for: bytes and seconds of one are megabytes and million seconds of all. */
const costsOf = (one: Measured): readonly number[] => [
  PRICES.gatewayPerMillion,
  lambdaCost(one.billedMs, one.memory),
  one.readUnits * PRICES.readUnitsPerMillion,
  one.writeUnits * PRICES.writeUnitsPerMillion,
  ((one.loggedBytes + ACCESS_LOG_BYTES) / 1_000) * PRICES.logsPerGigabyte,
  (one.responseBytes / 1_000) * PRICES.transferPerGigabyte,
];

const METHOD = [
  'Requests and units from the embedded engine, which counts as DynamoDB does; milliseconds, bytes and log lines from the deployed',
  `bundles over TLS, with the processor time of their memory and ${DATABASE_MS} ms for every database request (content: at least that).`,
  `${WARM_METHOD} Prices: us-east-1, USD, as known in 2025, without free tiers. Known vehicles, existing items, every request admitted.`,
].join('\n');

const HEAD = ['request', 'memory MB', 'database requests', 'read units', 'write units', 'billed ms', 'response bytes'];
const PAID_FOR = ['API Gateway', 'Lambda', 'reads', 'writes', 'logs', 'transfer', 'total'];

const measure = async (): Promise<readonly string[]> => {
  const measured = await measureAll();
  return [
    METHOD,
    table(
      [...HEAD, 'logged bytes'],
      measured.map(({ name, memory, requests, readUnits, writeUnits, billedMs, ...bytes }) => [
        ...[name, memory, requests, readUnits, writeUnits, billedMs.toFixed(1)],
        ...[Math.round(bytes.responseBytes), Math.round(bytes.loggedBytes)],
      ]),
    ),
    table(
      ['USD per million', ...PAID_FOR],
      measured.map((one) => {
        const costs = costsOf(one);
        const total = costs.reduce((sum, usd) => sum + usd, 0);
        return [one.name, ...[...costs, total].map((usd) => usd.toFixed(2))];
      }),
    ),
  ];
};
export default measure;
