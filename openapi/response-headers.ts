/** The headers of every response (docs/contract.md#every-response), and the headers of some statuses. */
import { DEFAULT_PLANS } from '../core/access/plans.ts';
import type { ProblemCode } from '../core/problems.ts';
import { referenceHeader, sampleItemPath } from '../functions/endpoints/document.ts';
import { type JsonObject, refTo } from './json.ts';

const header = (description: string, example: string | number, schema: JsonObject): JsonObject => ({
  description,
  example,
  required: true,
  schema,
});

const COUNT = { type: 'integer', minimum: 0 };
const TEXT = { type: 'string' };

const everyResponse = {
  'X-RateLimit-Limit': header(
    'Requests that the plan allows in a window of 60 s; 0 when the caller is unknown',
    DEFAULT_PLANS.standard.requestsPerWindow,
    COUNT,
  ),
  'X-RateLimit-Remaining': header('Requests left in this window', 42, COUNT),
  'X-RateLimit-Reset': header('When the window ends, in Unix seconds', 1_781_524_860, COUNT),
  'X-Request-Id': header(
    'The id of this request; quote it when you ask for support',
    'b2f6a3f4-7d0c-4c4e-9a53-1f1f0c6f4a1e',
    TEXT,
  ),
  'Cache-Control': header('Responses must not be cached', 'no-store', { ...TEXT, const: 'no-store' }),
  'X-Content-Type-Options': header('Browsers must not guess another content type', 'nosniff', {
    ...TEXT,
    const: 'nosniff',
  }),
  'X-Sandbox': {
    description: 'In every response to a test key, errors included; absent otherwise',
    example: 'true',
    schema: { ...TEXT, const: 'true' },
  },
  Vary: {
    description: 'In every response of bulk requests and lists, which are compressed for callers that accept gzip',
    schema: { ...TEXT, const: 'Accept-Encoding' },
  },
  'X-Reference': {
    description: 'The `X-Reference` of a lookup, once the request is valid; absent otherwise',
    schema: referenceHeader.properties['X-Reference'],
  },
  'X-Key-Expires': {
    description: 'Last day of the key, Europe/London, from 14 days before it on; absent otherwise',
    schema: { ...TEXT, format: 'date' },
  },
};

const retryAfter = (maximum: number) =>
  header('Seconds to wait before the request is sent again', 18, { type: 'integer', minimum: 1, maximum });

const someResponses = {
  'WWW-Authenticate': header('How to present a key', 'Bearer', { ...TEXT, const: 'Bearer' }),
  'Retry-After': retryAfter(60),
  Location: header(
    'Path of the new item, under the prefix that was requested (`/v1/api` or `/api`)',
    `/v1/api/content/${sampleItemPath.id}`,
    TEXT,
  ),
  ETag: header('The version of the item, for If-Match', '"3"', { ...TEXT, pattern: '^"[1-9][0-9]*"$' }),
  'Idempotent-Replayed': {
    description: 'With a creation that was made before with this Idempotency-Key; absent otherwise',
    example: 'true',
    schema: { ...TEXT, const: 'true' },
  },
  Link: {
    description:
      'The page after this one, and with an `offset` the page before it (RFC 8288, `rel="next"` and `rel="prev"`), relative; absent at the ends',
    example: '</v1/api/content?limit=2&after=MTc2NDQwNjgwMDAwMA>; rel="next"',
    schema: TEXT,
  },
};

export const headerComponents = { ...everyResponse, ...someResponses };

type HeaderName = keyof typeof headerComponents;

const refs = (names: readonly HeaderName[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));

const ofStatus: Readonly<Record<number, JsonObject>> = {
  401: refs(['WWW-Authenticate']),
  // Not a component, because no operation responds with 405.
  405: { Allow: header('The methods that this path takes', 'GET', TEXT) },
  429: refs(['Retry-After']),
  500: refs(['Retry-After']),
};

const common = Object.keys(everyResponse) as HeaderName[];

export const successHeaders = (added: readonly HeaderName[] = []): JsonObject => refs([...common, ...added]);

/** Seconds of the longest month, which an allowance may be for. */
const LONGEST_PERIOD = 31 * 86_400;

export const problemHeaders = (status: number, codes: readonly ProblemCode[]): JsonObject => ({
  ...refs(common),
  ...ofStatus[status],
  ...(codes.includes('ALLOWANCE_EXCEEDED') && { 'Retry-After': retryAfter(LONGEST_PERIOD) }),
});
