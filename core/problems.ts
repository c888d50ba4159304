/** The error catalogue (docs/contract.md#errors): the status of each code, and a function that makes its error. */

import type { Sources } from './sources.ts';

/** A validation issue of a value, at a JSON Pointer (RFC 6901). */
export interface PointerIssue {
  readonly pointer: string;
  readonly detail: string;
}

/** A validation issue of a query parameter, path parameter or header. */
export interface ParameterIssue {
  readonly parameter: string;
  readonly detail: string;
}

export type ValidationIssue = PointerIssue | ParameterIssue;

/** Maximum number of issues in one problem document: the number of entries in the largest bulk request. */
export const MAX_ISSUES = 1_000;

const badRequest = { status: 400, title: 'Bad Request' } as const;
const forbidden = { status: 403, title: 'Forbidden' } as const;
const notFound = { status: 404, title: 'Not Found' } as const;
const conflict = { status: 409, title: 'Conflict' } as const;
const tooMany = { status: 429, title: 'Too Many Requests' } as const;

/** Status and reason phrase of each code. openapi/error-list.ts explains the codes: functions bundle this file. */
export const problems = {
  VALIDATION_FAILED: badRequest,
  MALFORMED_JSON: badRequest,
  UNSUPPORTED_CONTENT_TYPE: badRequest,
  BODY_TOO_LARGE: badRequest,
  INVALID_REGISTRATION: badRequest,
  BULK_TOO_LARGE: badRequest,
  PAGE_TOO_LARGE: badRequest,
  UNAUTHORIZED: { status: 401, title: 'Unauthorized' },
  ADDRESS_FORBIDDEN: forbidden,
  SCOPE_MISSING: forbidden,
  DOMAIN_FORBIDDEN: forbidden,
  VEHICLE_NOT_FOUND: notFound,
  COMPLIANCE_NOT_FOUND: notFound,
  CONTENT_NOT_FOUND: notFound,
  ROUTE_NOT_FOUND: notFound,
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method Not Allowed' },
  SLUG_TAKEN: conflict,
  IDEMPOTENCY_CONFLICT: conflict,
  PRECONDITION_FAILED: { status: 412, title: 'Precondition Failed' },
  RATE_LIMITED: tooMany,
  ALLOWANCE_EXCEEDED: tooMany,
  INTERNAL_ERROR: { status: 500, title: 'Internal Server Error' },
} as const;

export type ProblemCode = keyof typeof problems;

/**
 * The stable address that identifies a code (RFC 9457 `type`).
 * @param docsUrl the address of the documentation site without a trailing slash; by default relative to the service
 */
export const problemType = (code: ProblemCode, docsUrl?: string): string => {
  const list = docsUrl === undefined ? '/docs/errors' : `${docsUrl}/errors.html`;
  return `${list}#${code.toLowerCase().replaceAll('_', '-')}`;
};

/** An error for the caller, who gets its message as `detail`: it must contain nothing internal. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ProblemCode;
  readonly issues?: readonly ValidationIssue[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Members that only some codes have (RFC 9457, section 3.2). */
  readonly extension?: { readonly suggestion?: string | undefined; readonly sources?: Sources | undefined } | undefined;
  /** Whether the sandbox forces this error, so that an operator has nothing to do. */
  readonly isForced: boolean = false;

  constructor(code: ProblemCode, detail: string, rest: Partial<Omit<ApiError, keyof Error | 'code'>> = {}) {
    super(detail);
    this.code = code;
    Object.assign(this, rest);
  }
}

/** The sentences of failed bulk entries. The sentence for an invalid registration names what is wrong with it. */
export const ENTRY_SENTENCES = {
  VEHICLE_NOT_FOUND: 'No vehicle with this registration is in the database.',
  COMPLIANCE_NOT_FOUND: 'The vehicle is known, but there is no compliance record for it.',
  LOOKUP_UNAVAILABLE: 'This registration could not be looked up just now; ask for it again.',
} as const;

const validationSummary = (count: number): string => {
  if (count === 1) return 'The request has 1 validation issue; see errors.';
  if (count <= MAX_ISSUES) return `The request has ${count} validation issues; see errors.`;
  return `The request has over ${MAX_ISSUES} validation issues; errors names the first ${MAX_ISSUES}.`;
};

export const validationFailed = (issues: readonly ValidationIssue[]): ApiError =>
  new ApiError('VALIDATION_FAILED', validationSummary(issues.length), { issues: issues.slice(0, MAX_ISSUES) });

export const malformedJson = (): ApiError =>
  new ApiError('MALFORMED_JSON', 'The body is not well-formed JSON in UTF-8.');

/** The parser recurses: how deep it gets depends on the stack that is left (docs/contract.md#errors). */
export const nestedTooDeeply = (): ApiError =>
  new ApiError('MALFORMED_JSON', 'The body is nested too deeply to be read; 1,000 levels always are.');

export const unsupportedContentType = (): ApiError =>
  new ApiError('UNSUPPORTED_CONTENT_TYPE', 'Send the body in UTF-8, with "Content-Type: application/json".');

