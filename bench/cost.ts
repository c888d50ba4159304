/** What a million requests cost at AWS's prices, from what the deployed bundles take. */
import { database } from '../core/dynamodb/database.ts';
import type { EndpointId } from '../functions/endpoints/table.ts';
import type { GatewayHandler } from '../functions/http/http-function.ts';
import { MEMORY_MEGABYTES } from '../lib/cloud/endpoint-function.ts';
import { importFileOf } from '../lib/endpoint-files.ts';
import { meter } from '../test/support/metered-client.ts';
import { preparePacedEngine } from '../test/support/prepared-engine.ts';
import { bulkEvent, gatewayEvent, lookupEvent } from './events.ts';
import type { Block, Invocation } from './function-process.ts';
import { type Functions, withFunctions } from './functions.ts';
import { generatedRegistration, loadGenerated } from './generated-vehicles.ts';
import { benchFields, loadDomain } from './loaded-domain.ts';
import { mean, showProgress, table } from './report.ts';

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
const ACCESS_LOG_BYTES = 350;

const DOMAIN = 'bench.example';
const ITEMS = 600;
const BULK_SIZE = 1_000;
const WARM_UP = 20;
const INVOCATIONS = 60;
/** One for the units, the others in the bundle. */
const PER_REQUEST = 1 + WARM_UP + INVOCATIONS;
const LATENCY_MS = 5;

/** A kind of request; `event` makes the nth of them, on content that no other one changes. */
interface CostedRequest {
  readonly endpoint: EndpointId;
  readonly name: string;
  readonly event: (nth: number) => object;
}

const onItem = (method: string, key: string, id: string, json?: unknown) =>
  gatewayEvent({ method, path: `/v1/api/content/${id}`, key, pathParameters: { id }, ...(json ? { json } : {}) });

const created = (key: string, slug: string) =>
  gatewayEvent({ method: 'POST', path: '/v1/api/content', key, json: benchFields(DOMAIN, slug) });

/** @param idOf the nth of the content items that exist to be read, changed and deleted */
const costedRequests = (key: string, idOf: (nth: number) => string): readonly CostedRequest[] => {
  const registrations = Array.from({ length: BULK_SIZE }, (_, n) => generatedRegistration(n));
  const compliance = { path: '/v1/compliance/AB12CDE', pathParameters: { registration: 'AB12CDE' } };
  const page = { path: '/v1/api/content', query: `domain=${DOMAIN}&limit=20&offset=100` };
  return [
    { endpoint: 'vehicle-insurance', name: 'insurance lookup', event: () => lookupEvent(key) },
    { endpoint: 'bulk-insurance', name: 'bulk of 1,000', event: () => bulkEvent('bulk-insurance', key, registrations) },
    { endpoint: 'compliance', name: 'compliance', event: () => gatewayEvent({ method: 'GET', key, ...compliance }) },
    {
      endpoint: 'list-content',
      name: 'list, 20 items of 1 kB',
      event: () => gatewayEvent({ method: 'GET', key, ...page }),
    },
    { endpoint: 'read-content', name: 'read an item', event: (nth) => onItem('GET', key, idOf(nth)) },
    { endpoint: 'create-content', name: 'create an item', event: (nth) => created(key, `created-${nth}`) },
    {
      endpoint: 'update-content',
      name: 'update an item',
      event: (nth) => onItem('PUT', key, idOf(nth), { title: `Title ${nth}` }),
    },
    { endpoint: 'delete-content', name: 'delete an item', event: (nth) => onItem('DELETE', key, idOf(nth)) },
  ];
};

const SUCCESS: Readonly<Partial<Record<EndpointId, number>>> = { 'create-content': 201, 'delete-content': 204 };

/** Of the response, headers included. */
const responseBytes = ({ headers = {}, body = '' }: Invocation): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + `${name}: ${value}\r\n`.length, Buffer.byteLength(body));

/** What one kind of request takes, warm; milliseconds as Lambda bills them, each invocation rounded up. */
const measureRequest = async ({ endpoint, event }: CostedRequest, file: string, { start }: Functions, from: number) => {
  const process = await start(file);
  const status = SUCCESS[endpoint] ?? 200;
  const invoke = (first: number, count: number): Promise<Block> =>
    process.invoke(
      Array.from({ length: count }, (_, n) => event(first + n)),
      { status },
    );
  await invoke(from, WARM_UP);
  const { invocations } = await invoke(from + WARM_UP, INVOCATIONS);
  return {
    billedMs: mean(invocations.map(({ ms }) => Math.ceil(ms))),
    responseBytes: mean(invocations.map(responseBytes)),
    loggedBytes: (await process.end()) / (WARM_UP + INVOCATIONS),
  };
};

