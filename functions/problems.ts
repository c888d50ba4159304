/**
 * Every way in which the service says no, in one catalogue: contract.md "Errors", RFC 9457.
 * Only the middleware turns a code into an answer; rules and tables throw a `Refusal` that names the code.
 */

interface ProblemDescription {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 412 | 429 | 500;
  /** The specification's error type (section 7) or, for statuses it does not list, the HTTP reason phrase. */
  readonly title: string;
  /** When it happens, for the reference that consumers read. */
  readonly meaning: string;
}

const badRequest = { status: 400, title: 'Bad Request' } as const;
const notFound = { status: 404, title: 'Not Found' } as const;
const conflict = { status: 409, title: 'Conflict' } as const;

export const problems = {
  VALIDATION_FAILED: { ...badRequest, meaning: 'A parameter, header or body field is missing or wrong.' },
  MALFORMED_JSON: { ...badRequest, meaning: 'The body is not JSON in UTF-8.' },
  UNSUPPORTED_CONTENT_TYPE: { ...badRequest, meaning: 'The body is not declared as application/json in UTF-8.' },
  BODY_TOO_LARGE: { ...badRequest, meaning: 'The body is over 1 MB.' },
  INVALID_REGISTRATION: { ...badRequest, meaning: 'The text cannot be a registration number.' },
  BULK_TOO_LARGE: { ...badRequest, meaning: "More registrations than the caller's plan allows in one request." },
  PAGE_TOO_LARGE: { ...badRequest, meaning: 'The page would be too large, 5 MB at most; ask for fewer items.' },
  UNAUTHORIZED: { status: 401, title: 'Unauthorized', meaning: 'No API key, or one that is not valid.' },
  SCOPE_MISSING: { status: 403, title: 'Forbidden', meaning: 'The key is not allowed to do this.' },
  VEHICLE_NOT_FOUND: { ...notFound, meaning: 'No vehicle has this registration.' },
  COMPLIANCE_NOT_FOUND: { ...notFound, meaning: 'The vehicle is known, but no compliance record for it.' },
  CONTENT_NOT_FOUND: { ...notFound, meaning: 'No content item has this id.' },
  ROUTE_NOT_FOUND: { ...notFound, meaning: 'The service has nothing at this path.' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method Not Allowed', meaning: 'The path exists, with other methods.' },
  SLUG_TAKEN: { ...conflict, meaning: 'Another item of the domain has this slug.' },
  IDEMPOTENCY_CONFLICT: { ...conflict, meaning: 'The Idempotency-Key was used before with another body.' },
  PRECONDITION_FAILED: {
    status: 412,
    title: 'Precondition Failed',
    meaning: 'The item is not the version in If-Match.',
  },
  RATE_LIMITED: { status: 429, title: 'Too Many Requests', meaning: "The plan's requests of this window are used up." },
  INTERNAL_ERROR: { status: 500, title: 'Internal Server Error', meaning: 'A fault of the service; retry later.' },
} as const satisfies Record<string, ProblemDescription>;

export type ProblemCode = keyof typeof problems;

/** The address of the list in which each code is explained, relative to the service. */
const ERROR_LIST = '/docs/errors';

/** The stable address that identifies a code (RFC 9457 `type`). */
export const problemType = (code: ProblemCode): string => `${ERROR_LIST}#${code.toLowerCase().replaceAll('_', '-')}`;
