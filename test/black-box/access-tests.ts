import { describe, expect, it } from '@jest/globals';
import type { Call, Reply } from '../support/send.ts';
import { expectProblem, expectStatus, expectSuccess } from './expectations.ts';
import type { HttpCaller } from './http-caller.ts';
import type { Keys } from './prepare-target.ts';

const LOOKUP = '/v1/vehicle/AB12CDE/insurance';
const WRONG_CHECKSUM = `vvc_live_${'0'.repeat(36)}`;

/** Requests beyond the limit. */
const MORE = 15;
const ROUNDS = 3;

const limitOf = ({ headers }: Reply): number => Number(headers.get('x-ratelimit-limit'));

/** Sends more requests than the free plan allows, again when the window ended meanwhile. */
const exceedLimit = async ({ call, keys }: HttpCaller): Promise<Reply[]> => {
  const first = await call('GET', LOOKUP, { key: keys.free });
  const length = limitOf(first) + MORE;
  const all = [first];
  for (let round = 0; round < ROUNDS; round += 1) {
    const burst = Array.from({ length }, () => call('GET', LOOKUP, { key: keys.free }));
    all.push(...(await Promise.all(burst)));
    if (all.some(({ status }) => status === 429)) break;
  }
  return all;
};

/** Keys, scopes, the rate limit, and paths without an endpoint. */
export const accessTests = (api: () => HttpCaller): void => {
  describe('A request', () => {
    it.each<[string, (keys: Keys) => Call, string?]>([
      ['without a key', () => ({ key: undefined })],
      ['without a key to an unknown path', () => ({ key: undefined }), '/v1/nowhere'],
      ['with a key that has a typo', () => ({ key: WRONG_CHECKSUM })],
      ['with a revoked key', ({ revoked }) => ({ key: revoked })],
      ['with two different keys', ({ vehiclesOnly }) => ({ headers: { Authorization: `Bearer ${vehiclesOnly}` } })],
    ])('is 401 %s', async (_what, callWith, path = LOOKUP) => {
      const reply = await api().call('GET', path, callWith(api().keys));
      expectProblem(reply, 401, 'UNAUTHORIZED', { title: 'Unauthorized' });
      const { headers } = reply;
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(headers.get('x-ratelimit-limit')).toBe('0');
    });

    it.each<[string, (keys: Keys) => Call]>([
      ['with a bearer token', ({ premium }) => ({ key: undefined, headers: { Authorization: `bEaReR ${premium}` } })],
      ['with a key and another scheme of Authorization', () => ({ headers: { Authorization: 'Basic dXNlcjpwYXNz' } })],
    ])('is 200 %s', async (_what, callWith) => {
      expectStatus(await api().call('GET', LOOKUP, callWith(api().keys)), 200);
    });

    it.each([
      [403, 'with a key without the scope', 'GET', '/v1/api/content', 'SCOPE_MISSING'],
      [404, 'to an unknown path', 'GET', '/v1/nowhere', 'ROUTE_NOT_FOUND'],
      [405, 'to a known path with another method', 'DELETE', '/api/content', 'METHOD_NOT_ALLOWED'],
    ] as const)('is %i %s: %s %s', async (status, _what, method, path, code) => {
      const reply = await api().call(method, path, { key: api().keys.vehiclesOnly });
      expectProblem(reply, status, code);
      expect(reply.headers.get('allow')).toBe(status === 405 ? 'GET, POST' : null);
    });

    it('is 403 with a key that is bound to other addresses', async () => {
      const headers = { 'X-Forwarded-For': '203.0.113.7' };
      const reply = await api().call('GET', LOOKUP, { key: api().keys.elsewhere, headers });
      expectProblem(reply, 403, 'ADDRESS_FORBIDDEN');
      expect(reply.headers.get('x-ratelimit-limit')).toBe('0');
    });

    it('for usage returns limits, window and 24 hours to a key of any scope', async () => {
      const reply = await api().call('GET', '/v1/usage', { key: api().keys.vehiclesOnly });
      expectSuccess(reply, {
        key: { name: 'Black box', plan: 'premium', scopes: ['vehicles:read'], domains: null, expires: null },
        limits: { requestsPerWindow: limitOf(reply), windowSeconds: 60, registrationsPerBulk: expect.any(Number) },
        window: {
          remaining: Number(reply.headers.get('x-ratelimit-remaining')),
          resetsAt: new Date(Number(reply.headers.get('x-ratelimit-reset')) * 1_000).toISOString(),
        },
      });
      const { used, remaining } = reply.body.window as { used: number; remaining: number };
      expect(used + remaining).toBe(limitOf(reply));
      expect(reply.body.hours).toHaveLength(24);
    });

    it('is 429 over the limit, after at most as many requests as the plan allows', async () => {
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
      expect(Math.max(...remaining)).toBeLessThan(limitOf(rejected));
      expect(Math.min(...remaining)).toBeGreaterThanOrEqual(0);
    });
  });
};