/** Items to read, change and delete: one for every measured request. */
const createItems = async (file: string, { start }: Functions, key: string, count: number) => {
  const process = await start(file);
  const events = Array.from({ length: count }, (_, n) => created(key, `own-${n}`));
  const { invocations } = await process.invoke(events, { status: 201 });
  await process.end();
  return invocations.map(({ body = '{}' }) => String(JSON.parse(body).id));
};

const measureAll = async (functions: Functions) => {
  const bundles = await functions.deployed();
  const engine = await preparePacedEngine();
  const { db, names, key } = engine;
  try {
    await loadGenerated(db, names.vehicles, BULK_SIZE);
    await loadDomain(db, names.content, DOMAIN, ITEMS, () => undefined);
    const kinds = costedRequests(key, () => '').length;
    const ids = await createItems(bundles['create-content'], functions, key, PER_REQUEST * kinds);
    const requests = costedRequests(key, (nth) => ids[nth] ?? '');
    const costOf = meter(database());
    const measured = [];
    for (const [index, request] of requests.entries()) {
      showProgress(index, requests.length, request.name);
      const { handler } = await importFileOf<{ readonly handler: GatewayHandler }>(request.endpoint, 'handler.ts');
      await engine.setPace({ delayMs: 0, repeated: [] });
      const units = await costOf(() => handler(request.event(index * PER_REQUEST), {} as never));
      const repeated = [names.keys, names.usage, names.vehicles, names.compliance];
      await engine.setPace({ delayMs: LATENCY_MS, repeated });
      const taken = await measureRequest(request, bundles[request.endpoint], functions, index * PER_REQUEST + 1);
      measured.push({ name: request.name, ...units, ...taken });
    }
    return measured;
  } finally {
    engine.close();
  }
};

type Measured = Awaited<ReturnType<typeof measureAll>>[number];

/** USD for a million requests, by what is paid for: bytes and seconds of one are megabytes and million seconds of all. */
const costsOf = (one: Measured, memoryMegabytes: number): readonly number[] => [
  PRICES.gatewayPerMillion,
  PRICES.lambdaPerMillion + one.billedMs * 1_000 * (memoryMegabytes / 1_024) * PRICES.lambdaPerGigabyteSecond,
  one.readUnits * PRICES.readUnitsPerMillion,
  one.writeUnits * PRICES.writeUnitsPerMillion,
  ((one.loggedBytes + ACCESS_LOG_BYTES) / 1_000) * PRICES.logsPerGigabyte,
  (one.responseBytes / 1_000) * PRICES.transferPerGigabyte,
];

const METHOD = [
  'Requests and units from the embedded engine, which counts as DynamoDB does; milliseconds, bytes and log lines from the deployed',
  `bundles, warm, one invocation at a time, with ${LATENCY_MS} ms for every database request (content: at least that). Prices: us-east-1, USD, as`,
  'known in 2025, without free tiers. Known vehicles, existing items, every request admitted.',
].join('\n');

const measure = (): Promise<readonly string[]> =>
  withFunctions(async (functions) => {
    const measured = await measureAll(functions);
    return [
      METHOD,
      table(
        ['request', 'database requests', 'read units', 'write units', 'billed ms', 'response bytes', 'logged bytes'],
        measured.map((one) => [
          one.name,
          one.requests,
          one.readUnits,
          one.writeUnits,
          one.billedMs.toFixed(1),
          Math.round(one.responseBytes),
          Math.round(one.loggedBytes),
        ]),
      ),
      table(
        ['USD per million', 'API Gateway', 'Lambda', 'reads', 'writes', 'logs', 'transfer', 'total'],
        measured.map((one) => {
          const costs = costsOf(one, MEMORY_MEGABYTES);
          const total = costs.reduce((sum, usd) => sum + usd, 0);
          return [one.name, ...[...costs, total].map((usd) => usd.toFixed(2))];
        }),
      ),
    ];
  });
export default measure;
