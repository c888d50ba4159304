import { ApiError, internalError, problems, problemType } from '../../core/problems.ts';
import { optionalVariable } from '../../core/runtime/environment.ts';
import type { HttpRequest, RequestContext } from './request.ts';
import { reportInternalError } from './request-log.ts';

const problemResponse = (context: RequestContext, error: ApiError) => {
  const { code, message: detail, issues, headers, extension, isForced } = error;
  const { title, status } = problems[code];
  const { requestId } = context;
  context.logged.code = code;
  context.logged.isForced = isForced;
  const type = problemType(code, optionalVariable('DOCS_URL'));
  const body = { type, title, status, detail, code, requestId, ...(issues && { errors: issues }), ...extension };
  return {
    statusCode: status,
    headers: { ...headers, 'Content-Type': 'application/problem+json' },
    body: JSON.stringify(body),
  };
};

/** Turns every error into a problem document (docs/contract.md#errors): an unknown one into a 500, which is logged. */
export const problemDocuments = () => ({
  onError: (request: HttpRequest): void => {
    const { error, context, response } = request;
    // An inner middleware has already responded to the error.
    if (response) return;
    const known = error instanceof ApiError ? error : undefined;
    if (known === undefined) reportInternalError(context, error);
    request.response = problemResponse(context, known ?? internalError());
  },
});