export const bodyTooLarge = (bytes: number, limit: number): ApiError =>
  new ApiError('BODY_TOO_LARGE', `The body has ${bytes} bytes; at most ${limit} are accepted.`);

export const invalidRegistration = (detail: string): ApiError =>
  new ApiError('INVALID_REGISTRATION', detail, { issues: [{ parameter: 'registration', detail }] });

export const bulkTooLarge = (count: number, limit: number): ApiError => {
  const detail = `${count} registrations were sent; the plan allows at most ${limit} in one request`;
  return new ApiError('BULK_TOO_LARGE', `${detail}.`, { issues: [{ pointer: '/registrations', detail }] });
};

export const pageTooLarge = (limitThatFits: number): ApiError =>
  new ApiError('PAGE_TOO_LARGE', `This page would be too large; a limit of ${limitThatFits} fits.`);

const SEND_KEY = 'Send a valid API key as "Authorization: Bearer <key>" or "X-API-Key: <key>".';

/** One error for missing, malformed, unknown, expired and revoked keys: it does not tell which keys exist. */
export const unauthorized = (detail = SEND_KEY): ApiError =>
  new ApiError('UNAUTHORIZED', detail, { headers: { 'WWW-Authenticate': 'Bearer' } });

export const differentKeys = (): ApiError =>
  unauthorized('Authorization and X-API-Key have different keys: send one key, in either header or in both.');

export const addressForbidden = (address: string): ApiError =>
  new ApiError('ADDRESS_FORBIDDEN', `This API key may not be used from the address ${address}.`);

export const scopeMissing = (scope: string): ApiError =>
  new ApiError('SCOPE_MISSING', `This API key lacks the scope ${scope}.`);

export const domainForbidden = (domains: readonly string[]): ApiError =>
  new ApiError('DOMAIN_FORBIDDEN', `This API key is bound to domains; send "domain" as one of: ${domains.join(', ')}.`);

export const vehicleNotFound = (suggestion: string | undefined, sources?: Sources): ApiError =>
  new ApiError('VEHICLE_NOT_FOUND', ENTRY_SENTENCES.VEHICLE_NOT_FOUND, { extension: { suggestion, sources } });

export const complianceNotFound = (): ApiError =>
  new ApiError('COMPLIANCE_NOT_FOUND', ENTRY_SENTENCES.COMPLIANCE_NOT_FOUND);

export const contentNotFound = (): ApiError => new ApiError('CONTENT_NOT_FOUND', 'No content item has this id.');

export const routeNotFound = (): ApiError =>
  new ApiError(
    'ROUTE_NOT_FOUND',
    'The service has nothing at this path. Paths begin with /v1 and end without a slash; a slash in a value is sent as %2F.',
  );

export const methodNotAllowed = (methods: readonly string[]): ApiError => {
  const allowed = [...new Set(methods)].join(', ');
  return new ApiError('METHOD_NOT_ALLOWED', `This path takes ${allowed}.`, { headers: { Allow: allowed } });
};

export const slugTaken = (): ApiError =>
  new ApiError('SLUG_TAKEN', 'Another item of this domain has this slug; choose another slug or change that item.');

export const idempotencyConflict = (): ApiError =>
  new ApiError(
    'IDEMPOTENCY_CONFLICT',
    'This Idempotency-Key was used within 24 hours with another body; use a new key for a new item.',
  );

export const preconditionFailed = (header: 'If-Match' | 'If-None-Match', currentEtag: string): ApiError =>
  new ApiError(
    'PRECONDITION_FAILED',
    header === 'If-Match'
      ? `If-Match does not name ${currentEtag}, the ETag of the item. Read the item again, and send its ETag as it is.`
      : `The item exists with the ETag ${currentEtag}, and If-None-Match names it. Send If-Match to change the item.`,
  );

export const rateLimited = (limit: number, seconds: number): ApiError =>
  new ApiError('RATE_LIMITED', `The plan allows ${limit} requests a minute; try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });

export const allowanceExceeded = (units: number, limit: number, period: string, end: Date, seconds: number): ApiError =>
  new ApiError(
    'ALLOWANCE_EXCEEDED',
    `The plan allows ${limit} units a ${period} (UTC), of which ${units === 1 ? 'none is' : `fewer than ${units} are`} left; there are more from ${end.toISOString()} on.`,
    { headers: { 'Retry-After': String(seconds) } },
  );

export const internalError = (): ApiError =>
  new ApiError('INTERNAL_ERROR', 'The service could not answer; try again in a moment.', {
    headers: { 'Retry-After': '1' },
  });

const FORCED_DETAILS = {
  RATE_LIMITED: 'The sandbox forces this error for this registration, the limit is not reached; try again in 1 s.',
  INTERNAL_ERROR: 'The sandbox forces this error for this registration, nothing failed; try again in a moment.',
} as const satisfies Partial<Record<ProblemCode, string>>;

/** An error that the sandbox forces (core/sandbox), with the headers of the real one. */
export const forcedError = (code: keyof typeof FORCED_DETAILS): ApiError =>
  new ApiError(code, FORCED_DETAILS[code], { headers: { 'Retry-After': '1' }, isForced: true });
