import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TableId } from '../../core/tables.ts';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { type Endpoint, grantedActions } from '../../functions/http/endpoint.ts';
import { requestTo } from '../../lib/local/record-examples.ts';
import { loadSampleContent, loadSampleVehicles } from '../../lib/local/sample-database.ts';
import { exampleRequestsOf } from '../../lib/openapi/examples.ts';
import { startApi, type TestApi } from '../support/api.ts';
import type { DatabaseCall } from '../support/fault-proxy.ts';
import { requestedPermissions, sortedPermissions } from './requested-permissions.ts';

let api: TestApi;
let key: string;

beforeAll(async () => {
  api = await startApi();
  key = await api.newKey();
  const { client, names } = api.engine;
  await loadSampleVehicles(client, names, new Date(api.clock.now));
  await loadSampleContent(client, names, new Date(api.clock.now));
});
afterAll(() => api.stop());

const usedPermissions = () => requestedPermissions(api.faults.calls, api.engine.names);

const grantedPermissions = (row: Endpoint) =>
  sortedPermissions(
    (Object.entries(grantedActions(row)) as [TableId, readonly string[]][]).flatMap(([table, actions]) =>
      actions.map((action) => [action, table] as const),
    ),
  );

const moving = async () => {
  const anItem = { title: 'Title', content: 'Text', domain: 'a.example', slug: 'moved' };
  const { body } = await api.call('POST', '/v1/api/content', { key, json: anItem });
  api.faults.reset();
  const json = { domain: 'b.example', slug: 'moved' };
  await api.call('PUT', `/v1/api/content/${(body as { id: string }).id}`, { key, json });
};

/** Further requests, for permissions that the examples of an endpoint do not use. */
const further: Partial<Record<EndpointId, () => Promise<unknown>>> = { 'update-content': moving };

/**
 * `content PutItem`: what an endpoint does not use any more, but its last release does. All versions share a role, and the released one
 * serves during a deployment, so the next release removes it from the row and from here (CONTRIBUTING.md, "A release").
 */
const onlyReleased: Partial<Record<EndpointId, readonly string[]>> = {};

const sendExamples = async (id: EndpointId) => {
  for (const example of exampleRequestsOf(id)) {
    const request = requestTo(api.origin, endpoints[id], example);
    request.headers.set('X-API-Key', key);
    await fetch(request);
  }
};

const tableOf = (name: string) => Object.entries(api.engine.names).find(([, known]) => known === name)?.[0];

/** As `content strongly consistent`. */
const readsIn = ({ operation, body }: DatabaseCall): string[] => {
  if (!['GetItem', 'BatchGetItem', 'Query'].includes(operation)) return [];
  const { TableName, ConsistentRead, RequestItems = { [TableName]: { ConsistentRead } } } = JSON.parse(body);
  return Object.entries<{ readonly ConsistentRead?: boolean }>(RequestItems).map(
    ([name, read]) => `${tableOf(name)} ${read.ConsistentRead ? 'strongly' : 'eventually'} consistent`,
  );
};

describe('The permissions that a row lists', () => {
  it.each(Object.keys(endpoints) as EndpointId[])('are exactly those that the endpoint uses: %s', async (id) => {
    api.faults.reset();
    await (further[id] ?? (() => sendExamples(id)))();
    const expected = [...usedPermissions(), ...(onlyReleased[id] ?? [])].sort();
    expect(expected).toEqual(grantedPermissions(endpoints[id]));
  });
});

describe('The reads of all endpoints', () => {
  it('are strongly consistent of keys and content, so that a revoked key stops at once, and else cost half', async () => {
    api.faults.reset();
    for (const id of Object.keys(endpoints) as EndpointId[]) await sendExamples(id);
    expect([...new Set(api.faults.calls.flatMap(readsIn))].sort()).toEqual([
      'compliance eventually consistent',
      'content strongly consistent',
      'keys strongly consistent',
      'usage eventually consistent',
      'vehicles eventually consistent',
    ]);
  });
});
