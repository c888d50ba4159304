/** Sends the requests of a smoke test, and notes what is wrong with their responses. */
import { partialDeepStrictEqual } from 'node:assert';

/** Milliseconds for one response: longer than a cold start. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Milliseconds for the whole smoke test, shorter than the function's timeout (lib/probe.ts). */
export const SMOKE_TEST_TIMEOUT_MS = 40_000;
type Headers = Readonly<Record<string, RegExp | string>>;

/**
 * The headers of every response (docs/contract.md#every-response): an exact text or a pattern; `''` for a missing
 * header. It has no figures of a plan: during a rollout the next version responds too, and its plans may differ.
 */
const EVERY_RESPONSE: Headers = {
  'x-ratelimit-limit': /^[1-9]\d*$/,
  'x-ratelimit-remaining': /^\d+$/,
  'x-ratelimit-reset': /^\d+$/,
  'x-request-id': /./,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-sandbox': '',
};

/** A request, and what its response must be. */
interface Step {
  readonly json?: object;
  readonly status: number;
  /** A part of the JSON that is expected; without it, the body must be empty. */
  readonly body?: object;
  /** Checked in addition to the headers of every response. */
  readonly headers?: Headers;
}

const differences = (response: Response, text: string, { status, body, headers }: Step): string[] => {
  if (response.status !== status) return [`its status is ${response.status}, not ${status}${errorIn(text)}`];
  // API Gateway may add a type to an empty body.
  const type: Headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const wrongHeaders = Object.entries({ ...type, ...EVERY_RESPONSE, ...headers }).flatMap(([name, expected]) => {
    const value = response.headers.get(name) ?? '';
    const isRight = typeof expected === 'string' ? value === expected : expected.test(value);
    return isRight ? [] : [`its header ${name} is "${value}"`];
  });
  return hasAtLeast(text, body) ? wrongHeaders : ['its body is another one', ...wrongHeaders];
};

/**
 * The code of an error of the service, or the message of API Gateway. The rest of a body may be private, so it is not
 * reported.
 */
const errorIn = (text: string): string => {
  const [, , error] = /"(code|message)":"([\w ]{1,60})"/.exec(text) ?? [];
  return error === undefined ? '' : ` (${error})`;
};

const hasAtLeast = (text: string, expected: object | undefined): boolean => {
  if (expected === undefined) return text === '';
  try {
    partialDeepStrictEqual(JSON.parse(text), expected);
    return true;
  } catch {
    return false;
  }
};

const failureText = (error: unknown): string => {
  const { name, message, cause = message } = error as Error;
  return name === 'TimeoutError' ? 'did not answer in time' : `cannot be reached: ${cause}`;
};

export const checkedRequests = (origin: string, key: string) => {
  const failures: string[] = [];
  const wholeTimeout = AbortSignal.timeout(SMOKE_TEST_TIMEOUT_MS);

  /** The body of an expected response; otherwise undefined, and `failures` says what is wrong. */
  const request = async (line: `${string} /${string}`, step: Step): Promise<object | undefined> => {
    const [method = '', path = ''] = line.split(' ');
    try {
      const response = await fetch(origin + path, {
        method,
        headers: {
          'x-api-key': key,
          // A kept-alive connection would be closed while Lambda freezes the function.
          connection: 'close',
          ...(step.json && { 'content-type': 'application/json' }),
        },
        ...(step.json && { body: JSON.stringify(step.json) }),
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(REQUEST_TIMEOUT_MS), wholeTimeout]),
      });
      const text = await response.text();
      const wrong = differences(response, text, step);
      if (wrong.length === 0) return text === '' ? {} : JSON.parse(text);
      failures.push(`${line}: ${wrong.join(', ')}`);
    } catch (error) {
      failures.push(`${line} ${failureText(error)}`);
    }
    return undefined;
  };
  return { request, failures };
};
