import { ApiError, internalError, problems, problemType } from '../../core/problems.ts';
import { docsUrl } from '../../core/runtime/environment.ts';
import { bodyParserError } from './body-checks.ts';
import type { HttpRequest } from './request.ts';
import { reportInternalError } from './request-log.ts';

/**
 * Turns every error into an RFC 9457 problem document (docs/contract.md#errors). An error other than an
 * `ApiError` or one of the body parser becomes a 500 and is logged.
 */
export const problemDocuments = () => ({
  onError: (request: HttpRequest): void => {
    const { error, internal: context } = request;
    const known = error instanceof ApiError ? error : bodyParserError(error);
    if (known === undefined) reportInternalError(context, error);
    const { code, message: detail, issues, headers, extension } = known ?? internalError();
    const { title, status } = problems[code];
    const { requestId } = context;
    context.code = code;
    context.isForced = known?.isForced === true;
    request.response = {
      statusCode: status,
      headers: { ...headers, 'Content-Type': 'application/problem+json' },
      body: JSON.stringify({
        type: problemType(code, docsUrl()),
        title,
        status,
        detail,
        code,
        requestId,
        ...(issues && { errors: issues }),
        ...extension,
      }),
    };
  },
});
