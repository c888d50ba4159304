import { ApiProblem, ConnectionError, isProblem, isProblemDocument } from './errors.ts';
import { trackQuota, WINDOW_MS } from './quota.ts';
import { backoffMs, realTiming, type Timing } from './timing.ts';

export interface ClientOptions {
  /** The address with the version: `https://api.example.com/v1`. */
  readonly baseUrl: string | URL;
  readonly apiKey: string;
  /** Instead of the global `fetch`, for example one that goes through a proxy. */
  readonly fetch?: typeof fetch | undefined;
  /** Maximum number of attempts at a request, including the first. Default: 5. */
  readonly attempts?: number | undefined;
  /** Milliseconds for one attempt. Default: 15,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of concurrent bulk requests. Default: 4. */
  readonly concurrency?: number | undefined;
  /** Called before each wait for the rate limit, with the end of the wait. */
  readonly onRateLimit?: ((until: Date) => void) | undefined;
  /** Called once with the key's last day, when responses say that it ends soon (YYYY-MM-DD). */
  readonly onKeyExpires?: ((lastDay: string) => void) | undefined;
  /** For tests. */
  readonly timing?: Partial<Timing> | undefined;
}

export interface CallOptions {
  /** Aborts the call, also while it waits. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface ApiRequest extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the base address, encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface CompleteResponse {
  readonly response: Response;
  readonly text: string;
  /** The JSON of a success or a problem document; otherwise undefined, as for 204 and for a signed answer. */
  readonly body: unknown;
}

/** After a longer `Retry-After` the call rejects, unless the reason is the rate limit. */
const MAX_RETRY_AFTER_SECONDS = 120;
/** A page has at most 5 MB, and API Gateway returns at most 10 MB: a larger response is not from this API. */
const MAX_RESPONSE_BYTES = 10_000_000;

/** Whether the body is a signed answer, of whatever status. */
export const isSigned = ({ headers }: Response): boolean =>
  headers.get('Content-Type')?.startsWith('application/jwt') ?? false;

const isTransient = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** @throws SyntaxError without the text, which may be personal data */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError('The response is not complete JSON.');
  }
};

/** @throws Error when the response is too large; the rest is then not read */
const readText = async ({ body }: Response): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw Object.assign(new Error('The response is too large.'), { code: 'TOO_LARGE' });
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};

/**
 * Sends requests and retries transient errors, which is safe: each reads, deletes, or has an Idempotency-Key or
 * If-Match. @throws TypeError when the base address or the key is invalid
 */
export const openTransport = (options: ClientOptions) => {
  const { attempts = 5, timeoutMs = 15_000, onRateLimit = () => undefined, onKeyExpires = () => undefined } = options;
  const timing = { ...realTiming, ...options.timing };
  const base = new URL(options.baseUrl);
  const root = base.href.replace(/\/+$/, '');
  const apiKey = options.apiKey.trim();
  // `fetch` would quote the key in its error message.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw new TypeError('The API key is empty or contains invalid characters.');
  const quota = trackQuota(timing, onRateLimit);
  let hasWarned = false;

  const warnOnce = ({ headers }: Response): void => {
    const lastDay = headers.get('X-Key-Expires');
    if (lastDay === null || hasWarned) return;
    hasWarned = true;
    onKeyExpires(lastDay);
  };

  /** One attempt: the complete response, or the error. @throws the signal's reason */
  const attemptOnce = async (
    url: URL,
    init: RequestInit,
    signal: AbortSignal | undefined,
  ): Promise<CompleteResponse | { readonly failure: unknown }> => {
    signal?.throwIfAborted();
    await quota.take(signal);
    let response: Response | undefined;
    try {
      const timeout = AbortSignal.timeout(timeoutMs);
      const send = options.fetch ?? fetch;
      response = await send(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
      const text = await readText(response);
      const isJson = (response.ok && response.status !== 204 && !isSigned(response)) || isProblemDocument(response);
      // A proxy may have cut it off.
      if (isSigned(response) && text.split('.').length < 3) throw new SyntaxError('The signed answer is not complete.');
      return { response, text, body: isJson ? parseJson(text) : undefined };
    } catch (failure) {
      signal?.throwIfAborted();
      return { failure };
    } finally {
      quota.release(response?.headers);
    }
  };

  /** The success or the signed answer. @throws ApiProblem, ConnectionError, or the signal's reason */
  const send = async (request: ApiRequest): Promise<CompleteResponse> => {
    const { method = 'GET', path, query = {}, headers, body, signal } = request;
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
    let isOutcomeUnknown = false;
    for (let attempt = 1; ; attempt += 1) {
      const result = await attemptOnce(url, init, signal);
      let retryAfter = 0;
      let isRateLimit = false;
      if ('failure' in result) {
        if (attempt >= attempts) throw new ConnectionError(base.origin, attempt, result.failure);
        isOutcomeUnknown = true;
      } else {
        warnOnce(result.response);
        if (result.response.ok || isSigned(result.response)) return result;
        const problem: ApiProblem = new ApiProblem(result.response, result.text, timing.now(), isOutcomeUnknown);
        retryAfter = problem.retryAfter ?? 0;
        isRateLimit = isProblem(problem, 'RATE_LIMITED');
        if (isRateLimit) retryAfter = Math.min(retryAfter, WINDOW_MS / 1_000);
        const isFinal = !isTransient(problem.status) || retryAfter > MAX_RETRY_AFTER_SECONDS;
        if (isFinal || attempt >= attempts) throw problem;
        // A 429 has no effect; after any other transient problem the outcome is unknown.
        isOutcomeUnknown ||= problem.status !== 429;
      }
      const waitMs = retryAfter * 1_000 + backoffMs(attempt, timing);
      if (isRateLimit) onRateLimit(new Date(timing.now() + waitMs));
      await timing.sleep(waitMs, signal);
    }
  };

  return {
    attempts,
    /** Waits before a retry; `attempt` is the number of the attempt that failed. */
    backOff: (attempt: number, signal: AbortSignal | undefined) => timing.sleep(backoffMs(attempt, timing), signal),
    send,
    /** The body of the response to `send`. Its type is not validated. */
    request: async <Body>(asked: ApiRequest): Promise<Body> => (await send(asked)).body as Body,
  };
};

export type Transport = ReturnType<typeof openTransport>;
