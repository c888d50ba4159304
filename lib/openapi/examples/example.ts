/** Examples are real: a test sends each request to the service at `EXAMPLE_TIME` and compares the answer. */
import { type ApiError, problems, problemType } from '../../../functions/problems.ts';

/** The moment at which the sample data gives these answers. */
export const EXAMPLE_TIME = '2026-06-15T12:00:10.000Z';

/** Stands for any request id. */
export const EXAMPLE_REQUEST_ID = '8f14e45f-ceea-467f-9a5b-0d6c7e1f2a3b';
/** Stands for the id of any item that a request creates. */
export const CREATED_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** The last of the sample items, which every machine has under this id. */
export const SAMPLE_ITEM_ID = '6e657773-0000-4000-8000-000000000045';

/** What an example sends besides the key. */
export interface ExampleRequest {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** One request to an endpoint and its answer. */
export interface Example {
  /** Names the request and the answer in the document, so that a reader can tell which belong together. */
  readonly name: string;
  readonly summary: string;
  readonly request: ExampleRequest;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The response to an error of the catalogue. */
export const problemExample = ({ code, message, issues }: ApiError) => {
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
    },
  };
};
