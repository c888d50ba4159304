/** The requests of every `document.ts` with the responses that `npm run openapi` recorded. */
import { readFileSync } from 'node:fs';
import { type ApiError, internalError, notAcceptable, problems, problemType } from '../core/problems.ts';
import type { ExampleRequest } from '../functions/endpoints/document.ts';
import type { EndpointId } from '../functions/endpoints/table.ts';
import { documents } from './endpoint-documents.ts';

export interface ExampleResponse {
  readonly status: number;
  readonly body?: unknown;
}

type RecordedError = 'UNAUTHORIZED' | 'SCOPE_MISSING' | 'RATE_LIMITED';

/** An error that every endpoint shares. */
export type CommonError = RecordedError | 'INTERNAL_ERROR';

/** The content of docs/examples.json. */
export interface Recording {
  /** The responses by endpoint and by the name of the example request. */
  readonly endpoints: Readonly<Partial<Record<EndpointId, Readonly<Record<string, ExampleResponse>>>>>;
  /** Recorded from the insurance lookup. */
  readonly errors: Readonly<Record<RecordedError, ExampleResponse>>;
}

export interface Example extends ExampleRequest, ExampleResponse {}

export interface Examples {
  readonly of: (id: EndpointId) => readonly Example[];
  readonly errors: Readonly<Record<CommonError | 'NOT_ACCEPTABLE', ExampleResponse>>;
}

/** The example of an error that no request to the service on this machine can cause. */
const makeExample = ({ code, message: detail }: ApiError): ExampleResponse => {
  const { status, title } = problems[code];
  const requestId = '8f14e45f-ceea-467f-9a5b-0d6c7e1f2a3b';
  return { status, body: { type: problemType(code), title, status, detail, code, requestId } };
};

const readRecording = (): Recording =>
  JSON.parse(readFileSync(new URL('../docs/examples.json', import.meta.url), 'utf8'));

/** @throws Error naming an example that is not in the recording */
export const recordedExamples = ({ endpoints, errors }: Recording = readRecording()): Examples => ({
  of: (id) =>
    documents[id].examples.map((example) => {
      const response = endpoints[id]?.[example.name];
      if (response === undefined)
        throw new Error(`example ${example.name} of endpoint ${id} is not recorded: run \`npm run openapi\``);
      return { ...example, ...response };
    }),
  errors: { ...errors, INTERNAL_ERROR: makeExample(internalError()), NOT_ACCEPTABLE: makeExample(notAcceptable()) },
});
