/** The headers of every response (docs/contract.md#every-response), and those of some statuses. */
import { PLANS } from '../../core/access/plans.ts';
import { sampleItemPath } from '../../functions/endpoints/document.ts';
import { type JsonObject, refTo } from './json.ts';

const count = (description: string, example: number): JsonObject => ({
  description,
  example,
  required: true,
  schema: { type: 'integer', minimum: 0 },
});

const fixed = (description: string, value: string): JsonObject => ({
  description,
  example: value,
  required: true,
  schema: { type: 'string', const: value },
});

const text = (description: string, example: string, pattern?: string): JsonObject => ({
  description,
  example,
  required: true,
  schema: { type: 'string', ...(pattern && { pattern }) },
});

const everyResponse = {
  'X-RateLimit-Limit': count(
    'Requests that the plan allows in a window of 60 s; 0 when the caller is unknown',
    PLANS.standard.requestsPerWindow,
  ),
  'X-RateLimit-Remaining': count('Requests left in this window', 42),
  'X-RateLimit-Reset': count('When the window ends, in Unix seconds', 1_781_524_860),
  'X-Request-Id': text(
    'The id of this request; quote it when you ask for support',
    'b2f6a3f4-7d0c-4c4e-9a53-1f1f0c6f4a1e',
  ),
  'Cache-Control': fixed('Responses must not be cached', 'no-store'),
  'X-Content-Type-Options': fixed('Browsers must not guess another content type', 'nosniff'),
  'X-Sandbox': {
    description: 'In every response to a test key, errors included; absent otherwise',
    example: 'true',
    schema: { type: 'string', const: 'true' },
  },
  Vary: {
    description: 'In every response of bulk requests and lists, which are compressed for callers that accept gzip',
    schema: { type: 'string', const: 'Accept-Encoding' },
  },
  'X-Key-Expires': {
    description: 'Last day of the key, Europe/London, from 14 days before it on; absent otherwise',
    schema: { type: 'string', format: 'date' },
  },
} as const;

const someResponses = {
  'WWW-Authenticate': fixed('How to present a key', 'Bearer'),
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again',
    example: 18,
    required: true,
    schema: { type: 'integer', minimum: 1, maximum: 60 },
  },
  Location: text(
    'Path of the new item, under the prefix that was requested (`/v1/api` or `/api`)',
    `/v1/api/content/${sampleItemPath.id}`,
  ),
  ETag: text('The version of the item, for If-Match', '"3"', '^"[1-9][0-9]*"$'),
  Link: {
    description:
      'The pages after and before this one (RFC 8288, `rel="next"` and `rel="prev"`), relative; absent at the ends',
    example: '</v1/api/content?limit=2&offset=2>; rel="next"',
    schema: { type: 'string' },
  },
} as const;

/** Every response header. */
export const headerComponents = { ...everyResponse, ...someResponses } as const;

type HeaderName = keyof typeof headerComponents;

const refs = (names: readonly HeaderName[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));

const ofStatus: Readonly<Record<number, JsonObject>> = {
  401: refs(['WWW-Authenticate']),
  // Not a component, because no operation responds with 405.
  405: { Allow: text('The methods that this path takes', 'GET') },
  429: refs(['Retry-After']),
  500: refs(['Retry-After']),
};

/** The headers of a public response, which has no caller. */
export const publicHeaders: JsonObject = {
  ...refs(['X-Request-Id', 'X-Content-Type-Options']),
  'Cache-Control': text(
    'For how many seconds it may be cached',
    'public, max-age=3600',
    '^public, max-age=[1-9][0-9]*$',
  ),
};

const common = Object.keys(everyResponse) as HeaderName[];

/** The headers of a successful response, including those that its endpoint adds. */
export const successHeaders = (added: readonly HeaderName[] = []): JsonObject => refs([...common, ...added]);

/** The headers of an error response with this status. */
export const problemHeaders = (status: number): JsonObject => ({
  ...refs(common),
  ...ofStatus[status],
});
