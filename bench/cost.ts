/** What a million requests cost at AWS's prices, from what the deployed bundles take, and what comes past one region. */
import { App } from 'aws-cdk-lib';
import { type Endpoint, endpoints } from '../functions/endpoints.ts';
import type { GatewayHandler } from '../functions/middleware/stack.ts';
import { type StageSettings, stageSettings } from '../lib/cloud/stage-settings.ts';
import { preparePacedEngine } from '../test/support/prepared-engine.ts';
import { costPerMillion, type Measured, total } from './cost/cost-of.ts';
import { meterFunctions } from './cost/database-units.ts';
import { itemBytes } from './cost/item-bytes.ts';
import { pastOneRegion } from './cost/past-one-region.ts';
import { PRICES } from './cost/prices.ts';
import { BULK_SIZE, type CostedRequest, costedRequests, DOMAIN } from './cost/requests.ts';
import { deployedBundles } from './deployed-bundles.ts';
import { startFunction } from './function-instance/function-instance.ts';
import { gatewayEvent } from './function-instance/gateway-event.ts';
import type { Invocation } from './function-instance/instance.ts';
import { generatedVehicle, loadGeneratedVehicles } from './generated-vehicles.ts';
import { benchFields, loadDomain } from './list/loaded-domain.ts';
import type { Block, Progress, Run } from './report.ts';

const ITEMS = 600;
const INVOCATIONS = 60;
const WARM_UP = 20;
const LATENCY_MS = 5;

type Engine = Awaited<ReturnType<typeof preparePacedEngine>>;
type Bundles = Awaited<ReturnType<typeof deployedBundles>>;

const headerBytes = (headers: Readonly<Record<string, string>>): number =>
  Object.entries(headers).reduce((sum, [name, value]) => sum + name.length + value.length + ': \r\n'.length, 0);

const answerBytes = ({ headers, body = '' }: Invocation): number => headerBytes(headers) + Buffer.byteLength(body);

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** @throws Error when a request is not answered as it should be */
const requireSuccess = (
  invocations: readonly { readonly statusCode?: number | undefined }[],
  { name }: CostedRequest,
): void => {
  const failed = invocations.find(({ statusCode = 0 }) => statusCode < 200 || statusCode > 299);
  if (failed) throw new Error(`${name} was answered ${failed.statusCode}`);
};

/** Items to read, change and delete: one for every measured request. */
const createItems = async (bundles: Bundles, key: string, count: number): Promise<readonly string[]> => {
  const create = startFunction(bundles.fileOf('create-content'));
  const event = (n: number) =>
    gatewayEvent({ method: 'POST', path: '/v1/api/content', key, json: benchFields(DOMAIN, `item-of-its-own-${n}`) });
  const created = await create.invoke(Array.from({ length: count }, (_, n) => event(n)));
  await create.close();
  return created.map(({ body = '{}' }) => String(JSON.parse(body).id));
};

const measureBundle = async (request: CostedRequest, bundles: Bundles, from: number) => {
  const instance = startFunction(bundles.fileOf(request.endpoint));
  const events = Array.from({ length: WARM_UP + INVOCATIONS }, (_, n) => request.event(from + n));
  const invocations = await instance.invoke(events);
  requireSuccess(invocations, request);
  const logged = await instance.close();
  const warm = invocations.slice(WARM_UP);
  return {
    billedMs: mean(warm.map(({ ms }) => Math.ceil(ms))),
    answerBytes: mean(warm.map(answerBytes)),
    loggedBytes: logged / invocations.length,
  };
};

const measureUnits = async (request: CostedRequest, meter: ReturnType<typeof meterFunctions>, nth: number) => {
  const row: Endpoint = endpoints[request.endpoint];
  const { handler } = (await import(`../${row.entry}`)) as { handler: GatewayHandler };
  return meter(async () => requireSuccess([await handler(request.event(nth), {} as never)], request));
};

/** Every kind of request: its units from one of them at the engine, the rest from its deployed bundle. */
const measureAll = async (engine: Engine, bundles: Bundles, progress: Progress): Promise<readonly Measured[]> => {
  const { names, key } = engine;
  const perKind = 1 + WARM_UP + INVOCATIONS;
  const kinds = costedRequests(key, () => '').length;
  const ids = await createItems(bundles, key, perKind * kinds);
  const requests = costedRequests(key, (nth) => ids[nth] ?? '');
  const meter = meterFunctions();
  const measured: Measured[] = [];
  for (const [index, request] of requests.entries()) {
    progress(index, requests.length, request.name);
    await engine.setPace({ delayMs: 0, repeated: [] });
    const database = await measureUnits(request, meter, index * perKind);
    await engine.setPace({
      delayMs: LATENCY_MS,
      repeated: [names.keys, names.usage, names.vehicles, names.compliance],
    });
    measured.push({ name: request.name, database, ...(await measureBundle(request, bundles, index * perKind + 1)) });
  }
  return measured;
};

