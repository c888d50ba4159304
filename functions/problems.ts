/**
 * The error catalogue: one entry per code (contract.md "Errors", RFC 9457). Rules and tables throw `apiError(code, values)`;
 * the middleware answers it; the OpenAPI document and the list of errors are written from it.
 */

/** One problem of a value, at a JSON Pointer (RFC 6901). */
export interface PointerIssue {
  readonly pointer: string;
  readonly detail: string;
}

/** One problem of a query parameter, path parameter or header. */
export interface ParameterIssue {
  readonly parameter: string;
  readonly detail: string;
}

/** One entry of a problem document's `errors`. */
export type ValidationIssue = PointerIssue | ParameterIssue;

/** Issues in one problem document: as many as the largest bulk request has entries. */
export const MAX_ISSUES = 1_000;

type Headers = Readonly<Record<string, string>>;

interface ProblemBase {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 412 | 429 | 500;
  /** The specification's error type (section 7) or, for statuses it does not list, the HTTP reason phrase. */
  readonly title: string;
  /** What the consumer does about it, in Markdown, for the reference. */
  readonly remedy: string;
}

/** An error whose sentence never changes; `meaning` is only needed where `detail` does not explain the code. */
interface FixedProblem extends ProblemBase {
  readonly detail: string;
  readonly meaning?: string;
  readonly issues?: readonly ValidationIssue[];
  readonly headers?: Headers;
}

/** An error whose sentence, issues and headers are made from values of the request. */
interface ProblemOfValues extends ProblemBase {
  readonly detail: (values: never) => string;
  /** When it happens, for the reference. */
  readonly meaning: string;
  readonly issues?: (values: never) => readonly ValidationIssue[];
  readonly headers?: (values: never) => Headers;
}

export type Problem = FixedProblem | ProblemOfValues;

const badRequest = { status: 400, title: 'Bad Request' } as const;
const forbidden = { status: 403, title: 'Forbidden' } as const;
const notFound = { status: 404, title: 'Not Found' } as const;
const conflict = { status: 409, title: 'Conflict' } as const;

const REGISTRATION_FORM =
  'A registration has 1 to 12 letters or digits, at least one of them from A to Z or 0 to 9; spaces, hyphens and dots are ignored.';

interface BulkExcess {
  /** The array in the body. */
  readonly field: string;
  readonly count: number;
  readonly limit: number;
}

const bulkExcess = ({ field, count, limit }: BulkExcess): string =>
  `${count} ${field} were sent; the plan allows at most ${limit} in one request`;

const summaryOf = (count: number): string => {
  if (count === 1) return 'The request has 1 validation issue; see errors.';
  if (count <= MAX_ISSUES) return `The request has ${count} validation issues; see errors.`;
  return `The request has over ${MAX_ISSUES} validation issues; errors names the first ${MAX_ISSUES}.`;
};

const methodList = (allowed: readonly string[]): string => [...new Set(allowed)].join(', ');

