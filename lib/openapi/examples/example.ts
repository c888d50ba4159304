/** Examples are tested: a test sends each request to the service at `EXAMPLE_TIME` and compares the response. */
import { type ApiError, problems, problemType } from '../../../core/problems.ts';

/** The time at which the sample data gives these responses. */
export const EXAMPLE_TIME = '2026-06-15T12:00:10.000Z';

/** Placeholder of the request id. */
export const EXAMPLE_REQUEST_ID = '8f14e45f-ceea-467f-9a5b-0d6c7e1f2a3b';
/** Placeholder of the id of a created item. */
export const CREATED_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** Placeholder of the id of a key. */
export const EXAMPLE_KEY_ID = '6cbb9b4c5f1d0e2a7b38';

/** The last of the sample items, which every machine has under this id. */
export const SAMPLE_ITEM_ID = '6e657773-0000-4000-8000-000000000045';

/** The request of an example, without the key. */
export interface ExampleRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** One request to an endpoint and its response. */
export interface Example {
  /** The name of both request and response in the document: a reader sees which belong together. */
  readonly name: string;
  readonly summary: string;
  /** The content domains that the request's key is bound to; any if absent. */
  readonly domains?: readonly string[];
  readonly request: ExampleRequest;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The response to an error of the catalogue. */
export const problemExample = ({ code, message, issues, extension }: ApiError) => {
  const { status, title } = problems[code];
  return {
    status,
    body: {
      type: problemType(code),
      title,
      status,
      detail: message,
      code,
      requestId: EXAMPLE_REQUEST_ID,
      ...(issues && { errors: issues }),
      ...extension,
    },
  };
};
