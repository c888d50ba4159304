/** One kind of request to every function, an engine that holds what they ask for, and what a warm function takes. */
import type { FunctionId } from '../lib/endpoint-files.ts';
import { fillDomain, someFields } from '../test/support/content.ts';
import { cpuShareOf } from './cpu-share.ts';
import { bulkEvent, gatewayEvent, lookupEvent } from './events.ts';
import type { Functions } from './functions.ts';
import { generatedCompliance, generatedRegistration, loadGenerated } from './generated-vehicles.ts';
import { preparePacedEngine } from './paced-engine.ts';
import { mean } from './report.ts';

const DOMAIN = 'bench.example';
/** Items that no request deletes. */
const ITEMS = 600;
const BULK_SIZE = 1_000;

/** The fields of an item of about 1 kB. */
export const benchFields: typeof someFields = (domain, slug) => ({
  ...someFields(domain, slug),
  content: 'x'.repeat(850),
});

/** Milliseconds from a request to the database to its answer. */
export const DATABASE_MS = 5;

/** A kind of request; `event` makes the nth of them, on content that no other one changes. */
export interface KindOfRequest {
  readonly endpoint: FunctionId;
  readonly name: string;
  readonly event: (nth: number) => object;
  readonly status: number;
}

/** @param ids content items: the first is read and changed, the others are there to be deleted */
const kindsOfRequest = (key: string, [id = '', ...deletable]: readonly string[]): readonly KindOfRequest[] => {
  const registrations = Array.from({ length: BULK_SIZE }, (_, n) => generatedRegistration(n));
  const get = (path: string, more: object = {}) => gatewayEvent({ method: 'GET', path, key, ...more });
  const onItem = (method: string, item: string, json?: object) =>
    gatewayEvent({ method, path: `/v1/api/content/${item}`, key, pathParameters: { id: item }, json });
  const created = (nth: number) =>
    gatewayEvent({ method: 'POST', path: '/v1/api/content', key, json: benchFields(DOMAIN, `created-${nth}`) });
  const vehicle = { pathParameters: { registration: 'AB12CDE' } };
  const page = { query: `domain=${DOMAIN}&limit=20&offset=100` };
  const kinds: readonly (readonly [FunctionId, string, KindOfRequest['event'], number?])[] = [
    ['vehicle-insurance', 'insurance lookup', () => lookupEvent(key)],
    ['bulk-insurance', 'bulk of 1,000', () => bulkEvent('bulk-insurance', key, registrations)],
    ['compliance', 'compliance', () => get('/v1/compliance/AB12CDE', vehicle)],
    ['bulk-compliance', 'bulk compliance of 1,000', () => bulkEvent('bulk-compliance', key, registrations)],
    ['usage', 'usage', () => get('/v1/usage')],
    ['list-content', 'list, 20 items of 1 kB', () => get('/v1/api/content', page)],
    ['read-content', 'read an item', () => onItem('GET', id)],
    ['create-content', 'create an item', created, 201],
    ['update-content', 'update an item', (nth) => onItem('PUT', id, { title: `Title ${nth}` })],
    ['delete-content', 'delete an item', (nth) => onItem('DELETE', deletable[nth] ?? ''), 204],
    ['not-found', 'an unknown path', () => get('/v1/unknown'), 404],
  ];
  return kinds.map(([endpoint, name, event, status = 200]) => ({ endpoint, name, event, status }));
};

/** On a whole core, until V8 is done compiling. */
const WARM_UP = 400;
/** Until what the function has not used of its share before is used up. */
const SETTLED = 40;
const INVOCATIONS = 400;
/** The events that `measureWarm` takes. */
export const WARM_EVENTS = WARM_UP + SETTLED + INVOCATIONS;
export const WARM_METHOD = `Warm: ${INVOCATIONS} invocations, one at a time, after ${WARM_UP} on a whole core.`;

/** What a measurement of every kind of request works with. */
export type PreparedRequests = Awaited<ReturnType<typeof prepare>>;

const prepare = async (functions: Functions, requests: number) => {
  const bundles = await functions.deployed();
  const engine = await preparePacedEngine();
  const { db, names, key, overTls, setDelay, close } = engine;
  await loadGenerated(db, names.vehicles, BULK_SIZE);
  await loadGenerated(db, names.compliance, BULK_SIZE, generatedCompliance);
  const kinds = kindsOfRequest(key, await fillDomain(db, names.content, DOMAIN, ITEMS + requests, benchFields));

  /** Warm invocations with the processor time of some memory; milliseconds as Lambda bills them, each rounded up. */
  const measureWarm = async ({ endpoint, status }: KindOfRequest, megabytes: number, events: readonly object[]) => {
    const share = await cpuShareOf(megabytes);
    const process = await functions.start(bundles[endpoint], overTls);
    await process.invoke(events.slice(0, WARM_UP), { status });
    await share.add(process.loaded.pid);
    await process.invoke(events.slice(WARM_UP, WARM_UP + SETTLED), { status });
    const { invocations } = await process.invoke(events.slice(WARM_UP + SETTLED), { status });
    const loggedBytes = (await process.end()) / events.length;
    await share.remove();
    return { invocations, loggedBytes, billedMs: mean(invocations.map(({ ms }) => Math.ceil(ms))) };
  };
  return { bundles, kinds, overTls, setDelay, measureWarm, close };
};

/**
 * @param requests at most so many of each kind can be made
 * @throws whatever `measure` throws
 */
export const withRequests = async <T>(
  functions: Functions,
  requests: number,
  measure: (prepared: PreparedRequests) => Promise<T>,
): Promise<T> => {
  const prepared = await prepare(functions, requests);
  try {
    return await measure(prepared);
  } finally {
    prepared.close();
  }
};
