import { describe, expect, it } from '@jest/globals';
import { generateKey, hashKey, keyIdOf } from '../../core/access/api-key.ts';
import type { Reply } from '../support/api.ts';
import { fillDomain } from '../support/content.ts';
import { storeItems } from '../support/engine.ts';
import { always, forOperation, forTable } from '../support/fault-choosers.ts';
import { aCounter } from '../support/records.ts';
import { testApi } from '../support/test-api.ts';

const plates = Array.from({ length: 300 }, (_, index) => `AA${index}`);

const api = testApi(({ engine }) => fillDomain(engine.client, engine.names.content, 'expensive.example', 3));

type Request = (key: string) => Promise<Reply>;
const bulk =
  (count: number, id = 'bulk-insurance'): Request =>
  (key) =>
    api.call('POST', `/v1/vehicle/${id}`, { key, json: { registrations: plates.slice(0, count) } });
const list: Request = (key) => api.call('GET', '/v1/api/content?domain=expensive.example', { key });
const listOfEveryDomain: Request = (key) => api.call('GET', '/v1/api/content', { key });

/** The status of a request, and how many reads it started: each batch of vehicles, and the counters of each list. */
const outcomeOf = async (request: Request, key: string): Promise<[number, number]> => {
  const before = api.faults.calls.length;
  const { status } = await request(key);
  const { vehicles, content } = api.engine.names;
  const calls = api.faults.calls.slice(before);
  const reads = calls.filter(
    ({ tables, body }) => tables.includes(vehicles) || (tables.includes(content) && body.includes('counters#')),
  );
  return [status, reads.length];
};

/** The same while keys cannot be read: only reads that do not wait for admission start. */
const outcomeBeforeAdmission = async (request: Request, key: string): Promise<[number, number]> => {
  api.faults.inject(forTable(api.engine.names.keys, forOperation('GetItem', always('error'))));
  const outcome = await outcomeOf(request, key);
  api.faults.reset();
  return outcome;
};

describe.each([
  ['A bulk request of 300 registrations', bulk(300), 3],
  ['A list of content', list, 1],
])('%s', (_what, request, reads) => {
  it('reads nothing for a key that is unknown, revoked or without the scope', async () => {
    const revoked = await api.newKey({ revokedAt: '2026-01-01T00:00:00.000Z' });
    const unscoped = await api.newKey({ scopes: ['compliance:read'] });
    expect(await outcomeOf(request, generateKey('live'))).toEqual([401, 0]);
    expect(await outcomeOf(request, revoked)).toEqual([401, 0]);
    expect(await outcomeOf(request, unscoped)).toEqual([403, 0]);
  });

  it('reads after admission for a new caller, and during admission for a recently admitted key', async () => {
    const key = await api.newKey();
    expect(await outcomeBeforeAdmission(request, key)).toEqual([500, 0]);
    expect(await outcomeOf(request, key)).toEqual([200, reads]);
    expect(await outcomeBeforeAdmission(request, key)).toEqual([500, reads]);
  });

  it('reads once more for a caller over its limit, then never', async () => {
    const key = await api.newKey({ plan: 'standard' });
    await request(key);
    await storeItems(api.engine.client, api.engine.names.usage, [aCounter(key, 600)]);
    expect(await outcomeOf(request, key)).toEqual([429, reads]);
    expect(await outcomeOf(request, key)).toEqual([429, 0]);
  });
});

it('A list without a domain waits for its caller, whose domains it needs, even for a recently admitted key', async () => {
  expect(await outcomeOf(listOfEveryDomain, api.key)).toEqual([200, 1]);
  expect(await outcomeBeforeAdmission(listOfEveryDomain, api.key)).toEqual([500, 0]);
});

describe('A bulk request', () => {
  it.each(['bulk-insurance', 'bulk-compliance'])(
    'of 25 registrations reads during admission for every caller, of 26 after it: %s',
    async (id) => {
      expect(await outcomeBeforeAdmission(bulk(25, id), await api.newKey())).toEqual([500, 1]);
      const key = await api.newKey();
      expect(await outcomeBeforeAdmission(bulk(26, id), key)).toEqual([500, 0]);
      expect(await outcomeOf(bulk(26, id), key)).toEqual([200, 1]);
    },
  );

  it('of more than the plan allows reads nothing, whether or not the key was recently admitted', async () => {
    const key = await api.newKey({ plan: 'free' });
    expect(await outcomeOf(bulk(101), key)).toEqual([400, 0]);
    expect(await outcomeOf(bulk(100), key)).toEqual([200, 1]);
    expect(await outcomeOf(bulk(101), key)).toEqual([400, 0]);
  });

  it('is limited by the smaller plan that its key has just changed to', async () => {
    const key = await api.newKey({ plan: 'premium' });
    await bulk(300)(key);
    await api.keys.update(keyIdOf(hashKey(key)), { plan: 'free' });
    const { body } = await bulk(300)(key);
    expect(body).toMatchObject({ code: 'BULK_TOO_LARGE', detail: expect.stringContaining('at most 100') });
    expect(await outcomeOf(bulk(300), key)).toEqual([400, 0]);
  });
});
