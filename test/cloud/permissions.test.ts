import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TableId } from '../../core/tables.ts';
import { endpoints } from '../../functions/endpoints/table.ts';
import { type Endpoint, grantedActions } from '../../functions/http/endpoint.ts';
import { type Reply, startApi, type TestApi } from '../support/api.ts';
import { aCompliance, aVehicle } from '../support/records.ts';
import { requestedPermissions, sortedPermissions } from './requested-permissions.ts';

let api: TestApi;
let key: string;

beforeAll(async () => {
  api = await startApi();
  key = await api.newKey();
  await api.loadVehicles(aVehicle('AB12CDE'));
  await api.loadCompliance(aCompliance('AB12CDE'));
});
afterAll(() => api.stop());

const usedPermissions = () => requestedPermissions(api.faults.calls, api.engine.names);

const grantedPermissions = (row: Endpoint) =>
  sortedPermissions(
    (Object.entries(grantedActions(row)) as [TableId, readonly string[]][]).flatMap(([table, actions]) =>
      actions.map((action) => [action, table] as const),
    ),
  );

const anItem = (slug: string) => ({ title: 'Title', content: 'Text', domain: 'a.example', slug });
const create = (slug: string, headers = {}) =>
  api.call('POST', '/v1/api/content', { key, json: anItem(slug), headers });
const idOf = async (made: Promise<Reply>) => ((await made).body as { id: string }).id;

/** Requests that use every permission of an endpoint. */
const uses: Record<keyof typeof endpoints, () => Promise<unknown>> = {
  'vehicle-insurance': () => api.call('GET', '/v1/vehicle/AB12CDE/insurance', { key }),
  'bulk-insurance': () => api.call('POST', '/v1/vehicle/bulk-insurance', { key, json: { registrations: ['AB12CDE'] } }),
  compliance: () => api.call('GET', '/v1/compliance/AB12CDE', { key }),
  'bulk-compliance': () =>
    api.call('POST', '/v1/vehicle/bulk-compliance', { key, json: { registrations: ['AB12CDE'] } }),
  usage: () => api.call('GET', '/v1/usage', { key }),
  'list-content': async () => {
    await create('listed');
    api.faults.reset();
    await api.call('GET', '/v1/api/content', { key });
    await api.call('GET', '/v1/api/content?domain=a.example&slug=listed', { key });
  },
  'create-content': async () => {
    await create('created', { 'Idempotency-Key': 'once' });
    await create('created', { 'Idempotency-Key': 'once' });
    await create('created');
  },
  'read-content': () => api.call('GET', '/v1/api/content/00000000-0000-4000-8000-000000000000', { key }),
  'update-content': async () => {
    const id = await idOf(create('updated'));
    api.faults.reset();
    await api.call('PUT', `/v1/api/content/${id}`, { key, json: { domain: 'b.example', slug: 'moved' } });
  },
  'delete-content': async () => {
    const id = await idOf(create('deleted'));
    api.faults.reset();
    await api.call('DELETE', `/v1/api/content/${id}`, { key });
  },
};

describe('The permissions that a row lists', () => {
  it.each(Object.keys(endpoints) as (keyof typeof endpoints)[])(
    'are exactly those that the endpoint uses: %s',
    async (id) => {
      api.faults.reset();
      await uses[id]();
      expect(usedPermissions()).toEqual(grantedPermissions(endpoints[id]));
    },
  );
});
