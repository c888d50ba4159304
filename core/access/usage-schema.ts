/** The shape of `GET /v1/usage`: docs/contract.md#usage. */
import * as T from 'typebox';
import { openCode } from '../schemas/open-code.ts';
import { KEY_ENVIRONMENTS } from './api-key.ts';
import { PLAN_NAMES } from './plans.ts';
import { SCOPES } from './scopes.ts';

export const UsageReport = T.Object(
  {
    key: T.Object({
      id: T.String({ description: 'Identifies the key; it is no secret' }),
      name: T.String({ description: 'The name that your operator gave it' }),
      plan: openCode(PLAN_NAMES),
      scopes: T.Array(openCode(SCOPES)),
      domains: T.Union([T.Array(T.String()), T.Null()], {
        description: 'The content domains that the key is bound to; null when it is bound to none',
      }),
      expires: T.Union([T.String({ format: 'date' }), T.Null()], {
        description: 'Last day on which the key is valid, Europe/London; null when it does not expire',
      }),
      environment: openCode([...KEY_ENVIRONMENTS, 'unknown'], { description: 'unknown for keys of an early version' }),
    }),
    limits: T.Object({
      requestsPerWindow: T.Integer(),
      windowSeconds: T.Integer(),
      registrationsPerBulk: T.Integer(),
    }),
    window: T.Object({
      used: T.Integer({ description: 'Requests in the present window, this one included' }),
      remaining: T.Integer({ description: 'As in X-RateLimit-Remaining' }),
      resetsAt: T.String({ format: 'date-time', description: 'When the next window begins, UTC' }),
    }),
    hours: T.Array(
      T.Object({
        start: T.String({ format: 'date-time', description: 'Begin of the hour, UTC' }),
        requests: T.Integer({ description: 'All requests of the hour, the rate limited ones included' }),
        rateLimited: T.Integer({ description: "Requests beyond the plan's limit as it is now" }),
      }),
      { minItems: 24, maxItems: 24, description: '24 hours, oldest first; the last one is running' },
    ),
  },
  { title: 'UsageReport' },
);
