import { type ProblemCode, problems, problemType } from '../problems.ts';
import { type Fault, Refusal } from '../runtime/refusal.ts';
import type { StackRequest } from './flow.ts';
import { tellOperator } from './inner-failure.ts';

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

const documentOf = (error: unknown, requestId: string): ProblemDocument => {
  const refusal = error instanceof Refusal ? error : undefined;
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

/** Turns whatever was thrown into an answer. What is not a refusal is a fault of ours: logged, and told to nobody. */
export const problemDocuments = () => ({
  onError: (request: StackRequest) => {
    const { error } = request;
    const { flow } = request.internal;
    const document = documentOf(error, flow.requestId);
    flow.code = document.code;
    if (!(error instanceof Refusal)) tellOperator(flow, error);
    request.response = {
      statusCode: document.status,
      headers: { ...(error instanceof Refusal ? error.headers : {}), 'Content-Type': 'application/problem+json' },
      body: JSON.stringify(document),
    };
  },
});
