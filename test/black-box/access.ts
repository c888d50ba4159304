import { describe, expect, it } from '@jest/globals';
import type { Answer, Api, Call, Keys } from './api.ts';
import { expectProblem, expectStatus, expectSuccess } from './expectations.ts';

const LOOKUP = '/v1/vehicle/AB12CDE/insurance';
const WRONG_CHECKSUM = `vvc_live_${'0'.repeat(36)}`;

const REQUESTS_OF_FREE = 60;
const MORE_THAN_FREE = 75;
const ROUNDS = 3;

/** Sends more requests than the free plan allows, again when the window ended meanwhile. */
const exceedLimit = async ({ call, keys }: Api): Promise<Answer[]> => {
  const all: Answer[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const burst = Array.from({ length: MORE_THAN_FREE }, () => call('GET', LOOKUP, { key: keys.free }));
    all.push(...(await Promise.all(burst)));
    if (all.some(({ status }) => status === 429)) break;
  }
  return all;
};

/** Keys, scopes, the rate limit, and paths without an endpoint. */
export const accessTests = (api: () => Api): void => {
  describe('Access', () => {
    it.each<[string, (keys: Keys) => Call, string?]>([
      ['no key', () => ({ key: undefined })],
      ['no key at an unknown path', () => ({ key: undefined }), '/'],
      ['a key with a typo', () => ({ key: WRONG_CHECKSUM })],
      ['a revoked key', ({ revoked }) => ({ key: revoked })],
      ['two different keys', ({ vehiclesOnly }) => ({ headers: { Authorization: `Bearer ${vehiclesOnly}` } })],
    ])('%s: 401', async (_title, callWith, path = LOOKUP) => {
      const answer = await api().call('GET', path, callWith(api().keys));
      expectProblem(answer, 401, 'UNAUTHORIZED', { title: 'Unauthorized' });
      expect(['www-authenticate', 'x-ratelimit-limit'].map((name) => answer.headers.get(name))).toEqual([
        'Bearer',
        '0',
      ]);
    });

    it.each<[string, (keys: Keys) => Call]>([
      ['a bearer token', ({ premium }) => ({ key: undefined, headers: { Authorization: `bEaReR ${premium}` } })],
      ['a key beside an Authorization of another scheme', () => ({ headers: { Authorization: 'Basic dXNlcjpwYXNz' } })],
    ])('%s: 200', async (_title, callWith) => {
      expectStatus(await api().call('GET', LOOKUP, callWith(api().keys)), 200);
    });

    it.each([
      ['a key without the scope', 'GET', '/v1/api/content', 403, 'SCOPE_MISSING'],
      ['an unknown path', 'GET', '/v1/nowhere', 404, 'ROUTE_NOT_FOUND'],
      ['a known path with another method', 'DELETE', '/api/content', 405, 'METHOD_NOT_ALLOWED'],
    ] as const)('%s: %s %s: %i', async (_title, method, path, status, code) => {
      const answer = await api().call(method, path, { key: api().keys.vehiclesOnly });
      expectProblem(answer, status, code);
      expect(answer.headers.get('allow')).toBe(status === 405 ? 'GET, POST' : null);
    });

    it('reports limits, window and 24 hours to a key of any scope', async () => {
      const answer = await api().call('GET', '/v1/usage', { key: api().keys.vehiclesOnly });
      expectSuccess(answer, {
        key: { name: 'Black box', plan: 'premium', scopes: ['vehicles:read'], domains: null, expires: null },
        limits: { requestsPerWindow: 6_000, windowSeconds: 60, registrationsPerBulk: 1_000 },
        window: {
          remaining: Number(answer.headers.get('x-ratelimit-remaining')),
          resetsAt: new Date(Number(answer.headers.get('x-ratelimit-reset')) * 1_000).toISOString(),
        },
      });
      const { used, remaining } = answer.body.window as { used: number; remaining: number };
      expect(used + remaining).toBe(6_000);
      expect(answer.body.hours).toHaveLength(24);
    });

    it('over the limit: 429, after at most as many requests as the plan allows', async () => {
      const all = await exceedLimit(api());
      const rejected = all.find(({ status }) => status === 429);
      if (rejected === undefined) throw new Error('No request was rejected.');
      expectProblem(rejected, 429, 'RATE_LIMITED', { title: 'Too Many Requests' });
      expect(rejected.headers.get('x-ratelimit-remaining')).toBe('0');
      expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      const reset = rejected.headers.get('x-ratelimit-reset');
      const admitted = all.filter(
        ({ status, headers }) => status === 200 && headers.get('x-ratelimit-reset') === reset,
      );
      // Each admitted request has a unit of its own; one that the machine was too slow for may have taken two.
      const remaining = admitted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
      expect(new Set(remaining).size).toBe(admitted.length);
      expect(Math.max(...remaining)).toBeLessThan(REQUESTS_OF_FREE);
      expect(Math.min(...remaining)).toBeGreaterThanOrEqual(0);
    });
  });
};
