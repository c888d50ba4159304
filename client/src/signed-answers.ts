import { ApiProblem } from './errors.ts';
import {
  InvalidReceipt,
  type KeySet,
  type ReceiptClaims,
  readKeySet,
  readReceipt,
  UnknownSigningKey,
} from './receipts.ts';
import { type ApiRequest, isSigned, type Transport } from './transport.ts';

/** An answer and the proof that the service gave it. */
export interface SignedAnswer<Answer> {
  readonly answer: Answer;
  /** The signed answer as the service sent it; for a bulk lookup one line for each request. */
  readonly receipt: string;
}

/** The value of shared work. Rejects with the reason of the signal if it is aborted before. */
const orAbort = <Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> => {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
};

/** Whether the claims belong to this request. A service behind a proxy knows only the end of the path. */
const isFor = (asked: ApiRequest, { request, status, answer }: ReceiptClaims, response: Response): boolean => {
  const { method = 'GET', path, query, body } = asked;
  const { date: day = query?.date } = (body ?? {}) as { readonly date?: unknown };
  const { asOf } = (answer ?? {}) as { readonly asOf?: unknown };
  return (
    request.method === method &&
    [path, decodeURIComponent(path)].some((known) => request.path.endsWith(known)) &&
    status === response.status &&
    // A problem is for any day.
    (!response.ok || asOf === day)
  );
};

interface KeySetFetch {
  readonly keys: Promise<KeySet>;
  readonly stop: AbortController;
  /** Calls that wait for the keys. */
  waiting: number;
}

/** Requests signed answers, and verifies them with the keys of the service, which are fetched once. */
export const openSignedAnswers = ({ send, request }: Transport) => {
  let latest: KeySetFetch | undefined;
  const forget = (fetching: KeySetFetch): void => {
    if (latest === fetching) latest = undefined;
  };
  const fetchKeys = (): KeySetFetch => {
    const stop = new AbortController();
    // Beside the version, in which the base address ends.
    const asked = { path: '/../.well-known/jwks.json', signal: stop.signal };
    const fetching = { keys: request<unknown>(asked).then(readKeySet), stop, waiting: 0 };
    fetching.keys.catch(() => forget(fetching));
    latest = fetching;
    return fetching;
  };

  const keysOf = async (fetching: KeySetFetch, signal: AbortSignal | undefined): Promise<KeySet> => {
    fetching.waiting += 1;
    try {
      return await orAbort(fetching.keys, signal);
    } finally {
      fetching.waiting -= 1;
      // Its attempts would keep a process alive that nobody waits for.
      if (fetching.waiting === 0 && signal?.aborted) {
        forget(fetching);
        fetching.stop.abort();
      }
    }
  };

  const read = async (receipt: string, signal: AbortSignal | undefined): Promise<ReceiptClaims> => {
    const known = latest;
    try {
      return await readReceipt(receipt, await keysOf(known ?? fetchKeys(), signal));
    } catch (error) {
      // The service may have published a key since.
      if (known === undefined || !(error instanceof UnknownSigningKey)) throw error;
      return readReceipt(receipt, await keysOf(fetchKeys(), signal));
    }
  };

  /**
   * @throws InvalidReceipt when the answer is not signed, does not hold or is for another request
   * @throws ApiProblem, with its receipt for a signed 404; ConnectionError; the signal's reason
   */
  return async <Answer>(asked: ApiRequest): Promise<SignedAnswer<Answer>> => {
    const headers = { ...asked.headers, Accept: 'application/jwt' };
    const { response, text: receipt } = await send({ ...asked, headers });
    if (!isSigned(response)) throw new InvalidReceipt('The service has answered without a signature.');
    const claims = await read(receipt, asked.signal);
    if (!isFor(asked, claims, response)) throw new InvalidReceipt('The signed answer is for another request.');
    if (response.ok) return { answer: claims.answer as Answer, receipt };
    const { status, headers: received } = response;
    const problem = new Response(null, { status, headers: received });
    problem.headers.set('Content-Type', 'application/problem+json');
    throw new ApiProblem(problem, JSON.stringify(claims.answer), 0, false, receipt);
  };
};

export type AskSigned = ReturnType<typeof openSignedAnswers>;
