import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKey, hashKey, keyIdOf } from '../../functions/access/api-key.ts';
import { windowAt } from '../../functions/access/plans.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { NOON } from '../support/clock.ts';
import { fillDomain } from '../support/content.ts';
import { forOperation, forTable } from '../support/fault-choosers.ts';
import { aVehicle } from '../support/records.ts';

let api: TestApi;
const plates = Array.from({ length: 300 }, (_, index) => `AA${index}`);
const DOMAIN = 'strangers.example';

beforeAll(async () => {
  api = await startApi();
  await api.loadVehicles(...plates.map((plate) => aVehicle(plate)));
  await fillDomain(api.engine.client, api.engine.names.content, DOMAIN, 30);
});
afterAll(() => api.stop());

const bulk = (key: string, registrations = plates) =>
  api.call('POST', '/v1/vehicle/bulk-insurance', { key, json: { registrations } });
const list = (key: string) => api.call('GET', `/v1/api/content?domain=${DOMAIN}`, { key });

const useUp = (key: string, requests: number) =>
  Promise.all(
    Array.from({ length: requests }, () => api.usage.increment(keyIdOf(hashKey(key)), windowAt(new Date(NOON)))),
  );

/** How often reading was begun: each batch of vehicles, and the counters that each list begins with. */
const readings = (): number => {
  const { vehicles, content } = api.engine.names;
  const begins = ({ tables, body }: { readonly tables: readonly string[]; readonly body: string }) =>
    tables.includes(vehicles) || (tables.includes(content) && body.includes('counters#'));
  return api.faults.calls.filter(begins).length;
};

/** The status that a request gets, and how much reading was begun for it. */
const answerTo = async (request: (key: string) => ReturnType<typeof bulk>, key: string) => {
  api.faults.reset();
  const { status } = await request(key);
  return { status, readings: readings() };
};

/** As `answerTo`, with a database that cannot say who is calling: only what does not wait for it is read. */
const answerBeforeAdmission = async (request: (key: string) => ReturnType<typeof bulk>, key: string) => {
  api.faults.reset();
  api.faults.inject(
    forTable(
      api.engine.names.keys,
      forOperation('GetItem', () => 'error'),
    ),
  );
  const { status } = await request(key);
  const before = { status, readings: readings() };
  api.faults.reset();
  return before;
};

describe.each([
  ['a bulk request for more than a batch', bulk, 3],
  ['a list of content', list, 1],
])('For %s', (_what, request, needed) => {
  it('nothing is read for a key that nobody has, that is revoked or that lacks the scope', async () => {
    const revoked = await api.newKey({ revokedAt: '2026-01-01T00:00:00.000Z' });
    const unscoped = await api.newKey({ scopes: ['compliance:read'] });
    expect(await answerTo(request, generateKey('test'))).toEqual({ status: 401, readings: 0 });
    expect(await answerTo(request, revoked)).toEqual({ status: 401, readings: 0 });
    expect(await answerTo(request, unscoped)).toEqual({ status: 403, readings: 0 });
  });

  it('all is read for a new caller once it is admitted, and beside admission when it calls again', async () => {
    const key = await api.newKey();
    expect(await answerBeforeAdmission(request, key)).toEqual({ status: 500, readings: 0 });
    expect(await answerTo(request, key)).toEqual({ status: 200, readings: needed });
    expect(await answerBeforeAdmission(request, key)).toEqual({ status: 500, readings: needed });
  });

  it('a caller over its limit has it read once more, then never', async () => {
    const key = await api.newKey({ plan: 'standard' });
    await request(key);
    await useUp(key, 600);
    expect(await answerTo(request, key)).toEqual({ status: 429, readings: needed });
    expect(await answerTo(request, key)).toEqual({ status: 429, readings: 0 });
  });
});

describe('For a bulk request', () => {
  const of = (count: number) => (key: string) => bulk(key, plates.slice(0, count));

  it('of 25 registrations all is read beside admission, as for a single lookup', async () => {
    expect(await answerBeforeAdmission(of(25), await api.newKey())).toEqual({ status: 500, readings: 1 });
  });

  it('of 26 registrations nothing is read before admission', async () => {
    const key = await api.newKey();
    expect(await answerBeforeAdmission(of(26), key)).toEqual({ status: 500, readings: 0 });
    expect(await answerTo(of(26), key)).toEqual({ status: 200, readings: 1 });
  });

  it('of more than the plan allows nothing is read, whether or not the key was recently admitted', async () => {
    const key = await api.newKey({ plan: 'free' });
    expect(await answerTo(of(101), key)).toEqual({ status: 400, readings: 0 });
    expect(await answerTo(of(100), key)).toEqual({ status: 200, readings: 1 });
    expect(await answerTo(of(101), key)).toEqual({ status: 400, readings: 0 });
  });

  it('that only a larger plan allows nothing is read by a key that has just lost that plan', async () => {
    const key = await api.newKey({ plan: 'premium' });
    await of(300)(key);
    await api.keys.changePlan(keyIdOf(hashKey(key)), 'free');
    const { body } = await of(300)(key);
    expect(body).toMatchObject({ code: 'BULK_TOO_LARGE', detail: expect.stringContaining('at most 100') });
    expect(await answerTo(of(300), key)).toEqual({ status: 400, readings: 0 });
  });
});
