import type { Problem, ValidationIssue } from './api-types.ts';

/** Known codes, and any that a later version of the service adds. */
export type ProblemCode = Problem['code'];

/** What the service answered instead of doing what it was asked. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  /** For programs to decide by. Absent when a proxy or the platform answered, not the service. */
  readonly code: ProblemCode | undefined;
  readonly title: string;
  /** A sentence that a person can act on. */
  readonly detail: string;
  /** Every validation issue, for invalid input. */
  readonly errors: readonly ValidationIssue[];
  /** Quote it when you ask for support. */
  readonly requestId: string | undefined;
  /** Seconds to wait before the request is sent again, where the answer has them. */
  readonly retryAfter: number | undefined;
  /** Whether an earlier attempt had no answer, so that it may have been carried out. */
  readonly isAfterLostAnswer: boolean;

  constructor(response: Response, text: string, now: number, isAfterLostAnswer: boolean) {
    const { status, headers } = response;
    const members = membersOf(text);
    const problem = isProblemDocument(response) ? members : {};
    const code = textOf(problem.code);
    const detail =
      textOf(problem.detail) ?? textOf(members.message) ?? `The answer has the status ${status} and no explanation.`;
    const requestId =
      textOf(problem.requestId) ?? headers.get('X-Request-Id') ?? headers.get('Apigw-Requestid') ?? undefined;
    super(`${[status, code].join(' ').trim()}: ${detail}${requestId ? ` (request ${requestId})` : ''}`);
    this.status = status;
    this.code = code;
    this.title = textOf(problem.title) ?? response.statusText;
    this.detail = detail;
    this.errors = Array.isArray(problem.errors) ? problem.errors.filter(isValidationIssue) : [];
    this.requestId = requestId;
    this.retryAfter = retryAfterOf(headers, now);
    this.isAfterLostAnswer = isAfterLostAnswer;
  }
}

/** No complete answer arrived in any attempt. `cause` is the last failure. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(origin: string, attempts: number, cause: unknown) {
    // Messages of some runtimes quote the address, which has the registration in it.
    const { name, code, cause: inner } = cause as { name?: string; code?: unknown; cause?: { code?: unknown } };
    const reason = inner?.code ?? (typeof code === 'string' ? code : name);
    super(`No complete answer from ${origin} in ${attempts} attempts (${reason}).`, { cause });
  }
}

/** Whether this is the service's problem with that code. */
export const isProblem = (error: unknown, code: ProblemCode): error is ApiProblem =>
  error instanceof ApiProblem && error.code === code;

/** Whether the service answered, not a proxy or the platform. */
export const isProblemDocument = ({ headers }: Response): boolean =>
  headers.get('Content-Type')?.startsWith('application/problem+json') ?? false;

type Members = Readonly<Partial<Record<keyof Problem | 'message', unknown>>>;

/** The members of a problem document, or `message` of API Gateway; none of HTML, which proxies answer with. */
const membersOf = (text: string): Members => {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
};

/** A member may be of any type when a proxy or a faulty service answers. */
const textOf = (member: unknown): string | undefined => (typeof member === 'string' ? member : undefined);

const isValidationIssue = (issue: Partial<Record<keyof ValidationIssue, unknown>> | null): issue is ValidationIssue =>
  typeof issue?.detail === 'string' && typeof (issue.parameter ?? issue.pointer) === 'string';

/** Seconds: a proxy may send an HTTP date. */
const retryAfterOf = (headers: Headers, now: number): number | undefined => {
  const value = headers.get('Retry-After');
  if (value === null) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - now) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
};
