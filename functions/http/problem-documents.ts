import { ApiError, internalError, problems, problemType } from '../../core/problems.ts';
import { docsUrl } from '../../core/runtime/environment.ts';
import { bodyParserError } from './body-checks.ts';
import type { HttpRequest, RequestContext } from './request.ts';
import { reportInternalError } from './request-log.ts';

/** The problem document of an error, whose code is noted for log and metrics. */
export const problemDocument = (context: RequestContext, error: ApiError) => {
  const { code, message: detail, issues, headers, extension, isForced } = error;
  const { title, status } = problems[code];
  const { requestId } = context;
  context.code = code;
  context.isForced = isForced;
  const type = problemType(code, docsUrl());
  return {
    status,
    headers,
    body: { type, title, status, detail, code, requestId, ...(issues && { errors: issues }), ...extension },
  };
};

/**
 * Turns every error into an RFC 9457 problem document (docs/contract.md#errors). An error other than an
 * `ApiError` or one of the body parser becomes a 500 and is logged.
 */
export const problemDocuments = () => ({
  onError: (request: HttpRequest): void => {
    const { error, internal: context } = request;
    const known = error instanceof ApiError ? error : bodyParserError(error);
    if (known === undefined) reportInternalError(context, error);
    const { status, headers, body } = problemDocument(context, known ?? internalError());
    request.response = {
      statusCode: status,
      headers: { ...headers, 'Content-Type': 'application/problem+json' },
      body: JSON.stringify(body),
    };
  },
});
