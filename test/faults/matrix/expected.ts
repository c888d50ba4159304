/** What the service promises under a fault (contract.md "Every response", "Keys and plans", "Bulk"). */
import assert from 'node:assert/strict';
import { PLANS, windowAt } from '../../../functions/access/plans.ts';
import type { Reply } from '../../support/api.ts';
import { NOON } from '../../support/clock.ts';
import type { Kind } from './fault-kinds.ts';
import type { InjectionPoint } from './injection-points.ts';
import { BULK_SIZE } from './vehicle-scenarios.ts';

/** A request's outcome as it is expected. */
export interface Expected {
  readonly status: number;
  /** Whether the service learns who calls and how often, and so tells where the caller stands. */
  readonly knowsCaller: boolean;
  /** Left out for the scenario's own answer. @throws AssertionError */
  readonly requireBody?: (reply: Reply) => void;
}

/** Keys of a batch that DynamoDB takes at once, and so registrations that one failed batch leaves unread. */
const BATCH = 100;

const withCode = (code: string) => (reply: Reply) => assert.partialDeepStrictEqual(reply.body, { code });

/** Under a fault that goes on in a point. */
export const expectedWhileFailing = ({ fault, isHidden }: Kind, point: InjectionPoint, healthy: number): Expected => {
  if (isHidden) return { status: healthy, knowsCaller: true };
  const failed = { status: 500, requireBody: withCode('INTERNAL_ERROR') };
  // Strikes transactions only, wherever the point is.
  if (fault === 'mixedCancellation') return { ...failed, knowsCaller: true };
  if (point.tables.includes('keys')) return { ...failed, knowsCaller: false };
  if (!point.tables.includes('usage')) return { ...failed, knowsCaller: true };
  return fault === 'throttle'
    ? { status: 429, knowsCaller: true, requireBody: withCode('RATE_LIMITED') }
    : { ...failed, knowsCaller: false };
};

/** A bulk request of which one batch cannot be read: each registration of it is called so, the others are answered. */
export const expectedWithoutOneBatch = ({ isHidden }: Kind, healthy: number): Expected => ({
  status: healthy,
  knowsCaller: true,
  ...(isHidden
    ? {}
    : {
        requireBody: ({ body }) => {
          const { results, failed } = body as { results: { code?: string }[]; failed: number };
          const unread = results.filter(({ code }) => code === 'LOOKUP_UNAVAILABLE').length;
          assert.deepEqual([results.length, failed, unread], [BULK_SIZE, BATCH, BATCH]);
        },
      }),
});

const LIMIT = PLANS.premium.requestsPerWindow;
const { end: RESET } = windowAt(new Date(NOON));

/**
 * Where the caller stands, by what its counter says in the database.
 * @throws AssertionError
 */
export const requireRateLimit = ({ status, headers }: Reply, knowsCaller: boolean, counted: number): void => {
  const told = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
  const limit = knowsCaller ? LIMIT : 0;
  const remaining = knowsCaller && status !== 429 ? LIMIT - counted : 0;
  assert.deepEqual(told, [limit, remaining, RESET].map(String), 'where the caller stands is not told');
  const wait = String(RESET - Math.floor(NOON / 1_000));
  if (status === 429) assert.equal(headers.get('retry-after'), wait);
};
