import * as T from 'typebox';
import type { KeyEnvironment } from '../../../core/access/api-key.ts';
import type { Scope } from '../../../core/access/scopes.ts';
import type { usageReport } from '../../../core/access/usage-report.ts';
import { type EndpointDocument, example, misplacedParameter, openCode, schemaOf } from '../document.ts';

const UsageReport = schemaOf<ReturnType<typeof usageReport>>()(
  T.Object(
    {
      key: T.Object({
        id: T.String({ description: 'Identifies the key; it is no secret' }),
        name: T.String({ description: 'The name that your operator gave it' }),
        plan: T.String({
          description: 'The plan of the key. Your operator chooses the names; `limits` has the figures',
        }),
        scopes: T.Array(
          openCode<Scope>({
            'vehicles:read': 'look up insurance',
            'vehicles:status': 'look up insurance, without policies and only for today',
            'compliance:read': 'look up verdicts',
            'content:read': 'list and read content',
            'content:write': 'create, update and delete content',
          }),
        ),
        domains: T.Union([T.Array(T.String()), T.Null()], {
          description: 'The content domains that the key is bound to; null when it is bound to none',
        }),
        expires: T.Union([T.String({ format: 'date' }), T.Null()], {
          description: 'Last day on which the key is valid, Europe/London; null when it does not expire',
        }),
        environment: openCode<KeyEnvironment | 'unknown'>({
          live: 'the data of the service',
          test: 'the sandbox',
          unknown: 'for keys without an environment',
        }),
      }),
      limits: T.Object({
        requestsPerWindow: T.Integer(),
        windowSeconds: T.Integer(),
        registrationsPerBulk: T.Integer(),
      }),
      window: T.Object({
        used: T.Integer({ description: 'Requests in the current window, this one included' }),
        remaining: T.Integer({ description: 'As in X-RateLimit-Remaining' }),
        resetsAt: T.String({ format: 'date-time', description: 'When the next window begins, UTC' }),
      }),
      allowance: T.Optional(
        T.Array(
          T.Object({
            period: openCode<'day' | 'month'>({ day: 'a day, UTC', month: 'a calendar month, UTC' }),
            limit: T.Integer({ description: 'Units that the plan allows in the period' }),
            used: T.Integer({
              description: 'Units that have been used, and up to 100 for each running function that are taken ahead',
            }),
            resetsAt: T.String({ format: 'date-time', description: 'When the next period begins, UTC' }),
          }),
          { minItems: 1, description: 'What all keys of a customer on this plan share; absent for a plan without one' },
        ),
      ),
      hours: T.Array(
        T.Object({
          start: T.String({ format: 'date-time', description: 'Start of the hour, UTC' }),
          requests: T.Integer({ description: 'Requests of the hour, the rate limited ones included' }),
          rateLimited: T.Integer({
            description:
              "Requests beyond the limit of the key's plan at that time. Of a minute at least as many as the limit are counted; further ones may be left out",
          }),
          units: T.Integer({
            description:
              'What your operator can charge for: one for each admitted request, for a valid bulk request one for each entry; 0 for a test key',
          }),
        }),
        { minItems: 24, maxItems: 24, description: '24 hours, oldest first; the last one is running' },
      ),
    },
    { title: 'UsageReport' },
  ),
);

export const document: EndpointDocument = {
  operationId: 'getUsage',
  description:
    'Any valid key can ask, whatever its scopes; the request counts as one. `hours` has exactly 24 hours in UTC; the last one is running, and its newest requests may be missing for a second. `rateLimited` is part of `requests`; `units` are what your operator can charge for.',
  response: UsageReport,
  success: 'The key, its plan, the current window, and the requests of 24 hours',
  examples: [example('quiet', 'A key that was not used before', {}), misplacedParameter()],
};
