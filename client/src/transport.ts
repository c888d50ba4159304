import type { Sources } from './api-types.ts';
import { ApiProblem, ConnectionError, isProblem, isProblemDocument, mayRetry, requireArgument } from './errors.ts';
import { trackQuota, WINDOW_MS } from './quota.ts';
import { backoffMs, realTiming, type Timing } from './timing.ts';

export interface ClientOptions {
  /** The address of the service, with or without its version: `https://api.example.com/v1`. */
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
  /** Called before each wait for another attempt, but for the rate limit, with the error of the attempt before it. */
  readonly onRetry?: ((error: ApiProblem | ConnectionError) => void) | undefined;
  /** Called once with the key's last day, when responses say that it ends soon (YYYY-MM-DD). */
  readonly onKeyExpires?: ((lastDay: string) => void) | undefined;
  /** Called for each answer that says how many suppliers of the service are current. */
  readonly onSources?: ((sources: Sources) => void) | undefined;
  /** For tests. */
  readonly timing?: Partial<Timing> | undefined;
}

export interface CallOptions {
  /** Aborts the call, also while it waits. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface ApiRequest extends CallOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below the base address, percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

interface CompleteResponse {
  readonly response: Response;
  readonly text: string;
  /** The JSON of a success or a problem document; otherwise undefined, as for 204. */
  readonly body: unknown;
}

/** After a longer `Retry-After` the call rejects, unless the reason is the rate limit. */
const MAX_RETRY_AFTER_SECONDS = 120;
/** Maximum number of bytes of a response, decompressed. The service sends at most 6 MB. */
const MAX_RESPONSE_BYTES = 16_000_000;
const TOO_LARGE = { code: 'RESPONSE_TOO_LARGE' };
/** The longest delay of a timer, in milliseconds; for other numbers it is a limit far beyond use. */
const MAX_NUMBER = 2_147_483_647;

const parseBaseUrl = (address: string): URL => {
  const problem = [
    [/^["'“”‘’]|["'“”‘’]$/, 'has quotes around it: remove them'],
    [/\r$/, 'ends with a carriage return, as from a file of Windows: remove it'],
    [/^\s|\s$/, 'has blanks around it: remove them'],
    [/^(?!https?:\/\/)/i, 'does not begin with https://'],
  ].find(([pattern]) => (pattern as RegExp).test(address))?.[1];
  if (problem !== undefined) throw new TypeError(`The address of the service ${problem}.`);
  try {
    return new URL(address);
  } catch {
    throw new TypeError('The address of the service is malformed: write it as https://api.example.com/v1.');
  }
};

const isTransientStatus = (status: number): boolean => status === 408 || status === 429 || status >= 500;

const isHtml = ({ headers }: Response): boolean => headers.get('Content-Type')?.startsWith('text/html') ?? false;

/** A sentence that says what has answered in place of this API; undefined when the response may be the API's. */
const describeForeign = (response: Response, url: URL, path: string): string | undefined => {
  const { status, headers } = response;
  const location = headers.get('Location');
  if (status >= 300 && status < 400 && location !== null) {
    // Only the part before the path of the request is shown, because that path may contain a registration.
    const target = URL.canParse(location, url.href) ? new URL(location, url) : url;
    const base = `${target.origin}${target.pathname}`.split(path)[0];
    return `The address redirects to ${base}, which the client does not follow with a key: use the right address.`;
  }
  if (!isHtml(response)) return undefined;
  if (isTransientStatus(status)) return 'The service, or a proxy in front of it, is not available just now.';
  return 'The response is a page of HTML in place of an answer: the address is wrong, or a proxy has answered.';
};

/** The text of a response. @throws an error with the code RESPONSE_TOO_LARGE, which ends the download */
const readText = async ({ body }: Response): Promise<string> => {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES)
      throw Object.assign(new Error(`It has over ${MAX_RESPONSE_BYTES} bytes.`), TOO_LARGE);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};

/** @throws SyntaxError without the text, which may be personal data */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError('The response is not complete JSON.');
  }
};

/**
 * Sends requests and retries transient errors. A retry is safe, because each request reads, deletes, or has an
 * Idempotency-Key or If-Match. @throws TypeError when an option is invalid
 */