export const problems = {
  VALIDATION_FAILED: {
    ...badRequest,
    detail: ({ issues }: { issues: readonly ValidationIssue[] }) => summaryOf(issues.length),
    issues: ({ issues }: { issues: readonly ValidationIssue[] }) => issues.slice(0, MAX_ISSUES),
    meaning: 'A parameter, header or body field is missing or wrong.',
    remedy: 'Correct what `errors` names and send again; the same request fails every time.',
  },
  MALFORMED_JSON: {
    ...badRequest,
    detail: 'The body is not well-formed JSON in UTF-8.',
    remedy: 'Serialise the body with a JSON library; check that it was not cut off.',
  },
  UNSUPPORTED_CONTENT_TYPE: {
    ...badRequest,
    detail: 'Send the body in UTF-8, with "Content-Type: application/json".',
    meaning: 'The body is not declared as application/json in UTF-8.',
    remedy: 'Send `Content-Type: application/json`, without a charset or with `charset=utf-8`.',
  },
  BODY_TOO_LARGE: {
    ...badRequest,
    detail: ({ bytes, limit }: { bytes: number; limit: number }) =>
      `The body has ${bytes} bytes; at most ${limit} are accepted.`,
    meaning: 'The body is over 1 MB.',
    remedy: 'Send less than 1 MB: split a bulk request, shorten the content.',
  },
  INVALID_REGISTRATION: {
    ...badRequest,
    detail: REGISTRATION_FORM,
    issues: [{ parameter: 'registration', detail: REGISTRATION_FORM }],
    meaning: 'The text cannot be a registration number.',
    remedy: 'Ask whoever typed it: 1 to 12 letters or digits; spaces, hyphens and dots are ignored.',
  },
  BULK_TOO_LARGE: {
    ...badRequest,
    detail: (excess: BulkExcess) => `${bulkExcess(excess)}.`,
    issues: (excess: BulkExcess) => [{ pointer: `/${excess.field}`, detail: bulkExcess(excess) }],
    meaning: "More registrations than the caller's plan allows in one request.",
    remedy: 'Split the list into requests of at most the size that `detail` names.',
  },
  PAGE_TOO_LARGE: {
    ...badRequest,
    detail: ({ limitThatFits }: { limitThatFits: number }) =>
      `This page would be too large; a limit of ${limitThatFits} fits.`,
    meaning: 'The page would be too large, 5 MB at most; ask for fewer items.',
    remedy: 'Ask again with the `limit` that `detail` names.',
  },
  /** Missing, malformed, unknown, expired and revoked keys look the same from outside. */
  UNAUTHORIZED: {
    status: 401,
    title: 'Unauthorized',
    detail: 'Send a valid API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
    headers: { 'WWW-Authenticate': 'Bearer' },
    meaning: 'No API key, or one that is not valid.',
    remedy:
      'Check that the key is sent, whole, in one header. It may have expired or been revoked: ask your operator for a new one. Do not retry.',
  },
  SCOPE_MISSING: {
    ...forbidden,
    detail: ({ scope }: { scope: string }) => `This API key lacks the scope ${scope}.`,
    meaning: 'The key is not allowed to do this.',
    remedy: 'Ask your operator for a key with the scope that `detail` names. Do not retry.',
  },
  VEHICLE_NOT_FOUND: {
    ...notFound,
    detail: 'No vehicle with this registration is in the database.',
    meaning: 'No vehicle has this registration.',
    remedy: 'Check the registration, O against 0 and I against 1 too; otherwise treat the vehicle as unknown.',
  },
  COMPLIANCE_NOT_FOUND: {
    ...notFound,
    detail: 'The vehicle is known, but there is no compliance record for it.',
    remedy: 'Treat the verdict as unknown, never as compliant; try again another day.',
  },
  CONTENT_NOT_FOUND: {
    ...notFound,
    detail: 'No content item has this id.',
    remedy: 'It was deleted or never existed; look it up by domain and slug.',
  },
  ROUTE_NOT_FOUND: {
    ...notFound,
    /** `hint`: what to change in the path, where that is known. */
    detail: ({ hint = 'check it against the reference' }: { hint?: string | undefined }) =>
      `The service has nothing at this path; ${hint}.`,
    meaning: 'The service has nothing at this path.',
    remedy: 'Check the path against the reference; paths begin with `/v1` and end without a slash.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method Not Allowed',
    detail: ({ allowed }: { allowed: readonly string[] }) => `This path takes ${methodList(allowed)}.`,
    headers: ({ allowed }: { allowed: readonly string[] }) => ({ Allow: methodList(allowed) }),
    meaning: 'The path exists, with other methods.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  SLUG_TAKEN: {
    ...conflict,
    detail: 'Another item of this domain has this slug; choose another slug or change that item.',
    meaning: 'Another item of the domain has this slug.',
    remedy: 'Choose another slug, or find the item that has it by domain and slug and update that.',
  },
  IDEMPOTENCY_CONFLICT: {
    ...conflict,
    detail: 'This Idempotency-Key was used within 24 hours with another body; use a new key for a new item.',
    meaning: 'The Idempotency-Key was used before with another body.',
    remedy: 'Use a new key for each new item, and the same key only to repeat the very same request.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    title: 'Precondition Failed',
    /** `isQuoted`: whether If-Match holds strong entity tags, as it must. */
    detail: ({ currentVersion, isQuoted }: { currentVersion: number; isQuoted: boolean }) =>
      isQuoted
        ? `The item is at version ${currentVersion}, which If-Match does not name; read it again before changing it.`
        : `If-Match takes versions as ETag gives them, in double quotes and without W/; the item is at version "${currentVersion}".`,
    meaning: 'The item is not the version in If-Match.',
    remedy: 'Read the item again, make your change on that version, and send its `ETag` in `If-Match`.',
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too Many Requests',
    detail: ({ limit, retryAfterSeconds }: { limit: number; retryAfterSeconds: number }) =>
      `The plan allows ${limit} requests a minute; try again in ${retryAfterSeconds} s.`,
    headers: ({ retryAfterSeconds }: { retryAfterSeconds: number }) => ({ 'Retry-After': String(retryAfterSeconds) }),
    meaning: "The plan's requests of this window are used up.",
    remedy: 'Wait the seconds that `Retry-After` gives, then send again; spread requests, or look vehicles up in bulk.',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal Server Error',
    detail: 'The service could not answer; try again in a moment.',
    meaning: 'An error of the service; retry later.',
    remedy:
      'Try again after a moment, waiting longer each time. Reading, updating with `If-Match`, deleting, and creating with an `Idempotency-Key` are safe to repeat. If it stays, report the `requestId`.',
  },
} as const satisfies Record<string, Problem>;

export type ProblemCode = keyof typeof problems;

/** The values that an entry's sentence needs; none for a fixed one. */
type Values<Code extends ProblemCode> = (typeof problems)[Code]['detail'] extends (values: infer Needed) => string
  ? [values: Needed]
  : [];

/** The address of the list in which each code is explained, relative to the service. */
const ERROR_LIST = '/docs/errors';

/** The stable address that identifies a code (RFC 9457 `type`). */
export const problemType = (code: ProblemCode): string => `${ERROR_LIST}#${code.toLowerCase().replaceAll('_', '-')}`;

/** Why a request cannot be served. Its message is the `detail` that the caller gets, so it holds nothing internal. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ProblemCode;
  readonly issues: readonly ValidationIssue[] | undefined;
  /** Headers that this error's response needs. */
  readonly headers: Headers | undefined;

  constructor(code: ProblemCode, detail: string, issues?: readonly ValidationIssue[], headers?: Headers) {
    super(detail);
    this.code = code;
    this.issues = issues;
    this.headers = headers;
  }
}

/**
 * The error of a code, with the sentence, issues and headers of its catalogue entry.
 * @example
 * throw apiError('VEHICLE_NOT_FOUND');
 * throw apiError('RATE_LIMITED', { limit: 60, retryAfterSeconds: 12 });
 */
export const apiError = <Code extends ProblemCode>(code: Code, ...[values]: Values<Code>): ApiError => {
  const made = <Part>(part: Part | ((values: never) => Part)): Part =>
    typeof part === 'function' ? (part as (values: unknown) => Part)(values) : part;
  const { detail, issues, headers }: Problem = problems[code];
  return new ApiError(code, made(detail), made(issues), made(headers));
};
