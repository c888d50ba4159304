/** Units as the owner of a key sees them: docs/contract.md#units. Calculations: test/unit/access/usage-report.test.ts. */
import { describe, expect, it } from '@jest/globals';
import { hashKey, keyIdOf, newApiKey } from '../../core/access/api-key.ts';
import { windowAt } from '../../core/access/plans.ts';
import { SCOPES } from '../../core/access/scopes.ts';
import type { Usage } from '../../core/access/usage-report.ts';
import { NOON } from '../support/clock.ts';
import { storeItems } from '../support/engine.ts';
import { always, type ChooseFault, forOperation } from '../support/fault-choosers.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { aCounter, aVehicle } from '../support/records.ts';
import { useApi } from '../support/use-api.ts';

const MINUTE_MS = 60_000;
const LOOKUP = '/v1/vehicle/AB12CDE/insurance';
const REGISTRATIONS = ['AB12CDE', 'ab12 cde', 'ZZ99ZZZ', 'not a plate!'];

const api = useApi(({ loadVehicles }) => loadVehicles(aVehicle('AB12CDE')));

const bulk = (key: string, json: object = { registrations: REGISTRATIONS }, kind = 'insurance') =>
  api.call('POST', `/v1/vehicle/bulk-${kind}`, { key, json });
/** The usage of the 24 hours, and of the running one. */
const usageOf = async (key: string) => {
  const { hours } = (await api.call('GET', '/v1/usage', { key })).body as unknown as {
    readonly hours: readonly Usage[];
  };
  return { hours, now: hours.at(-1) };
};
const isExtra = ({ body }: { readonly body: string }): boolean => body.includes('ADD extraUnits');
const whenAdding =
  (fault: Fault): ChooseFault =>
  (call) =>
    isExtra(call) ? fault : undefined;
const additions = () => api.faults.calls.filter(isExtra);

describe('The units of a key', () => {
  it('are one for each admitted request, whatever its outcome, and one for each entry of a valid bulk request', async () => {
    const key = await api.newKey({ plan: 'free', scopes: ['vehicles:read', 'compliance:read'] });
    for (const path of [LOOKUP, '/v1/vehicle/ZZ99ZZZ/insurance', '/v1/vehicle/not_a_plate/insurance', '/v1/nowhere']) {
      await api.call('GET', path, { key });
    }
    for (const method of ['GET', 'DELETE']) await api.call(method, '/v1/api/content', { key });
    await api.call('POST', '/v1/vehicle/bulk-insurance', { key, raw: 'no JSON' });
    const invalid = [{ registrations: [] }, { registrations: ['A1', 2] }, { registrations: Array(101).fill('A1') }];
    for (const json of invalid) expect((await bulk(key, json)).status).toBe(400);
    for (const kind of ['insurance', 'compliance']) expect((await bulk(key, undefined, kind)).status).toBe(200);
    await bulk(key, { registrations: ['AB12CDE'] });
    expect((await usageOf(key)).now).toMatchObject({ requests: 14, rateLimited: 0, units: 14 + 3 + 3 });
  });

  it('are counted for a valid bulk request that ends as 500, because nothing could be read', async () => {
    const key = await api.newKey();
    api.faults.inject(forOperation('BatchGetItem', always('deny')));
    expect((await bulk(key)).status).toBe(500);
    expect((await usageOf(key)).now).toMatchObject({ requests: 2, units: 5 });
  });

  it('of rate limited requests are 0, and past minutes keep the limit that they had when plans change or go', async () => {
    const key = await api.newKey({ plan: 'free' });
    const id = keyIdOf(hashKey(key), 'live');
    const { start } = windowAt(new Date(NOON));
    await storeItems(api.engine.client, api.engine.names.usage, [{ ...aCounter(key, 59), extraUnits: 9 }]);
    for (const status of [200, 429, 429]) expect((await api.call('GET', LOOKUP, { key })).status).toBe(status);
    expect(await api.usage.counts(id, start)).toEqual([{ start, used: 62, extraUnits: 9, requestsPerWindow: 60 }]);
    const recordings = api.faults.calls.filter(({ body }) => body.includes('SET requestsPerWindow'));
    expect(recordings.length).toBe(1);
    for (const plan of ['premium', 'gone']) {
      await api.keys.update(id, { plan }, { by: 'tester', at: new Date(NOON) });
      api.clock.now += MINUTE_MS;
      const { hours } = await usageOf(key);
      expect(hours.find(({ rateLimited }) => rateLimited > 0)).toMatchObject({ rateLimited: 2 });
    }
    expect((await usageOf(key)).now).toMatchObject({ requests: 62 + 3, rateLimited: 2, units: 69 + 3 });
  });

  it('of rate limited requests count where their limit could not be recorded, and the answer is the same', async () => {
    const key = await api.newKey({ plan: 'free' });
    await storeItems(api.engine.client, api.engine.names.usage, [aCounter(key, 60)]);
    api.faults.inject(({ body }) => (body.includes('SET requestsPerWindow') ? 'error' : undefined));
    expect((await api.call('GET', LOOKUP, { key })).status).toBe(429);
    api.faults.reset();
    expect((await api.call('GET', LOOKUP, { key })).status).toBe(429);
    const [count] = await api.usage.counts(keyIdOf(hashKey(key), 'live'), 0);
    expect(count).toMatchObject({ used: 62, requestsPerWindow: 60 });
  });

  it('are 0 for a test key and the key of the probe, whose bulk requests write nothing more', async () => {
    const { key: probeKey, ...probe } = newApiKey('probe');
    await api.keys.add({ ...probe, name: 'Probe', plan: 'standard', scopes: SCOPES, createdAt: '2026-06-15' });
    for (const key of [await api.newKey({ environment: 'test' }), probeKey]) {
      api.faults.reset();
      expect((await bulk(key)).status).toBe(200);
      expect([additions(), (await usageOf(key)).now]).toMatchObject([[], { requests: 2, units: 0 }]);
    }
  });

  it.each<[Fault, number]>([
    ['error', 0],
    ['throttle', 0],
    ['resetBefore', 0],
    ['hang', 0],
    ['resetAfter', 3],
    ['errorAfter', 3],
    ['truncate', 3],
  ])('of a bulk request are added in one attempt, never twice, and the answer is whole: %j', async (fault, added) => {
    const key = await api.newKey();
    api.faults.inject(whenAdding(fault));
    expect(await bulk(key)).toMatchObject({ status: 200, body: { processed: 4, successful: 2 } });
    expect(additions()).toHaveLength(1);
    expect((await usageOf(key)).now).toMatchObject({ requests: 2, units: 2 + added });
  });
});
