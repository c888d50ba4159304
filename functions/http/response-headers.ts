import { remainingOf } from '../../core/access/authenticate.ts';
import { windowAt } from '../../core/access/plans.ts';
import { dayAfter } from '../../core/runtime/clock.ts';
import type { HttpRequest, RequestContext } from './request.ts';

/** Limit and remaining requests are 0 for an unknown caller (docs/contract.md#every-response). */
const rateLimitHeaders = ({ caller, now }: RequestContext) => ({
  'X-RateLimit-Limit': String(caller?.plan.requestsPerWindow ?? 0),
  'X-RateLimit-Remaining': String(caller ? remainingOf(caller) : 0),
  'X-RateLimit-Reset': String(windowAt(now).end),
});

/** From this many days before the last day of a key, responses name that day. */
const EXPIRY_NOTICE_DAYS = 14;

const expiryHeader = ({ caller, today }: RequestContext) => {
  const { expires } = caller?.key ?? {};
  const endsSoon = expires !== undefined && expires <= dayAfter(today, EXPIRY_NOTICE_DAYS);
  return endsSoon && { 'X-Key-Expires': expires };
};

export const responseHeaders = () => {
  const addHeaders = ({ context, response }: HttpRequest): void => {
    if (!response) return;
    response.headers = {
      ...response.headers,
      'Cache-Control': 'no-store',
      ...rateLimitHeaders(context),
      ...expiryHeader(context),
      'X-Content-Type-Options': 'nosniff',
      ...(context.reference !== undefined && { 'X-Reference': context.reference }),
      // Also for a test key that is unknown.
      ...(context.key?.kind === 'test' && { 'X-Sandbox': 'true' }),
    };
  };
  return { after: addHeaders, onError: addHeaders };
};
