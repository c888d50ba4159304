import { remainingOf } from '../access/admission.ts';
import { windowAt } from '../access/plans.ts';
import type { RequestContext, StackRequest } from './request-context.ts';

/** The caller's rate limit status. Limit and remaining quota are 0 when the caller is unknown (contract.md "Every response"). */
const rateLimitHeaders = ({ caller, now }: RequestContext) => ({
  'X-RateLimit-Limit': String(caller?.plan.requestsPerWindow ?? 0),
  'X-RateLimit-Remaining': String(caller ? remainingOf(caller) : 0),
  'X-RateLimit-Reset': String(windowAt(now).end),
});

const addHeaders = ({ event: context, response }: StackRequest): void => {
  if (!response) return;
  response.headers = {
    ...response.headers,
    ...rateLimitHeaders(context),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
};

/** The headers of every response, whatever its status. */
export const responseHeaders = () => ({ after: addHeaders, onError: addHeaders });
