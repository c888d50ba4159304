import type { Problem, ValidationIssue } from './api-types.ts';

/** Known codes, and any that a later version of the service adds. */
export type ProblemCode = Problem['code'];

/** An error response of the service, a proxy or the platform. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  /** Identifies the problem. Undefined when a proxy or the platform responded instead of the service. */
  readonly code: ProblemCode | undefined;
  readonly title: string;
  /** A sentence for people, with what to do. */
  readonly detail: string;
  /** Every validation issue of invalid input; otherwise empty. */
  readonly errors: readonly ValidationIssue[];
  /** The id of the request. Quote it when you ask for support. */
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry, if the response has them. */
  readonly retryAfter: number | undefined;
  /** Whether the outcome of an earlier attempt is unknown: it may have been applied. */
  readonly isAfterLostAnswer: boolean;

  constructor(response: Response, text: string, now: number, isAfterLostAnswer: boolean) {
    const { status, headers } = response;
    const body = parseBody(text);
    const { code, title, detail, errors, requestId } = isProblemDocument(response) ? body : ({} as typeof body);
    const sentence = detail ?? body.message ?? `The response has the status ${status} and no explanation.`;
    const id = requestId ?? headers.get('X-Request-Id') ?? headers.get('Apigw-Requestid') ?? undefined;
    const issues = Array.isArray(errors) ? errors.filter(isIssue) : [];
    const [first] = issues;
    // The sentence of a single error has its only issue already.
    const issue = first && !sentence.includes(first.detail) ? ` ${nameOf(first)} ${first.detail}.` : '';
    super(`${[status, code].join(' ').trim()}: ${sentence}${issue}${id ? ` (request ${id})` : ''}`);
    this.status = status;
    this.code = code as ProblemCode | undefined;
    this.title = title ?? response.statusText;
    this.detail = sentence;
    this.errors = issues;
    this.requestId = id;
    this.retryAfter = parseRetryAfter(headers, now);
    this.isAfterLostAnswer = isAfterLostAnswer;
  }
}

/**
 * The code of the error of an attempt, or its name. Messages of some runtimes quote the address, which contains the
 * registration.
 */
export const codeOf = (failure: unknown): string => {
  const { name, code, cause } = (failure ?? {}) as Readonly<Record<'name' | 'code' | 'cause', unknown>>;
  const inner = cause as { readonly code?: unknown; readonly message?: unknown } | undefined;
  // Deno has no code for it.
  if (String(inner?.message).includes('invalid peer certificate')) return 'CERTIFICATE_UNTRUSTED';
  return String(inner?.code ?? (typeof code === 'string' ? code : name));
};

/** What some codes mean, and the maximum number of attempts where another one rarely helps. */
const KNOWN_FAILURES: readonly (readonly [code: RegExp, reason: string, attempts?: number])[] = [
  // A resolver is rarely wrong several times.
  [/^ENOTFOUND$/, 'there is no host of this name', 3],
  [/^ECONNREFUSED$/, 'it refuses connections'],
  [/^ERR_SSL_WRONG_VERSION_NUMBER$/, 'it does not speak HTTPS', 1],
  [/^RESPONSE_TOO_LARGE$/, 'the response is larger than any of the service', 1],
  [/ALTNAME_INVALID|HAS_EXPIRED|NOT_YET_VALID|CERT_REVOKED/, 'its certificate is not valid for this host today', 1],
  [
    /SELF_SIGNED_CERT|ISSUER_CERT|LEAF_SIGNATURE|UNTRUSTED/,
    'its certificate is not trusted; if your network inspects traffic, set NODE_EXTRA_CA_CERTS to the file of its root certificate',
    1,
  ],
];

/** The reason for a failure in words, and the maximum number of attempts, if the failure is known. */
const knownFailure = (code: string) => KNOWN_FAILURES.find(([pattern]) => pattern.test(code)) ?? [];

export const mayRetry = (failure: unknown, attempt: number): boolean => {
  const [, , attempts = Number.POSITIVE_INFINITY] = knownFailure(codeOf(failure));
  return attempt < attempts;
};

/** The last attempt received no complete response. `cause` is its error. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(origin: string, attempts: number, cause: unknown) {
    const code = codeOf(cause);
    const times = `${attempts} attempt${attempts === 1 ? '' : 's'}`;
    const [, reason] = knownFailure(code);
    super(`No complete response from ${origin} in ${times} (${[code, reason].filter(Boolean).join(': ')}).`, { cause });
  }
}

export const isProblem = (error: unknown, code: ProblemCode): error is ApiProblem =>
  error instanceof ApiProblem && error.code === code;

/** Whether the response is from the service, not from a proxy or the platform. */
export const isProblemDocument = ({ headers }: Response): boolean =>
  headers.get('Content-Type')?.startsWith('application/problem+json') ?? false;

/**
 * Parses a problem document, or the `message` of API Gateway. The HTML of a proxy gives nothing. A member that should be
 * a text and is none is left out.
 */
const parseBody = (text: string) => {
  let body: Readonly<Record<string, unknown>> = {};
  try {
    body = JSON.parse(text) ?? {};
  } catch {
    // Has no explanation.
  }
  const textOf = (name: string) => (typeof body[name] === 'string' ? body[name] : undefined);
  const [code, title, detail] = [textOf('code'), textOf('title'), textOf('detail')];
  return { code, title, detail, requestId: textOf('requestId'), message: textOf('message'), errors: body.errors };
};

const isIssue = (issue: ValidationIssue | null): issue is ValidationIssue => typeof issue?.detail === 'string';

const nameOf = ({ parameter, pointer }: ValidationIssue): string => parameter ?? (pointer || 'The body');

/** The wait in seconds. A proxy may send it as an HTTP date. */
const parseRetryAfter = (headers: Headers, now: number): number | undefined => {
  const value = headers.get('Retry-After');
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
};

/** @throws TypeError with a sentence that says which argument is right */
export function requireArgument(isRight: boolean, sentence: string): asserts isRight {
  if (!isRight) throw new TypeError(sentence);
}

/**
 * An argument as a segment of a path, percent-encoded. `.` and `..` would name another path.
 * @throws TypeError when it is no text, or has only blanks, dots and hyphens
 */
export const pathSegment = (value: unknown, name: string, example: string): string => {
  const sentence = `The ${name} must be a text such as '${example}'.`;
  requireArgument(typeof value === 'string' && /[^\s.-]/.test(value) && !/\p{Surrogate}/u.test(value), sentence);
  return encodeURIComponent(value);
};
