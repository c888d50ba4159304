import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { grantedActions } from '../../functions/http/endpoint-definition.ts';
import { requestTo } from '../../local/record-examples.ts';
import { loadSampleContent, loadSampleVehicles } from '../../local/sample-database.ts';
import { documents } from '../../openapi/endpoint-documents.ts';
import { sharedEndpoint } from '../support/engine.ts';
import type { DatabaseCall } from '../support/fault-proxy.ts';
import { startApi, type TestApi } from '../support/use-api.ts';
import { requestedPermissions } from './requested-permissions.ts';

const IDS = Object.keys(endpoints) as EndpointId[];

let api: TestApi;
let key: string;
/** What each endpoint has requested from the database. */
const callsOf = new Map<EndpointId, readonly DatabaseCall[]>();

/**
 * `content PutItem`: what an endpoint does not use any more, but its last release does. All versions share a role, and
 * the released one serves during a deployment, so the next release removes it from the endpoint and from here
 * (CONTRIBUTING.md#make-a-release).
 */
const onlyReleased: Partial<Record<EndpointId, readonly string[]>> = {};

const sendExamples = async (id: EndpointId) => {
  for (const example of documents[id].examples) {
    const request = requestTo(api.origin, endpoints[id], example);
    request.headers.set('X-API-Key', key);
    await fetch(request);
  }
};

/** For the permissions that the examples of the endpoint do not use. */
const moveItem = async () => {
  const anItem = { title: 'Title', content: 'Text', domain: 'a.example', slug: 'moved' };
  const { body } = await api.call('POST', '/v1/api/content', { key, json: anItem });
  api.faults.reset();
  const json = { domain: 'b.example', slug: 'moved' };
  await api.call('PUT', `/v1/api/content/${(body as { id: string }).id}`, { key, json });
};

beforeAll(async () => {
  api = await startApi({ environment: { SUPPLIERS: '{"acme":26}' } });
  key = await api.newKey();
  const { client, names } = api.engine;
  await loadSampleVehicles(client, names, new Date(api.clock.now));
  await loadSampleContent(client, names, new Date(api.clock.now));
  for (const id of IDS) {
    api.faults.reset();
    await (id === 'update-content' ? moveItem() : sendExamples(id));
    callsOf.set(id, [...api.faults.calls]);
  }
});
afterAll(() => api.stop());

/** As `content strongly consistent`. */
const readsIn = ({ operation, body }: DatabaseCall): string[] => {
  if (!['GetItem', 'BatchGetItem', 'Query'].includes(operation)) return [];
  const { TableName, ConsistentRead, RequestItems = { [TableName]: { ConsistentRead } } } = JSON.parse(body);
  const tableOf = (name: string) => Object.entries(api.engine.names).find(([, known]) => known === name)?.[0];
  return Object.entries<{ readonly ConsistentRead?: boolean }>(RequestItems).map(
    ([name, read]) => `${tableOf(name)} ${read.ConsistentRead ? 'strongly' : 'eventually'} consistent`,
  );
};

it.each(IDS)('The permissions that an endpoint lists are exactly those that it uses: %s', (id) => {
  const used = requestedPermissions(callsOf.get(id) ?? [], api.engine.names);
  const granted = Object.entries<readonly string[]>(grantedActions(endpoints[id])).flatMap(([table, actions]) =>
    actions.map((action) => `${table} ${action}`),
  );
  expect([...used, ...(onlyReleased[id] ?? [])].sort()).toEqual(granted.sort());
});

// DynamoDB Local grants everything.
const itWithPermissions = sharedEndpoint() === undefined ? it : it.skip;

itWithPermissions('A request that its endpoint does not permit is rejected as IAM rejects it', async () => {
  const read = () => api.call('GET', '/v1/vehicle/AB12CDE/insurance', { key });
  const replaced = jest.replaceProperty(endpoints['vehicle-insurance'], 'tables', {} as never);
  expect((await read()).status).toBe(500);
  replaced.restore();
  expect((await read()).status).toBe(200);
});

it('Reads are strongly consistent of keys and content, so that a revoked key stops at once; others cost half', () => {
  expect([...new Set([...callsOf.values()].flat().flatMap(readsIn))].sort()).toEqual([
    'compliance eventually consistent',
    'content strongly consistent',
    'keys strongly consistent',
    'usage eventually consistent',
    'vehicles eventually consistent',
  ]);
});
