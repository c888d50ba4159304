/** What the document says in words. Long texts stand here, not in the rows, which every function bundles. */
import type { Endpoint, EndpointId } from '../../functions/endpoints.ts';

/** The document's title page. */
export const information = {
  title: 'Vehicle verification API',
  version: '1.0.0',
  summary: 'Vehicle insurance, compliance verdicts and content items.',
  description: [
    'Every request carries an API key, as `Authorization: Bearer <key>` or `X-API-Key: <key>`. Keys belong on servers, never in a browser or an app: the service answers without CORS headers.',
    'Every answer tells where the caller stands in its window of 60 seconds, aligned to the Unix minute: `X-RateLimit-Limit`, `X-RateLimit-Remaining`, `X-RateLimit-Reset`. Plans: `free` 60 requests and 100 registrations in a bulk request, `standard` 600 and 500, `premium` 6,000 and 1,000. Over the limit: 429 with `Retry-After`.',
    'What goes wrong is an RFC 9457 problem document with a `code`. Faults are looked for in this order: 401, 403, 429, unknown path or method (404, 405), 400, resource not found (404), 412, 409.',
    'Days are days in Europe/London; timestamps are UTC. `/v1` only ever gains optional things: ignore fields and codes that you do not know.',
  ].join('\n\n'),
  license: { name: 'MIT', identifier: 'MIT' },
} as const;

/** The rows' tags, in the order in which the reference shows them. */
export const tags: readonly { readonly name: Endpoint['tag']; readonly description: string }[] = [
  { name: 'Vehicles', description: 'Is a vehicle insured? One at a time, or up to 1,000 in a request.' },
  {
    name: 'Compliance',
    description: 'May a vehicle be on the road? Insurance, MOT, road tax and fines in one verdict.',
  },
  {
    name: 'Content',
    description: 'Content items by domain and slug. They answer under `/v1/api/content` and `/api/content` alike.',
  },
];

/** The two headers that take a key; either will do. */
export const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The API key: `vvc_live_…` or `vvc_test_…`. Both headers with the same key are fine, two different keys are 401. An `Authorization` of another scheme is ignored.',
  },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The API key in a header of its own.' },
} as const;

const REGISTRATION =
  'A registration is taken as people write it: case, spaces, hyphens, dots and middle dots do not matter, O and 0, I and 1 do. The answer repeats it unchanged.';
const IF_MATCH = 'With `If-Match`, only a version that it names is touched; otherwise the answer is 412.';
const BODY =
  'The body is JSON of at most 1 MB, in UTF-8, declared as `application/json`; a field that is not described here is refused.';
const FIELDS =
  'Text must be well-formed Unicode without control characters (tab and line ends aside) and without U+FFFD; invisible characters alone are no title and no content. Lengths count code points, except that of `content`: at most 100,000 bytes of UTF-8. `domain` is stored in lower case. A slug is unique within its domain.';

/** What each operation does beyond its summary. */
export const operationTexts: Readonly<Record<EndpointId, string>> = {
  'vehicle-insurance': `\`insured\` says whether a policy is in force today, Europe/London, first and last day included. Of several policies the one in force answers, else the one that ended last, else the next to begin; \`policy\` is null when there is none. ${REGISTRATION}`,
  'bulk-insurance': `One result per entry, in order, duplicates included; an entry that fails does not fail the request. The most registrations in one request depend on the plan: 100, 500 or 1,000. It counts as one request. An entry with \`LOOKUP_UNAVAILABLE\` could not be read: ask again, it is not unknown. ${BODY}`,
  compliance: `Derived at the time of the request from insurance, MOT, road tax and fines; \`compliant\` when all four pass, \`reasons\` otherwise, one per failed check. A verdict is never guessed: a vehicle without a compliance record is 404. ${REGISTRATION}`,
  'list-content':
    'The last to join the list first. `slug` needs `domain`. An offset past the end is an empty page; follow the `Link` header to read all. A page over 5 MB is refused with a `limit` that fits. Unknown parameters are ignored, a known one given twice is refused.',
  'create-content': `With an \`Idempotency-Key\`, the same request within 24 hours is answered with the same item and creates nothing; the same key with another body is 409. ${FIELDS} ${BODY}`,
  'read-content': 'The `ETag` is the version, for `If-Match`.',
  'update-content': `Fields that are left out keep their value, so a full body is a full replacement. \`id\`, \`created_at\`, \`updated_at\` and \`version\` are ignored. Every update raises \`version\`. ${IF_MATCH} ${FIELDS} ${BODY}`,
  'delete-content': `Gone for good, its slug free again; a second delete is 404. ${IF_MATCH}`,
};
