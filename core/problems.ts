/**
 * The error catalogue: one entry per code (docs/contract.md#errors, RFC 9457). Rules and tables throw `apiError(code, values)`;
 * the middleware makes a response of it; the OpenAPI document and the list of errors are generated from it.
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

/** Either the same for each error of a code, or made from values of the request. */
type Made<Part> = Part | ((values: never) => Part);

/** One entry. What the reference says about it is in lib/openapi/error-list.ts, because every function bundles this file. */
export interface Problem {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 412 | 429 | 500;
  /** The HTTP reason phrase of the status. */
  readonly title: string;
  readonly detail: Made<string>;
  readonly issues?: Made<readonly ValidationIssue[]>;
  readonly headers?: Made<Headers>;
  readonly extension?: Made<ProblemExtension>;
}

/** Members of a problem document that only some codes have (RFC 9457, section 3.2). */
export interface ProblemExtension {
  /** The registration that was probably meant. */
  readonly suggestion?: string | undefined;
}

const badRequest = { status: 400, title: 'Bad Request' } as const;
const forbidden = { status: 403, title: 'Forbidden' } as const;
const notFound = { status: 404, title: 'Not Found' } as const;
const conflict = { status: 409, title: 'Conflict' } as const;

const REGISTRATION_FORM =
  'A registration has 1 to 12 letters or digits, at least one of them from A to Z or 0 to 9; spaces, hyphens and dots are ignored.';

interface BulkExcess {
  readonly count: number;
  readonly limit: number;
}

const bulkExcess = ({ count, limit }: BulkExcess): string =>
  `${count} registrations were sent; the plan allows at most ${limit} in one request`;

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
  },
  MALFORMED_JSON: {
    ...badRequest,
    detail: 'The body is not well-formed JSON in UTF-8.',
  },
  UNSUPPORTED_CONTENT_TYPE: {
    ...badRequest,
    detail: 'Send the body in UTF-8, with "Content-Type: application/json".',
  },
  BODY_TOO_LARGE: {
    ...badRequest,
    detail: ({ bytes, limit }: { bytes: number; limit: number }) =>
      `The body has ${bytes} bytes; at most ${limit} are accepted.`,
  },
  INVALID_REGISTRATION: {
    ...badRequest,
    detail: REGISTRATION_FORM,
    issues: [{ parameter: 'registration', detail: REGISTRATION_FORM }],
  },
  BULK_TOO_LARGE: {
    ...badRequest,
    detail: (excess: BulkExcess) => `${bulkExcess(excess)}.`,
    issues: (excess: BulkExcess) => [{ pointer: '/registrations', detail: bulkExcess(excess) }],
  },
  PAGE_TOO_LARGE: {
    ...badRequest,
    detail: ({ limitThatFits }: { limitThatFits: number }) =>
      `This page would be too large; a limit of ${limitThatFits} fits.`,
  },
  /** Missing, malformed, unknown, expired and revoked keys look the same from outside. */
  UNAUTHORIZED: {
    status: 401,
    title: 'Unauthorized',
    detail: 'Send a valid API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  SCOPE_MISSING: {
    ...forbidden,
    detail: ({ scope }: { scope: string }) => `This API key lacks the scope ${scope}.`,
  },
  DOMAIN_FORBIDDEN: {
    ...forbidden,
    /** The domains are those of the caller's own key. */
    detail: ({ domains }: { domains: readonly string[] }) =>
      `This API key is bound to domains; send "domain" as one of: ${domains.join(', ')}.`,
  },
  VEHICLE_NOT_FOUND: {
    ...notFound,
    detail: (_: ProblemExtension) => 'No vehicle with this registration is in the database.',
    extension: (suggested: ProblemExtension) => suggested,
  },
  COMPLIANCE_NOT_FOUND: {
    ...notFound,
    detail: 'The vehicle is known, but there is no compliance record for it.',
  },
  CONTENT_NOT_FOUND: {
    ...notFound,
    detail: 'No content item has this id.',
  },
  ROUTE_NOT_FOUND: {
    ...notFound,
    /** `hint`: what to change in the path, where that is known. */
    detail: ({ hint = 'check it against the reference' }: { hint?: string | undefined }) =>
      `The service has nothing at this path; ${hint}.`,
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method Not Allowed',
    detail: ({ allowed }: { allowed: readonly string[] }) => `This path takes ${methodList(allowed)}.`,
    headers: ({ allowed }: { allowed: readonly string[] }) => ({ Allow: methodList(allowed) }),
  },
  SLUG_TAKEN: {
    ...conflict,
    detail: 'Another item of this domain has this slug; choose another slug or change that item.',
  },
  IDEMPOTENCY_CONFLICT: {
    ...conflict,
    detail: 'This Idempotency-Key was used within 24 hours with another body; use a new key for a new item.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    title: 'Precondition Failed',
    /** `isQuoted`: whether If-Match has strong entity tags, as it must. */
    detail: ({ currentVersion, isQuoted }: { currentVersion: number; isQuoted: boolean }) =>
      isQuoted
        ? `The item is at version ${currentVersion}, which If-Match does not name; read it again before changing it.`
        : `If-Match takes versions as ETag gives them, in double quotes and without W/; the item is at version "${currentVersion}".`,
  },
  RATE_LIMITED: {
    status: 429,
    title: 'Too Many Requests',
    detail: ({ limit, retryAfterSeconds }: { limit: number; retryAfterSeconds: number }) =>
      `The plan allows ${limit} requests a minute; try again in ${retryAfterSeconds} s.`,
    headers: ({ retryAfterSeconds }: { retryAfterSeconds: number }) => ({ 'Retry-After': String(retryAfterSeconds) }),
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal Server Error',
    detail: 'The service could not answer; try again in a moment.',
    headers: { 'Retry-After': '1' },
  },
} as const satisfies Record<string, Problem>;