const usd = (amount: number): string => amount.toFixed(2);

const measuredTable = (measured: readonly Measured[]): Block => ({
  table: {
    head: ['request', 'database requests', 'read units', 'write units', 'billed ms', 'answer bytes', 'logged bytes'],
    rows: measured.map(({ name, database, billedMs, answerBytes: bytes, loggedBytes }) => [
      name,
      database.requests,
      database.readUnits,
      database.writeUnits,
      billedMs.toFixed(1),
      Math.round(bytes),
      Math.round(loggedBytes),
    ]),
  },
});

const costTable = (measured: readonly Measured[], memory: number): Block => ({
  table: {
    head: ['USD per million', 'API Gateway', 'Lambda', 'reads', 'writes', 'logs', 'transfer', 'together'],
    rows: measured.map((one) => {
      const cost = costPerMillion(one, memory);
      const { gateway, lambda, reads, writes, logs, transfer } = cost;
      return [one.name, ...[gateway, lambda, reads, writes, logs, transfer].map(usd), usd(total(cost))];
    }),
  },
});

/** One row of the table in full. */
const arithmetic = (
  { name, database, billedMs, answerBytes: bytes, loggedBytes }: Measured,
  memory: number,
): Block => ({
  text: [
    `A million times "${name}", step by step: API Gateway 1 M × ${usd(PRICES.gatewayPerMillion)}/M; Lambda 1 M × ${usd(PRICES.lambdaPerMillion)}/M`,
    `+ 1 M × ${billedMs.toFixed(1)} ms × ${memory / 1_024} GB × ${PRICES.lambdaPerGigabyteSecond}/GB-s; reads 1 M × ${database.readUnits} × ${PRICES.readUnitsPerMillion}/M; writes`,
    `1 M × ${database.writeUnits} × ${PRICES.writeUnitsPerMillion}/M; logs 1 M × (${Math.round(loggedBytes)} bytes of ours + 800 of the platform's) × ${usd(PRICES.logsPerGigabyte)}/GB;`,
    `transfer 1 M × ${Math.round(bytes)} bytes × ${PRICES.transferPerGigabyte}/GB.`,
  ].join('\n'),
});

const METHOD = [
  'Measured: requests and units from the embedded engine, which counts as DynamoDB does; milliseconds, bytes and log lines from',
  `the deployed bundles, warm, one invocation at a time, with ${LATENCY_MS} ms for every database request (content: at least that, the`,
  "engine's own time where it is longer). Billed by the millisecond, rounded up, at the stack's memory. A laptop's core is not",
  "Lambda's share of one at 512 MB, so its duration is longer; it is among the smallest parts. Prices: us-east-1, USD, as known in",
  '2025, without free tiers; nothing looks them up. Known vehicles, existing items, every request admitted.',
].join('\n');

const settings = (): StageSettings => stageSettings(new App({ context: { stage: 'prod' } }).node);

const run: Run = async (progress) => {
  const bundles = await deployedBundles();
  const engine = await preparePacedEngine();
  try {
    await loadGeneratedVehicles(engine.db, engine.names.vehicles, BULK_SIZE);
    await loadDomain(engine.db, engine.names.content, DOMAIN, ITEMS, () => undefined);
    const { functions, throttle } = settings();
    const memory = functions.memoryMegabytes;
    const measured = await measureAll(engine, bundles, progress);
    const [lookUp] = measured;
    if (lookUp === undefined) throw new Error('nothing was measured');
    return {
      findings: [],
      blocks: [
        { text: METHOD },
        measuredTable(measured),
        costTable(measured, memory),
        arithmetic(lookUp, memory),
        ...pastOneRegion({
          lookUp,
          usdPerMillion: costPerMillion(lookUp, memory),
          throttle,
          vehicleBytes: itemBytes(generatedVehicle(0)),
        }),
      ],
    };
  } finally {
    engine.close();
    await bundles.remove();
  }
};
export default run;
