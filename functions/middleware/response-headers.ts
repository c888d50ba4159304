import { remainingOf } from '../access/admission.ts';
import { windowAt } from '../access/window.ts';
import type { Flow, StackRequest } from './flow.ts';

/** Where the caller stands; 0 and 0 as long as nobody knows who calls (contract.md "Every response"). */
const rateLimitHeaders = ({ caller, now }: Flow) => ({
  'X-RateLimit-Limit': String(caller?.plan.requestsPerWindow ?? 0),
  'X-RateLimit-Remaining': String(caller ? remainingOf(caller) : 0),
  'X-RateLimit-Reset': String(windowAt(now).end),
});

const addHeaders = (request: StackRequest) => {
  if (!request.response) return;
  request.response.headers = {
    ...request.response.headers,
    ...rateLimitHeaders(request.internal.flow),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
};

/** The headers that every answer carries, whatever its status. */
export const responseHeaders = () => ({ after: addHeaders, onError: addHeaders });
