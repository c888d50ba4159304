/** The prose of the document. Long texts are here and not in the rows, because every function bundles the rows. */
import { readFileSync } from 'node:fs';
import type { Endpoint, EndpointId } from '../../functions/endpoints.ts';

/** The version of the package, which is the document's too. */
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** The document's title page. */
export const information = {
  title: 'Vehicle verification API',
  version,
  summary: 'Vehicle insurance, compliance verdicts and content items.',
  description: [
    'Every request needs an API key, as `Authorization: Bearer <key>` or `X-API-Key: <key>`. Keys belong on servers, never in a browser or an app: responses have no CORS headers.',
    'Each plan has a rate limit per window of 60 seconds, aligned to the Unix minute. Every response has the headers `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`. Plans: `free` 60 requests and 100 registrations in a bulk request, `standard` 600 and 500, `premium` 6,000 and 1,000. A request over the limit gets 429 with `Retry-After`.',
    'A live key, `vvc_live_…`, works with the data of the service. A test key, `vvc_test_…`, works in the sandbox, on every deployment: it looks up the documented sandbox vehicles, dated from today, and has content of its own, apart from that of live keys. Its limits, headers and errors are the real ones, and every response to it has `X-Sandbox: true`. For a test key every lookup of `ER19 THR` is 429 and of `ER19 ERR` 500; as entries of a bulk request both are `LOOKUP_UNAVAILABLE`.',
    'Every error is an RFC 9457 problem document with a `code`. When several apply, the first in this order is returned: 401, 429, 403 `SCOPE_MISSING`, unknown path or method (404, 405), 400, resource not found (404), 403 `DOMAIN_FORBIDDEN`, 412, 409.',
    'Days are days in Europe/London; timestamps are UTC. `/v1` only gains optional fields, parameters and codes: ignore fields and codes that you do not know.',
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
  { name: 'Usage', description: 'What the key may do, and its requests of the last 24 hours.' },
  {
    name: 'Content',
    description: 'Content items by domain and slug. `/v1/api/content` and `/api/content` are the same endpoints.',
  },
];

/** The two headers that can carry the key. */
export const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description:
      'The API key: `vvc_live_…`, or `vvc_test_…` for the sandbox. `Authorization` may carry the same key; two different keys are 401.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The API key, as an alternative to `X-API-Key`. An `Authorization` of another scheme is ignored.',
  },
} as const;

const REGISTRATION =
  'A registration may be written in any case and with spaces, hyphens, dots and middle dots, which are ignored; O and 0, and I and 1, are different characters. The response repeats it unchanged.';
const PAST_DAY =
  '`insured: false` for a past day only means that no policy known now covers it: it is no evidence of no cover.';
const IF_MATCH = 'With `If-Match`, only a version that it names is changed; otherwise the response is 412.';
const BODY =
  'The body is JSON of at most 1 MB, in UTF-8, declared as `application/json`; a field that is not described here is rejected.';
const DOMAINS =
  'A key can be bound to domains; `GET /v1/usage` names them. To such a key content of any other domain does not exist (404), and it cannot create there or move items there (403 `DOMAIN_FORBIDDEN`).';
const FIELDS =
  'Text must be well-formed Unicode without control characters (except tab and line ends) and without U+FFFD; a title or content of only invisible characters counts as empty. Lengths count code points, except that of `content`: at most 100,000 bytes of UTF-8. `domain` is stored in lower case. A slug is unique within its domain.';

/** What each operation does beyond its summary. */
export const operationTexts: Readonly<Record<EndpointId, string>> = {
  'vehicle-insurance': `\`insured\` is true when a policy is in force today, Europe/London, first and last day included. With \`date\`, the same holds for that day. ${PAST_DAY} Of several policies the response has the one in force, otherwise the one that ended last, otherwise the next to begin; \`policy\` is null when there is none. ${REGISTRATION}`,
  'bulk-insurance': `One result per entry, in order, duplicates included; an entry that fails does not fail the request. The maximum number of registrations depends on the plan: 100, 500 or 1,000. A bulk request counts as one request. An entry with \`LOOKUP_UNAVAILABLE\` could not be read: request it again, the vehicle may exist. With \`date\`, every entry is for that day. ${PAST_DAY} ${BODY}`,
  compliance: `Derived at the time of the request from insurance, MOT, road tax and fines; \`compliant\` is true when all four checks pass, otherwise \`reasons\` has one code per failed check. A verdict is never guessed: a vehicle without a compliance record is 404. \`details\` has the status, date and age of each source, to plan a renewal and to judge how old the facts are. A verdict is always for today: \`date\` is rejected, because MOT, tax and fines have no history. ${REGISTRATION}`,
  'bulk-compliance': `One result per entry, in order, duplicates included: the body of the single lookup, or why there is none. The maximum number of registrations depends on the plan: 100, 500 or 1,000. A bulk request counts as one request. An entry with \`LOOKUP_UNAVAILABLE\` could not be read: request it again, it is no verdict. ${BODY}`,
  'list-content':
    'Newest in the list first. `slug` needs `domain`. For a key that is bound to one domain, a list without `domain` is of that one; a list of another domain, or without `domain` for a key that is bound to several, is 403 `DOMAIN_FORBIDDEN`. An offset past the end is an empty page; follow the `Link` header to read all pages. A page over 5 MB is rejected, with a `limit` that fits. Unknown parameters are ignored; a known one given twice is rejected.',
  'create-content': `With an \`Idempotency-Key\`, the same request within 24 hours returns the same item and creates nothing; the same key with another body is 409. An API key that was rotated and its successor share their creations. ${DOMAINS} ${FIELDS} ${BODY}`,
  'read-content': 'The `ETag` is the version, for `If-Match`.',
  'update-content': `Omitted fields keep their value, so a full body replaces the item. \`id\`, \`created_at\`, \`updated_at\` and \`version\` are ignored. Every update increments \`version\`. ${IF_MATCH} ${DOMAINS} ${FIELDS} ${BODY}`,
  'delete-content': `The item is deleted permanently and its slug is free again; a second delete is 404. ${IF_MATCH}`,
  usage:
    'Any valid key can ask, whatever its scopes; the request counts as one. `hours` has exactly 24 hours in UTC; the last one is running, and its newest requests may be missing for a second. `rateLimited` is part of `requests`.',
};
