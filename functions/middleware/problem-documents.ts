import { ApiError, apiError, type ProblemCode, problems, problemType, type ValidationIssue } from '../problems.ts';
import { bodyParserError } from './body-checks.ts';
import type { StackRequest } from './request-context.ts';
import { reportInternalError } from './request-log.ts';

/** An RFC 9457 document (contract.md "Errors"). */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly requestId: string;
  readonly errors?: readonly ValidationIssue[];
}

const documentOf = ({ code, message, issues }: ApiError, requestId: string): ProblemDocument => {
  const { title, status } = problems[code];
  return {
    type: problemType(code),
    title,
    status,
    detail: message,
    code,
    requestId,
    ...(issues && { errors: issues }),
  };
};

/** Turns every error into a problem document. Any but an `ApiError` becomes a 500, and its cause is logged. */
export const problemDocuments = () => ({
  onError: (request: StackRequest): void => {
    const { error, event: context } = request;
    const known = error instanceof ApiError ? error : bodyParserError(error);
    if (known === undefined) reportInternalError(context, error);
    const answered = known ?? apiError('INTERNAL_ERROR');
    const document = documentOf(answered, context.requestId);
    context.code = document.code;
    request.response = {
      statusCode: document.status,
      headers: { ...answered.headers, 'Content-Type': 'application/problem+json' },
      body: JSON.stringify(document),
    };
  },
});