export type ProblemCode = keyof typeof problems;

/** The values that an entry's sentence needs; none for a fixed one. */
type Values<Code extends ProblemCode> = (typeof problems)[Code]['detail'] extends (values: infer Needed) => string
  ? [values: Needed]
  : [];

/** The list in which each code is explained: relative to the service, or a page of the documentation site (site/). */
const errorList = (docsUrl?: string): string => (docsUrl === undefined ? '/docs/errors' : `${docsUrl}/errors.html`);

/**
 * The stable address that identifies a code (RFC 9457 `type`).
 * @param docsUrl the address of the documentation site, without a trailing slash
 */
export const problemType = (code: ProblemCode, docsUrl?: string): string =>
  `${errorList(docsUrl)}#${code.toLowerCase().replaceAll('_', '-')}`;

/** Why a request cannot be served. Its message is the `detail` that the caller gets, so it holds nothing internal. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ProblemCode;
  readonly issues?: readonly ValidationIssue[] | undefined;
  /** Headers that this error's response needs. */
  readonly headers?: Headers | undefined;
  readonly extension?: ProblemExtension | undefined;
  /** Whether the sandbox forces this error: nothing failed, so the operator has nothing to do. */
  readonly isForced: boolean = false;

  constructor(code: ProblemCode, detail: string, rest: Partial<Omit<ApiError, keyof Error | 'code'>>) {
    super(detail);
    this.code = code;
    Object.assign(this, rest);
  }
}

/**
 * The error of a code, with the sentence, issues and headers of its catalogue entry.
 * @example
 * throw apiError('CONTENT_NOT_FOUND');
 * throw apiError('RATE_LIMITED', { limit: 60, retryAfterSeconds: 12 });
 */
export const apiError = <Code extends ProblemCode>(code: Code, ...[values]: Values<Code>): ApiError => {
  const made = <Part>(part: Made<Part>): Part =>
    typeof part === 'function' ? (part as (values: unknown) => Part)(values) : part;
  const { detail, issues, headers, extension }: Problem = problems[code];
  return new ApiError(code, made(detail), { issues: made(issues), headers: made(headers), extension: made(extension) });
};

/** The sentences of the errors that the sandbox forces. */
const FORCED_DETAILS = {
  RATE_LIMITED: 'The sandbox forces this error for this registration, the limit is not reached; try again in 1 s.',
  INTERNAL_ERROR: 'The sandbox forces this error for this registration, nothing failed; try again in a moment.',
} as const satisfies Partial<Record<ProblemCode, string>>;

/** An error that the sandbox forces (core/sandbox), with the headers of the real one. */
export const forcedError = (code: keyof typeof FORCED_DETAILS): ApiError =>
  new ApiError(code, FORCED_DETAILS[code], { headers: { 'Retry-After': '1' }, isForced: true });
