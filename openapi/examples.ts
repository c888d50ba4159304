/** The requests of every `document.ts` with the responses that `npm run openapi` recorded. */
import { readFileSync } from 'node:fs';
import { DEFAULT_PLANS } from '../core/access/plans.ts';
import {
  type ApiError,
  addressForbidden,
  allowanceExceeded,
  internalError,
  type ProblemCode,
  problems,
  problemType,
  rateLimited,
  scopeMissing,
  unauthorized,
} from '../core/problems.ts';
import type { ExampleRequest } from '../functions/endpoints/document.ts';
import type { EndpointId } from '../functions/endpoints/table.ts';
import { documents } from './endpoint-documents.ts';

export interface ExampleResponse {
  readonly status: number;
  readonly body?: unknown;
}

/** The content of docs/examples.json: responses by endpoint and by the name of the example request. */
export type Recording = Readonly<Partial<Record<EndpointId, Readonly<Record<string, ExampleResponse>>>>>;

export interface Example extends ExampleRequest, ExampleResponse {}

const makeExample = ({ code, message: detail }: ApiError): ExampleResponse => {
  const { status, title } = problems[code];
  const requestId = '8f14e45f-ceea-467f-9a5b-0d6c7e1f2a3b';
  return { status, body: { type: problemType(code), title, status, detail, code, requestId } };
};

/** The errors that every endpoint shares, in the order of the document. */
export const commonErrors: Readonly<Partial<Record<ProblemCode, ExampleResponse>>> = {
  UNAUTHORIZED: makeExample(unauthorized()),
  ADDRESS_FORBIDDEN: makeExample(addressForbidden('198.51.100.7')),
  RATE_LIMITED: makeExample(rateLimited(DEFAULT_PLANS.free.requestsPerWindow, 50)),
  SCOPE_MISSING: makeExample(scopeMissing('vehicles:read')),
  ALLOWANCE_EXCEEDED: makeExample(
    allowanceExceeded(1, DEFAULT_PLANS.free.unitsPerDay, 'day', new Date('2026-11-22T00:00:00Z'), 6_000),
  ),
  INTERNAL_ERROR: makeExample(internalError()),
};

/** Read when it is first needed: `npm run openapi` writes the file and then documents it. */
let recording: Recording | undefined;

/** The examples of an endpoint. @throws Error naming one that is not recorded */
export const recordedExamples = (id: EndpointId): readonly Example[] => {
  recording ??= JSON.parse(readFileSync(new URL('../docs/examples.json', import.meta.url), 'utf8')) as Recording;
  return documents[id].examples.map((example) => {
    const response = recording?.[id]?.[example.name];
    if (response === undefined)
      throw new Error(`example ${example.name} of endpoint ${id} is not recorded: run \`npm run openapi\``);
    return { ...example, ...response };
  });
};
