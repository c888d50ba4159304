/** The examples of the document: the requests of every `document.ts`, with the responses that `npm run openapi` recorded. */
import { readFileSync } from 'node:fs';
import { type ApiError, internalError, notAcceptable, problems, problemType } from '../../core/problems.ts';
import type { ExampleRequest } from '../../functions/endpoints/document.ts';
import type { EndpointId } from '../../functions/endpoints/table.ts';
import { documents } from './endpoint-documents.ts';

/** The response of an example. */
export interface ExampleResponse {
  readonly status: number;
  /** Absent without a body. */
  readonly body?: unknown;
}

/** The content of docs/examples.json. */
export interface Recording {
  /** The responses of every endpoint, by the name of their example request. */
  readonly endpoints: Readonly<Partial<Record<EndpointId, Readonly<Record<string, ExampleResponse>>>>>;
  /** The errors that every endpoint shares, recorded from the insurance lookup. */
  readonly errors: Readonly<Record<RecordedError, ExampleResponse>>;
}

export type RecordedError = 'UNAUTHORIZED' | 'SCOPE_MISSING' | 'RATE_LIMITED';

/** An error that every endpoint shares. */
export type CommonError = RecordedError | 'INTERNAL_ERROR';

/** An example request and its response. */
export interface Example extends ExampleRequest, ExampleResponse {}

/** The examples of every endpoint, and the errors that all share. */
export interface Examples {
  readonly of: (id: EndpointId) => readonly Example[];
  readonly errors: Readonly<Record<CommonError | 'NOT_ACCEPTABLE', ExampleResponse>>;
}

/** Made, not recorded: no request makes the service fail, and the service on this machine signs answers. */
const exampleOf = ({ code, message: detail }: ApiError): ExampleResponse => {
  const { status, title } = problems[code];
  const requestId = '8f14e45f-ceea-467f-9a5b-0d6c7e1f2a3b';
  return { status, body: { type: problemType(code), title, status, detail, code, requestId } };
};

/** The example requests of an endpoint. @throws Error naming an endpoint without any */
export const requireExampleRequests = (id: EndpointId): readonly ExampleRequest[] => {
  // Nothing has checked the types of a new endpoint when it is recorded.
  const { examples = [] }: Partial<(typeof documents)[EndpointId]> = documents[id];
  if (examples.length > 0) return examples;
  throw new Error(`endpoint ${id} has no example request: write \`examples\` in functions/endpoints/${id}/document.ts`);
};

const readRecording = (): Recording =>
  JSON.parse(readFileSync(new URL('../../docs/examples.json', import.meta.url), 'utf8'));

/** The examples with the responses in docs/examples.json. @throws Error naming an example that is not recorded */
export const recordedExamples = ({ endpoints, errors }: Recording = readRecording()): Examples => ({
  of: (id) =>
    requireExampleRequests(id).map((example) => {
      const response = endpoints[id]?.[example.name];
      if (response === undefined)
        throw new Error(`example ${example.name} of endpoint ${id} is not recorded: run \`npm run openapi\``);
      return { ...example, ...response };
    }),
  errors: { ...errors, INTERNAL_ERROR: exampleOf(internalError()), NOT_ACCEPTABLE: exampleOf(notAcceptable()) },
});
