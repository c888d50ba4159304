import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { windowAt } from '../../core/access/plans.ts';
import { usageTable } from '../../core/access/usage-table.ts';
import { NOON } from '../support/clock.ts';
import { meteredClient } from '../support/metered-client.ts';
import { testApi } from '../support/test-api.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const api = testApi();

interface Usage {
  readonly key: object;
  readonly window: object;
  readonly hours: readonly { readonly start: string; readonly requests: number; readonly rateLimited: number }[];
}

const ask = async (key: string) => (await api.call('GET', '/v1/usage', { key })).body as Usage;

/** Counts requests of a key in the window that many milliseconds ago. */
const count = async (key: string, ago: number, requests: number) => {
  const window = windowAt(new Date(NOON - ago));
  for (let sent = 0; sent < requests; sent += 1) await api.usage.increment(keyIdOf(hashKey(key)), window);
};

describe('GET /v1/usage', () => {
  it('returns the key, its limits and the current window, this request included', async () => {
    const scopes = ['content:read'] as const;
    const key = await api.newKey({ plan: 'free', name: 'Garage', scopes, expires: '2026-12-31', environment: 'live' });
    await ask(key);
    expect(await ask(key)).toMatchObject({
      key: {
        id: keyIdOf(hashKey(key)),
        name: 'Garage',
        plan: 'free',
        scopes,
        expires: '2026-12-31',
        environment: 'live',
        domains: null,
      },
      limits: { requestsPerWindow: 60, windowSeconds: 60, registrationsPerBulk: 100 },
      window: { used: 2, remaining: 58, resetsAt: '2026-06-15T12:01:00.000Z' },
    });
  });

  it('shows the environment of a key of an early version as unknown', async () => {
    expect(await ask(await api.newKey())).toMatchObject({ key: { environment: 'unknown', expires: null } });
  });

  it('returns exactly 24 hours, oldest first, the last one running', async () => {
    const { hours } = await ask(await api.newKey());
    expect(hours).toHaveLength(24);
    expect([hours[0], hours[23]]).toEqual([
      { start: '2026-06-14T13:00:00.000Z', requests: 0, rateLimited: 0 },
      { start: '2026-06-15T12:00:00.000Z', requests: 1, rateLimited: 0 },
    ]);
  });

  it('sums the requests of each hour, and what went beyond the limit of each minute', async () => {
    const key = await api.newKey({ plan: 'free' });
    await count(key, HOUR_MS, 62);
    await count(key, HOUR_MS - MINUTE_MS, 61);
    await count(key, HOUR_MS + MINUTE_MS, 61);
    await count(key, 0, 1);
    await count(key, 23 * HOUR_MS, 3);
    await count(key, 24 * HOUR_MS, 9);
    const { hours } = await ask(key);
    expect(hours.filter(({ requests }) => requests > 0)).toEqual([
      { start: '2026-06-14T13:00:00.000Z', requests: 3, rateLimited: 0 },
      { start: '2026-06-15T10:00:00.000Z', requests: 61, rateLimited: 1 },
      { start: '2026-06-15T11:00:00.000Z', requests: 123, rateLimited: 3 },
      { start: '2026-06-15T12:00:00.000Z', requests: 2, rateLimited: 0 },
    ]);
  });

  it('counts as a request and returns 429 to a key over its limit', async () => {
    const key = await api.newKey({ plan: 'free' });
    await count(key, 0, 60);
    expect((await api.call('GET', '/v1/usage', { key })).status).toBe(429);
  });

  it('takes one query of at most 15 read units for a premium key that was busy all day', async () => {
    const key = await api.newKey();
    const keyId = keyIdOf(hashKey(key));
    const { start } = windowAt(new Date(NOON));
    const counters = Array.from({ length: 1_440 }, (_, minute) => {
      const windowStart = start - minute * 60;
      return { keyId, windowStart, used: 6_000, expiresAt: windowStart + 90_060 };
    });
    for (let sent = 0; sent < counters.length; sent += 25) {
      const puts = counters.slice(sent, sent + 25).map((Item) => ({ PutRequest: { Item } }));
      await api.engine.client.send(new BatchWriteCommand({ RequestItems: { [api.engine.names.usage]: puts } }));
    }
    api.clock.now = NOON + MINUTE_MS;
    expect((await ask(key)).hours.filter(({ requests }) => requests === 360_000)).toHaveLength(23);
    expect(api.faults.calls.map(({ operation }) => operation).sort()).toEqual(['GetItem', 'Query', 'UpdateItem']);
    const { client, costOf } = meteredClient(api.engine.endpoint);
    const { readUnits } = await costOf(() =>
      usageTable(client, api.engine.names.usage).countsSince(keyId, start - 86_400),
    );
    expect(readUnits).toBeLessThanOrEqual(15);
    client.destroy();
  });
});
