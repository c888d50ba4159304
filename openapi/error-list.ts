/** The meaning and the remedy of every error code, for the document, docs/errors.md and the page of errors. */
import { type ProblemCode, problems, problemType } from '../core/problems.ts';

/**
 * When each error happens, and what the consumer can do. Code is between backticks. These texts are not in
 * core/problems.ts, because functions bundle that file.
 */
const texts: Readonly<Record<ProblemCode, { readonly meaning: string; readonly remedy: string }>> = {
  VALIDATION_FAILED: {
    meaning: 'A parameter, header or body field is missing or wrong.',
    remedy: 'Correct what `errors` names. The same request would fail again.',
  },
  MALFORMED_JSON: {
    meaning: 'The body is not well-formed JSON in UTF-8.',
    remedy: 'Serialise the body with a JSON library, and check that it was not cut off.',
  },
  UNSUPPORTED_CONTENT_TYPE: {
    meaning: 'The body is not declared as application/json in UTF-8.',
    remedy: 'Send `Content-Type: application/json`, without a charset or with `charset=utf-8`.',
  },
  BODY_TOO_LARGE: {
    meaning: 'The body is over 1 MB.',
    remedy: 'Send less than 1 MB: split a bulk request, or shorten the content.',
  },
  INVALID_REGISTRATION: {
    meaning: 'The text cannot be a registration number.',
    remedy: 'Ask whoever typed it. A registration has 1 to 12 letters or digits; spaces, hyphens and dots are ignored.',
  },
  BULK_TOO_LARGE: {
    meaning: 'The request has more registrations than the plan of the key allows.',
    remedy: 'Split the list into requests of at most the size that `detail` names.',
  },
  PAGE_TOO_LARGE: {
    meaning: 'The page would be larger than 5 MB.',
    remedy: 'Ask again with the `limit` that `detail` names.',
  },
  UNAUTHORIZED: {
    meaning: 'The request has no valid API key.',
    remedy:
      'Check that the whole key is sent, in one header. If it is, the key may have expired or been revoked: ask your operator for a new one. Do not retry.',
  },
  ADDRESS_FORBIDDEN: {
    meaning: 'The key is bound to addresses, and the request came from another one.',
    remedy:
      'Send requests from the addresses that you have agreed on with your operator. `detail` names the one from which this request came. Do not retry.',
  },
  SCOPE_MISSING: {
    meaning: 'The key is not allowed to do this.',
    remedy: 'Ask your operator for a key with the scope that `detail` names. Do not retry.',
  },
  DOMAIN_FORBIDDEN: {
    meaning:
      'The key is bound to content domains, and the request names another domain, or lists content without a domain.',
    remedy:
      'Send one of the domains that `detail` names. To use another one, ask your operator for a key. Do not retry.',
  },
  VEHICLE_NOT_FOUND: {
    meaning: 'No vehicle has this registration.',
    remedy:
      'Check the registration. If the problem has a `suggestion`, ask whether that was meant before you use it. Otherwise treat the vehicle as unknown.',
  },
  COMPLIANCE_NOT_FOUND: {
    meaning: 'The vehicle is known, but there is no compliance record for it.',
    remedy: 'Treat the verdict as unknown, and not as compliant. Try again another day.',
  },
  CONTENT_NOT_FOUND: {
    meaning: 'No content item has this id.',
    remedy:
      'The item was deleted, never existed, or belongs to a domain that the key may not use. Look for it by domain and slug.',
  },
  ROUTE_NOT_FOUND: {
    meaning: 'The service has nothing at this path.',
    remedy: 'Compare the path with the reference. A path begins with `/v1`, and ends without a slash.',
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  SLUG_TAKEN: {
    meaning: 'Another item of the domain has this slug.',
    remedy: 'Choose another slug. Or look for the item by domain and slug, and update it.',
  },
  IDEMPOTENCY_CONFLICT: {
    meaning: 'The Idempotency-Key was used before with another body.',
    remedy: 'Use a new key for each new item, and the same key only to repeat the very same request.',
  },
  PRECONDITION_FAILED: {
    meaning: 'The item is not the version in If-Match, or If-None-Match names its version.',
    remedy: 'Read the item again, make your change on that version, and send its `ETag` in `If-Match`.',
  },
  RATE_LIMITED: {
    meaning: "The plan's requests of this window are used up.",
    remedy:
      'Wait for the seconds in `Retry-After`, then send again. Spread your requests, or look vehicles up in bulk. With a test key, `ER19 THR` gives this error.',
  },
  ALLOWANCE_EXCEEDED: {
    meaning: "The request has more units than are left of the plan's allowance for the day or the month.",
    remedy:
      'Do not retry before the time that `detail` names, which is also in `Retry-After` as seconds. A smaller bulk request may still be answered. `GET /v1/usage` shows what is left. If you need more, ask your operator for a larger plan.',
  },
  INTERNAL_ERROR: {
    meaning: 'The service could not answer, because of an error of its own.',
    remedy:
      'Try again after a moment, waiting longer each time. Reading, updating with `If-Match`, deleting, and creating with an `Idempotency-Key` are safe to repeat. If the error stays, report the `requestId`. With a test key, `ER19 ERR` gives this error.',
  },
};

export const meaningOf = (code: ProblemCode): string => texts[code].meaning;

export const INTRODUCTION = [
  'Look up the `code` of an error here: what it means, and what to do.',
  'The service answers with a problem document (RFC 9457). Let your program decide by `code`, and show `detail` to a person.',
  'Quote `requestId` when you ask your operator for help. An error with only a `message` is from API Gateway, and has no code.',
].join('\n');

/** The sections of docs/errors.md and of the page that `npm start` serves, each at the anchor of its `type`. */
export const errorSections = () =>
  (Object.keys(problems) as ProblemCode[]).map((code) => {
    const { status, title } = problems[code];
    return { code, anchor: problemType(code).split('#')[1], answer: `${status} ${title}`, ...texts[code] };
  });

const BULK_ENTRIES = `## Codes of bulk entries

A bulk response is 200 even when some of its entries have a \`code\` in place of an answer. \`insured: false\` or \`compliant: false\` says nothing about such a vehicle.

- \`VEHICLE_NOT_FOUND\`, \`COMPLIANCE_NOT_FOUND\`, \`INVALID_REGISTRATION\` mean the same as above, for this entry alone.
- \`LOOKUP_UNAVAILABLE\` means that this registration could not be looked up just now. Ask for it again, together with the others of this code.
`;

export const errorListMarkdown = (): string =>
  [
    '<!-- Written by `npm run openapi` from core/problems.ts and openapi/error-list.ts. -->',
    '# Errors',
    INTRODUCTION,
    ...errorSections().map(
      ({ code, anchor, answer, meaning, remedy }) =>
        `<a id="${anchor}"></a>\n\n## ${code}\n\n**${answer}.** ${meaning}\n\n${remedy}\n`,
    ),
    BULK_ENTRIES,
  ].join('\n\n');
