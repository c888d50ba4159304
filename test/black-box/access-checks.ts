import assert from 'node:assert/strict';
import type { Answer, Api } from './api.ts';
import { answers, type Check, refuses } from './check.ts';

const LOOK_UP = '/v1/vehicle/AB12CDE/insurance';

const isUnauthorized = (answer: Answer): void => {
  refuses(answer, 401, 'UNAUTHORIZED', { title: 'Unauthorized' });
  assert.equal(answer.headers['www-authenticate'], 'Bearer');
  assert.equal(answer.headers['x-ratelimit-limit'], '0');
};

const REQUESTS_OF_FREE = 60;
const MORE_THAN_FREE = 75;
const ROUNDS = 3;

/** Asks more often than the free plan allows, again when the window has ended meanwhile. */
const exceedLimit = async ({ call, keys }: Api): Promise<Answer[]> => {
  const all: Answer[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const asked = Array.from({ length: MORE_THAN_FREE }, () => call('GET', LOOK_UP, { key: keys.free }));
    all.push(...(await Promise.all(asked)));
    if (all.some(({ status }) => status === 429)) break;
  }
  return all;
};

const limitHolds = async (api: Api): Promise<void> => {
  const all = await exceedLimit(api);
  const refused = all.find(({ status }) => status === 429);
  assert.ok(refused, 'nothing was refused');
  refuses(refused, 429, 'RATE_LIMITED', { title: 'Too Many Requests' });
  assert.equal(refused.headers['x-ratelimit-remaining'], '0');
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  const reset = refused.headers['x-ratelimit-reset'];
  const admitted = all.filter(({ status, headers }) => status === 200 && headers['x-ratelimit-reset'] === reset);
  assert.equal(admitted.length, REQUESTS_OF_FREE);
};

const WRONG_CHECKSUM = `vvc_live_${'0'.repeat(36)}`;

/** Keys, scopes, the limit, and what no route serves. */
export const accessChecks: readonly Check[] = [
  { name: 'no key: 401', run: async ({ call }) => isUnauthorized(await call('GET', LOOK_UP, { key: undefined })) },
  {
    name: 'no key: 401 at an unknown path',
    run: async ({ call }) => isUnauthorized(await call('GET', '/', { key: undefined })),
  },
  {
    name: 'a key with a typo: 401',
    run: async ({ call }) => isUnauthorized(await call('GET', LOOK_UP, { key: WRONG_CHECKSUM })),
  },
  {
    name: 'a revoked key: 401',
    run: async ({ call, keys }) => isUnauthorized(await call('GET', LOOK_UP, { key: keys.revoked })),
  },
  {
    name: 'two different keys: 401',
    run: async ({ call, keys }) =>
      isUnauthorized(await call('GET', LOOK_UP, { headers: { Authorization: `Bearer ${keys.vehiclesOnly}` } })),
  },
  {
    name: 'a key as bearer token, scheme in any case: 200',
    run: async ({ call, keys }) =>
      answers(
        await call('GET', LOOK_UP, { key: undefined, headers: { Authorization: `bEaReR ${keys.premium}` } }),
        200,
      ),
  },
  {
    name: 'a key beside an Authorization of another scheme: 200',
    run: async ({ call }) =>
      answers(await call('GET', LOOK_UP, { headers: { Authorization: 'Basic dXNlcjpwYXNz' } }), 200),
  },
  {
    name: 'a key without the scope: 403',
    run: async ({ call, keys }) =>
      refuses(await call('GET', '/v1/api/content', { key: keys.vehiclesOnly }), 403, 'SCOPE_MISSING'),
  },
  {
    name: 'an unknown path: 404',
    run: async ({ call }) => refuses(await call('GET', '/v1/nowhere'), 404, 'ROUTE_NOT_FOUND'),
  },
  {
    name: 'a known path with another method: 405',
    run: async ({ call }) => {
      const answer = await call('DELETE', '/api/content');
      refuses(answer, 405, 'METHOD_NOT_ALLOWED');
      assert.equal(answer.headers.allow, 'GET, POST');
    },
  },
  {
    name: 'each request counts once',
    run: async ({ call, keys: { vehiclesOnly: key } }) => {
      const [first, second] = [await call('GET', LOOK_UP, { key }), await call('GET', LOOK_UP, { key })];
      if (first.headers['x-ratelimit-reset'] !== second.headers['x-ratelimit-reset']) return;
      assert.equal(Number(first.headers['x-ratelimit-remaining']) - Number(second.headers['x-ratelimit-remaining']), 1);
    },
  },
  { name: 'over the limit: 429, after exactly as many as the plan allows', run: limitHolds },
];
