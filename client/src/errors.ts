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
  /** The signed answer, if the problem is one. */
  readonly receipt: string | undefined;

  constructor(response: Response, text: string, now: number, isAfterLostAnswer: boolean, receipt?: string) {
    const { status, headers } = response;
    const body = parseBody(text);
    const { code, title, detail, errors = [], requestId }: Partial<Problem> = isProblemDocument(response) ? body : {};
    const sentence = detail ?? body.message ?? `The response has the status ${status} and no explanation.`;
    const id = requestId ?? headers.get('X-Request-Id') ?? headers.get('Apigw-Requestid') ?? undefined;
    super(`${[status, code].join(' ').trim()}: ${sentence}${id ? ` (request ${id})` : ''}`);
    this.status = status;
    this.code = code;
    this.title = title ?? response.statusText;
    this.detail = sentence;
    this.errors = errors;
    this.requestId = id;
    this.retryAfter = parseRetryAfter(headers, now);
    this.isAfterLostAnswer = isAfterLostAnswer;
    this.receipt = receipt;
  }
}

/**
 * The code of the error of an attempt, or its name. Messages of some runtimes quote the address, which contains the
 * registration.
 */
export const codeOf = (failure: unknown): string => {
  const { name, code, cause } = (failure ?? {}) as Readonly<Record<'name' | 'code' | 'cause', unknown>>;
  const inner = (cause as { readonly code?: unknown } | undefined)?.code;
  return String(inner ?? (typeof code === 'string' ? code : name));
};

/** Explanations of some codes. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no host of this name',
  ECONNREFUSED: 'it refuses connections',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak HTTPS',
};

/** The last attempt received no complete response. `cause` is its error. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(origin: string, attempts: number, cause: unknown) {
    const code = codeOf(cause);
    const times = `${attempts} attempt${attempts === 1 ? '' : 's'}`;
    super(`No complete response from ${origin} in ${times} (${[code, REASONS[code]].filter(Boolean).join(': ')}).`, {
      cause,
    });
  }
}

/** Whether this is the service's problem with that code. */
export const isProblem = (error: unknown, code: ProblemCode): error is ApiProblem =>
  error instanceof ApiProblem && error.code === code;

/** Whether the response is from the service, not from a proxy or the platform. */
export const isProblemDocument = ({ headers }: Response): boolean =>
  headers.get('Content-Type')?.startsWith('application/problem+json') ?? false;

/** Parses a problem document, or the `message` of API Gateway. The HTML of a proxy gives an empty object. */
const parseBody = (text: string): Partial<Problem> & { readonly message?: string } => {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
};

/** The wait in seconds. A proxy may send it as an HTTP date. */
const parseRetryAfter = (headers: Headers, now: number): number | undefined => {
  const value = headers.get('Retry-After');
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
};
