import { type ProblemCode, problems, problemType } from '../problems.ts';
import { type Fault, Refusal } from '../refusal.ts';
import { bodyParserRefusal } from './body-checks.ts';
import type { StackRequest } from './request-context.ts';
import { reportInternalError } from './request-log.ts';

const INTERNAL_DETAIL = 'The service could not answer; try again in a moment.';

/** An RFC 9457 document (contract.md "Errors"). */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly requestId: string;
  readonly errors?: readonly Fault[];
}

const documentOf = (refusal: Refusal | undefined, requestId: string): ProblemDocument => {
  const code = refusal?.code ?? 'INTERNAL_ERROR';
  const { title, status } = problems[code];
  return {
    type: problemType(code),
    title,
    status,
    detail: refusal?.message ?? INTERNAL_DETAIL,
    code,
    requestId,
    ...(refusal?.faults && { errors: refusal.faults }),
  };
};

/** Turns every error into a response. One that is no refusal is an error of ours: reported to the operator alone. */
export const problemDocuments = () => ({
  onError: (request: StackRequest): void => {
    const { error, event: context } = request;
    const refusal = error instanceof Refusal ? error : bodyParserRefusal(error);
    const document = documentOf(refusal, context.requestId);
    context.code = document.code;
    if (refusal === undefined) reportInternalError(context, error);
    request.response = {
      statusCode: document.status,
      headers: { ...refusal?.headers, 'Content-Type': 'application/problem+json' },
      body: JSON.stringify(document),
    };
  },
});