export const openTransport = (options: ClientOptions) => {
  requireArgument(options instanceof Object, 'The client takes an object with baseUrl and apiKey.');
  const { attempts = 5, timeoutMs = 15_000, concurrency = 4 } = options;
  const { onRateLimit = () => undefined, onKeyExpires = () => undefined } = options;
  for (const [name, value] of Object.entries({ attempts, timeoutMs, concurrency })) {
    const isRight = Number.isInteger(value) && value >= 1 && value <= MAX_NUMBER;
    requireArgument(isRight, `${name} must be a whole number from 1 to ${MAX_NUMBER}.`);
  }
  for (const name of ['fetch', 'onRateLimit', 'onRetry', 'onKeyExpires', 'onSources'] as const) {
    requireArgument(['function', 'undefined'].includes(typeof options[name]), `${name} must be a function.`);
  }
  const timing = { ...realTiming, ...options.timing };
  requireArgument(options.baseUrl !== undefined, 'baseUrl must be the address of the service, as text or URL.');
  const base = parseBaseUrl(`${options.baseUrl}`);
  const segments = base.pathname.split('/').filter((segment) => segment !== '');
  if (!/^v\d+$/.test(segments.at(-1) ?? '')) segments.push('v1');
  const root = [base.origin, ...segments].join('/');
  requireArgument(typeof options.apiKey === 'string', 'apiKey must be a text: the key that you were given.');
  const apiKey = options.apiKey.trim();
  // `fetch` would quote the key in its error message.
  requireArgument(/^[\x21-\x7e]+$/.test(apiKey), 'The API key is empty or contains invalid characters.');
  const quota = trackQuota(timing, onRateLimit);
  let hasWarned = false;

  const warnOnce = ({ headers }: Response): void => {
    const lastDay = headers.get('X-Key-Expires');
    if (lastDay === null || hasWarned) return;
    hasWarned = true;
    onKeyExpires(lastDay);
  };

  const attemptOnce = async (
    url: URL,
    init: RequestInit,
    signal: AbortSignal | undefined,
  ): Promise<CompleteResponse | { readonly failure: unknown }> => {
    signal?.throwIfAborted();
    await quota.take(signal);
    let response: Response | undefined;
    const timeout = AbortSignal.timeout(timeoutMs);
    const keep = () => undefined;
    // Node 20 collects a timeout that only `AbortSignal.any` refers to, and it never ends. A listener keeps it.
    timeout.addEventListener('abort', keep);
    try {
      const send = options.fetch ?? fetch;
      response = await send(url, { ...init, signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
      const text = await readText(response);
      const isAnswer = response.ok && response.status !== 204 && !isHtml(response);
      const isJson = isAnswer || isProblemDocument(response);
      return { response, text, body: isJson ? parseJson(text) : undefined };
    } catch (failure) {
      signal?.throwIfAborted();
      return { failure };
    } finally {
      // Deno keeps a process alive until a timeout with a listener.
      timeout.removeEventListener('abort', keep);
      quota.release(response?.headers);
    }
  };

  /** Returns the body of a success. @throws ApiProblem, ConnectionError, or the signal's reason */
  const request = async <Body>(asked: ApiRequest): Promise<Body> => {
    const { method = 'GET', path, query = {}, headers, body, signal } = asked;
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
      let problem: ApiProblem | ConnectionError;
      if ('failure' in result) {
        problem = new ConnectionError(base.origin, attempt, result.failure);
        if (attempt >= attempts || !mayRetry(result.failure, attempt)) throw problem;
        isOutcomeUnknown = true;
      } else {
        warnOnce(result.response);
        const { sources } = (result.body ?? {}) as { readonly sources?: Sources };
        const isKnown = Number.isInteger(sources?.expected) && Number.isInteger(sources?.current);
        if (sources && isKnown) options.onSources?.(sources);
        const foreign = describeForeign(result.response, url, path);
        if (result.response.ok && foreign === undefined) return result.body as Body;
        const text = foreign === undefined ? result.text : JSON.stringify({ message: foreign });
        problem = new ApiProblem(result.response, text, timing.now(), isOutcomeUnknown);
        retryAfter = problem.retryAfter ?? 0;
        isRateLimit = isProblem(problem, 'RATE_LIMITED');
        if (isRateLimit) retryAfter = Math.min(retryAfter, WINDOW_MS / 1_000);
        const isFinal = !isTransientStatus(problem.status) || retryAfter > MAX_RETRY_AFTER_SECONDS;
        if (isFinal || attempt >= attempts) throw problem;
        // A 429 has no effect; after any other transient problem the outcome is unknown.
        isOutcomeUnknown ||= problem.status !== 429;
      }
      const waitMs = retryAfter * 1_000 + backoffMs(attempt, timing);
      if (isRateLimit) onRateLimit(new Date(timing.now() + waitMs));
      else options.onRetry?.(problem);
      await timing.sleep(waitMs, signal);
    }
  };

  return {
    attempts,
    concurrency,
    /** Waits before a retry; `attempt` is the number of the attempt that failed. */
    backOff: (attempt: number, signal: AbortSignal | undefined) => timing.sleep(backoffMs(attempt, timing), signal),
    request,
  };
};

export type Transport = ReturnType<typeof openTransport>;
