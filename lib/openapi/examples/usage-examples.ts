import { EXAMPLE_KEY_ID, EXAMPLE_TIME, type Example } from './example.ts';

const HOUR_MS = 3_600_000;

/** The running hour has one request, this one. */
const hours = Array.from({ length: 24 }, (_, index) => ({
  start: new Date(Date.parse(EXAMPLE_TIME.replace('00:10', '00:00')) - (23 - index) * HOUR_MS).toISOString(),
  requests: index === 23 ? 1 : 0,
  rateLimited: 0,
}));

/** The usage of the key. */
export const usageExamples: readonly Example[] = [
  {
    name: 'quiet',
    summary: 'A key that was not used before',
    request: {},
    status: 200,
    body: {
      key: {
        id: EXAMPLE_KEY_ID,
        name: 'Example Garage',
        plan: 'standard',
        scopes: ['vehicles:read', 'compliance:read', 'content:read', 'content:write'],
        domains: null,
        expires: null,
        environment: 'live',
      },
      limits: { requestsPerWindow: 600, windowSeconds: 60, registrationsPerBulk: 500 },
      window: { used: 1, remaining: 599, resetsAt: '2026-06-15T12:01:00.000Z' },
      hours,
    },
  },
];
