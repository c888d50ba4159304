import { ApiProblem, ConnectionError, isProblem, isProblemDocument } from './errors.ts';
import { trackQuota, WINDOW_MS } from './quota.ts';
import { backoffMs, realTiming, type Timing } from './timing.ts';

export interface ClientOptions {
  /** With the version: `https://api.example.com/v1`. */
  readonly baseUrl: string | URL;
  readonly apiKey: string;
  /** Instead of the global `fetch`, for example one that goes through a proxy. */
  readonly fetch?: typeof fetch | undefined;
  /** Attempts at a request, the first included: 5. */
  readonly attempts?: number | undefined;
  /** Time for one attempt: 15,000. */
  readonly timeoutMs?: number | undefined;
  /** Bulk requests at the same time: 4. */
  readonly concurrency?: number | undefined;
  /** For tests. */
  readonly timing?: Partial<Timing> | undefined;
}

export interface CallOptions {
  /** Ends the call, also while it waits; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

interface ApiRequest extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base address, encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface Answer {
  readonly response: Response;
  readonly text: string;
  /** Of a success that has one. */
  readonly body: unknown;
}

/** A longer `Retry-After` is left to the caller, unless it is about the rate limit. */
const MAX_RETRY_AFTER_SECONDS = 120;
/** A page has at most 5 MB, and API Gateway passes on at most 10 MB: more is no answer of this API. */
const MAX_ANSWER_BYTES = 10_000_000;

const isTransient = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** @throws SyntaxError without the text, which may be personal data */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError('The answer is not complete JSON.');
  }
};

/** The text of an answer. @throws Error when it is too large; what is left of it is then not read */
const readText = async ({ body }: Response): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw Object.assign(new Error('The answer is too large.'), { code: 'TOO_LARGE' });
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};

/**
 * Sends requests, each of which does no harm when it arrives twice: they read, or have an Idempotency-Key, If-Match, or
 * nothing left to delete.
 */
export const openTransport = (options: ClientOptions) => {
  const { attempts = 5, timeoutMs = 15_000 } = options;
  const timing = { ...realTiming, ...options.timing };
  const base = new URL(options.baseUrl);
  const root = base.href.replace(/\/+$/, '');
  const apiKey = options.apiKey.trim();
  // `fetch` would quote it in its message.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('The API key is empty or has characters that no key has.');
  const quota = trackQuota(timing);

  /** One attempt: the answer, read whole, or why there is none. */
  const attemptOnce = async (
    url: URL,
    init: RequestInit,
    signal: AbortSignal | undefined,
  ): Promise<Answer | { readonly failure: unknown }> => {
    signal?.throwIfAborted();
    await quota.take(signal);
    let response: Response | undefined;
    try {
      const timeout = AbortSignal.timeout(timeoutMs);
      const send = options.fetch ?? fetch;
      response = await send(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
      const text = await readText(response);
      const isJson = (response.ok && response.status !== 204) || isProblemDocument(response);
      return { response, text, body: isJson ? parseJson(text) : undefined };
    } catch (failure) {
      signal?.throwIfAborted();
      return { failure };
    } finally {
      quota.release(response?.headers);
    }
  };

  /** The answer's body. @throws ApiProblem, ConnectionError, or the signal's reason */
  const request = async ({ method = 'GET', path, query = {}, headers, body, signal }: ApiRequest): Promise<unknown> => {
    const url = new URL(`${root}${path}`);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, `${value}`);
    const init: RequestInit = {
      method,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
    };
    let hasLostAnswer = false;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await attemptOnce(url, init, signal);
      let retryAfter = 0;
      if ('failure' in answer) {
        if (attempt >= attempts) throw new ConnectionError(base.origin, attempt, answer.failure);
        hasLostAnswer = true;
      } else {
        if (answer.response.ok) return answer.body;
        const problem: ApiProblem = new ApiProblem(answer.response, answer.text, timing.now(), hasLostAnswer);
        retryAfter = problem.retryAfter ?? 0;
        if (isProblem(problem, 'RATE_LIMITED')) retryAfter = Math.min(retryAfter, WINDOW_MS / 1_000);
        const isFinal = !isTransient(problem.status) || retryAfter > MAX_RETRY_AFTER_SECONDS;
        if (isFinal || attempt >= attempts) throw problem;
        // After 429 nothing was done; after another transient problem nobody knows.
        hasLostAnswer ||= problem.status !== 429;
      }
      await timing.sleep(retryAfter * 1_000 + backoffMs(attempt, timing), signal);
    }
  };

  return {
    attempts,
    /** Waits before a repetition; `attempt` is the number of the attempt that failed. */
    backOff: (attempt: number, signal: AbortSignal | undefined) => timing.sleep(backoffMs(attempt, timing), signal),
    /** As `request`, of a type that the OpenAPI document promises. */
    request: request as <Body>(asked: ApiRequest) => Promise<Body>,
  };
};

export type Transport = ReturnType<typeof openTransport>;
