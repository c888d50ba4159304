import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Reply, startApi, type TestApi } from '../support/api.ts';
import { forOperation, onNthCall } from '../support/fault-choosers.ts';
import type { DatabaseCall, Fault } from '../support/fault-proxy.ts';
import { aCompliance, aVehicle } from '../support/records.ts';

let api: TestApi;
let key: string;
let id: string;

beforeAll(async () => {
  api = await startApi();
  key = await api.newKey();
  await api.loadVehicles(aVehicle('AB12CDE'));
  await api.loadCompliance(aCompliance('AB12CDE'));
  id = ((await create('first')).body as { id: string }).id;
});
afterAll(() => api.stop());
afterEach(() => api.faults.reset());

const create = (slug: string) =>
  api.call('POST', '/v1/api/content', { key, json: { title: 'T', content: 'C', domain: 'a.example', slug } });

/** A request to every endpoint, and what a healthy database makes of it. */
const requests: readonly (readonly [() => Promise<Reply>, healthy: number])[] = [
  [() => api.call('GET', '/v1/vehicle/AB12CDE/insurance', { key }), 200],
  [() => api.call('POST', '/v1/vehicle/bulk-insurance', { key, json: { registrations: ['A1'] } }), 200],
  [() => api.call('GET', '/v1/compliance/AB12CDE', { key }), 200],
  [() => api.call('GET', '/v1/api/content', { key }), 200],
  [() => create('during-a-fault'), 201],
  [() => api.call('GET', `/v1/api/content/${id}`, { key }), 200],
  [() => api.call('PUT', `/v1/api/content/${id}`, { key, json: { title: 'X' } }), 200],
  [() => api.call('DELETE', '/v1/api/content/00000000-0000-4000-8000-000000000000', { key }), 404],
];

const FAULTS: readonly Fault[] = ['hang', 'resetBefore', 'error', { slowMs: 5_000 }];
const isDataTable = ({ body }: DatabaseCall) => /-(vehicles|compliance|content)"/.test(body);

const expectHealthy = async () => {
  for (const [ask, healthy] of requests) expect((await ask()).status).toBe(healthy);
  await removeBySlug('during-a-fault');
};

describe.each(FAULTS)('A database that fails with %j', (fault) => {
  it('makes every answer a 500 with all headers before the platform cuts in, and is forgotten after', async () => {
    api.faults.inject(() => fault);
    const replies = await Promise.all(requests.map(([ask]) => ask()));
    api.faults.reset();
    for (const { status, headers, body } of replies) {
      expect(status).toBe(500);
      expect(body).toMatchObject({ code: 'INTERNAL_ERROR' });
      for (const name of ['limit', 'remaining', 'reset']) expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
      expect(headers.get('x-request-id')).not.toBeNull();
    }
    await expectHealthy();
  });

  it('only in its data tables makes every answer a 500 that tells where the caller stands', async () => {
    api.faults.inject((call) => (isDataTable(call) ? fault : undefined));
    const replies = await Promise.all(requests.map(([ask]) => ask()));
    api.faults.reset();
    for (const { status, headers } of replies) {
      expect(status).toBe(500);
      expect(headers.get('x-ratelimit-limit')).toBe('6000');
    }
    await expectHealthy();
  });
});

describe('A transaction that gets no answer', () => {
  it('ends in a 500 at the deadline', async () => {
    api.faults.inject(({ operation }) => (operation === 'TransactWriteItems' ? 'hang' : undefined));
    const { status, headers } = await create('never-answered');
    api.faults.reset();
    expect(status).toBe(500);
    expect(headers.get('x-ratelimit-limit')).toBe('6000');
  });
});

const removeBySlug = async (slug: string) => {
  const { body } = await api.call('GET', `/v1/api/content?domain=a.example&slug=${slug}`, { key });
  const [item] = (body as { items: { id: string }[] }).items;
  await api.call('DELETE', `/v1/api/content/${item?.id}`, { key });
};

describe('A transaction whose answer is lost after it was applied', () => {
  it.each(['resetAfter', 'errorAfter', 'truncate'] as const)(
    'is recognised after %s and not applied twice',
    async (fault) => {
      let failures = 0;
      api.faults.inject(({ operation }) => {
        if (operation !== 'TransactWriteItems' || failures === 2) return undefined;
        failures += 1;
        return fault;
      });
      const made = await create(`lost-${fault.toLowerCase()}`);
      expect(made.status).toBe(201);
      failures = 0;
      const { id: lost } = made.body as { id: string };
      const changed = await api.call('PUT', `/v1/api/content/${lost}`, {
        key,
        json: { title: 'X' },
        headers: { 'If-Match': '"1"' },
      });
      expect(changed.body).toMatchObject({ title: 'X', version: 2 });
      failures = 0;
      expect((await api.call('DELETE', `/v1/api/content/${lost}`, { key })).status).toBe(204);
      expect((await api.call('GET', `/v1/api/content/${lost}`, { key })).status).toBe(404);
    },
  );
});

describe('A transaction that is cancelled for a conflict beside conditions that fail', () => {
  const cancelOnce = () => api.faults.inject(forOperation('TransactWriteItems', onNthCall(1, 'mixedCancellation')));
  const json = { title: 'T', content: 'C', domain: 'a.example', slug: 'repeated' };
  const createRepeatably = () =>
    api.call('POST', '/v1/api/content', { key, json, headers: { 'Idempotency-Key': 'repeated' } });

  it('still answers a repeated creation with its own item, not with 409 SLUG_TAKEN', async () => {
    const first = await createRepeatably();
    cancelOnce();
    const again = await createRepeatably();
    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  it('still changes and deletes the item', async () => {
    const made = (await createRepeatably()).body as { id: string };
    cancelOnce();
    const changed = await api.call('PUT', `/v1/api/content/${made.id}`, { key, json: { slug: 'repeated-elsewhere' } });
    expect(changed.status).toBe(200);
    cancelOnce();
    expect((await api.call('DELETE', `/v1/api/content/${made.id}`, { key })).status).toBe(204);
  });
});
