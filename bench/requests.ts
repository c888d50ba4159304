/** One kind of request to every function, and an engine that holds what they ask for. */
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { TableNames } from '../core/tables.ts';
import type { FunctionId } from '../lib/endpoint-files.ts';
import { preparePacedEngine } from '../test/support/prepared-engine.ts';
import { bulkEvent, gatewayEvent, lookupEvent } from './events.ts';
import type { Functions } from './functions.ts';
import { generatedCompliance, generatedRegistration, loadGenerated } from './generated-vehicles.ts';
import { benchFields, loadDomain } from './loaded-domain.ts';

const DOMAIN = 'bench.example';
const ITEMS = 600;
const BULK_SIZE = 1_000;

/** Milliseconds from a request to the database to its answer. */
export const DATABASE_MS = 5;

/** A kind of request; `event` makes the nth of them, on content that no other one changes. */
export interface KindOfRequest {
  readonly endpoint: FunctionId;
  readonly name: string;
  readonly event: (nth: number) => object;
  readonly status: number;
}

const onItem = (method: string, key: string, id: string, json?: unknown) =>
  gatewayEvent({ method, path: `/v1/api/content/${id}`, key, pathParameters: { id }, ...(json ? { json } : {}) });

const created = (key: string, slug: string) =>
  gatewayEvent({ method: 'POST', path: '/v1/api/content', key, json: benchFields(DOMAIN, slug) });

/** @param ids content items: the first is read and changed, the others are there to be deleted */
const kindsOfRequest = (key: string, [id = '', ...deletable]: readonly string[]): readonly KindOfRequest[] => {
  const registrations = Array.from({ length: BULK_SIZE }, (_, n) => generatedRegistration(n));
  const get = (path: string, more: { query?: string; pathParameters?: Record<string, string> } = {}) =>
    gatewayEvent({ method: 'GET', path, key, ...more });
  const vehicle = { pathParameters: { registration: 'AB12CDE' } };
  const page = { query: `domain=${DOMAIN}&limit=20&offset=100` };
  const lookups = [
    { endpoint: 'vehicle-insurance', name: 'insurance lookup', event: () => lookupEvent(key) },
    { endpoint: 'bulk-insurance', name: 'bulk of 1,000', event: () => bulkEvent('bulk-insurance', key, registrations) },
    { endpoint: 'compliance', name: 'compliance', event: () => get('/v1/compliance/AB12CDE', vehicle) },
    {
      endpoint: 'bulk-compliance',
      name: 'bulk compliance of 1,000',
      event: () => bulkEvent('bulk-compliance', key, registrations),
    },
    { endpoint: 'usage', name: 'usage', event: () => get('/v1/usage') },
    { endpoint: 'list-content', name: 'list, 20 items of 1 kB', event: () => get('/v1/api/content', page) },
    {
      endpoint: 'read-content',
      name: 'read an item',
      event: () => onItem('GET', key, id),
    },
  ] as const;
  return [
    ...lookups.map((kind) => ({ ...kind, status: 200 })),
    {
      endpoint: 'create-content',
      name: 'create an item',
      event: (nth) => created(key, `created-${nth}`),
      status: 201,
    },
    {
      endpoint: 'update-content',
      name: 'update an item',
      event: (nth) => onItem('PUT', key, id, { title: `Title ${nth}` }),
      status: 200,
    },
    {
      endpoint: 'delete-content',
      name: 'delete an item',
      event: (nth) => onItem('DELETE', key, deletable[nth] ?? ''),
      status: 204,
    },
    { endpoint: 'not-found', name: 'an unknown path', event: () => get('/v1/unknown'), status: 404 },
  ];
};

const createItems = async (file: string, { start }: Functions, key: string, count: number) => {
  const process = await start(file);
  const events = Array.from({ length: count }, (_, n) => created(key, `own-${n}`));
  const { invocations } = await process.invoke(events, { status: 201 });
  await process.end();
  return invocations.map(({ body = '{}' }) => String(JSON.parse(body).id));
};

/** What a measurement of every kind of request works with. */
export interface PreparedRequests {
  readonly db: DynamoDBDocumentClient;
  readonly names: TableNames;
  readonly bundles: Readonly<Record<FunctionId, string>>;
  readonly kinds: readonly KindOfRequest[];
  /** The variables of a function that reaches the engine over TLS. */
  readonly overTls: NodeJS.ProcessEnv;
  readonly setPace: (isPaced: boolean) => Promise<void>;
}

/**
 * @param requests at most so many of each kind can be made
 * @throws whatever `measure` throws
 */
export const withRequests = async <T>(
  functions: Functions,
  requests: number,
  measure: (prepared: PreparedRequests) => Promise<T>,
): Promise<T> => {
  const bundles = await functions.deployed();
  const engine = await preparePacedEngine();
  const { db, names, key, overTls } = engine;
  try {
    await loadGenerated(db, names.vehicles, BULK_SIZE);
    await loadGenerated(db, names.compliance, BULK_SIZE, generatedCompliance);
    await loadDomain(db, names.content, DOMAIN, ITEMS, () => undefined);
    const kinds = kindsOfRequest(key, await createItems(bundles['create-content'], functions, key, requests + 1));
    const repeated = [names.keys, names.usage, names.vehicles, names.compliance];
    const setPace = (isPaced: boolean) =>
      engine.setPace(isPaced ? { delayMs: DATABASE_MS, repeated } : { delayMs: 0, repeated: [] });
    return await measure({ db, names, bundles, kinds, overTls, setPace });
  } finally {
    engine.close();
  }
};
