/** The headers that answers promise: contract.md "Every response" and what belongs to single statuses and endpoints. */
import type { EndpointId } from '../../functions/endpoints.ts';
import type { JsonObject } from './json.ts';
import { refTo } from './references.ts';

const count = (description: string): JsonObject => ({
  description,
  required: true,
  schema: { type: 'integer', minimum: 0 },
});

const fixed = (description: string, value: string): JsonObject => ({
  description,
  required: true,
  schema: { type: 'string', const: value },
});

const text = (description: string, pattern?: string): JsonObject => ({
  description,
  required: true,
  schema: { type: 'string', ...(pattern && { pattern }) },
});

const everyResponse = {
  'X-RateLimit-Limit': count('Requests that the plan allows in a window of 60 s; 0 while nobody knows who calls'),
  'X-RateLimit-Remaining': count('Requests left in this window'),
  'X-RateLimit-Reset': count('When the window ends, in Unix seconds'),
  'X-Request-Id': text('Names this request; quote it when you ask for support'),
  'Cache-Control': fixed('Answers are about this moment', 'no-store'),
  'X-Content-Type-Options': fixed('The body is what its Content-Type says', 'nosniff'),
} as const;

const someResponses = {
  'WWW-Authenticate': fixed('How to present a key', 'Bearer'),
  'Retry-After': {
    description: 'Seconds until the window ends',
    required: true,
    schema: { type: 'integer', minimum: 1, maximum: 60 },
  },
  Location: text('Where the new item is, relative, in the family of addresses that was asked'),
  ETag: text('The version of the item, for If-Match', '^"[1-9][0-9]*"$'),
  Link: {
    description:
      'The pages after and before this one (RFC 8288, `rel="next"` and `rel="prev"`), relative; absent at the ends',
    schema: { type: 'string' },
  },
} as const;

/** Every header that some answer carries. */
export const headerComponents = { ...everyResponse, ...someResponses } as const;

type HeaderName = keyof typeof headerComponents;

/** What an endpoint's success carries besides what every answer does. */
const ofSuccess: Readonly<Record<EndpointId, readonly HeaderName[]>> = {
  'vehicle-insurance': [],
  'bulk-insurance': [],
  compliance: [],
  'list-content': ['Link'],
  'create-content': ['Location', 'ETag'],
  'read-content': ['ETag'],
  'update-content': ['ETag'],
  'delete-content': [],
};

const refs = (names: readonly HeaderName[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));

const ofStatus: Readonly<Record<number, JsonObject>> = {
  401: refs(['WWW-Authenticate']),
  // No operation of the document answers 405, so that this header is no component.
  405: { Allow: text('The methods that this path takes') },
  429: refs(['Retry-After']),
};

const common = Object.keys(everyResponse) as HeaderName[];

/** The headers of an endpoint's success. */
export const successHeaders = (id: EndpointId): JsonObject => refs([...common, ...ofSuccess[id]]);

/** The headers of an error response with this status. */
export const problemHeaders = (status: number): JsonObject => ({
  ...refs(common),
  ...ofStatus[status],
});
