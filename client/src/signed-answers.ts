import { ApiProblem } from './errors.ts';
import { InvalidReceipt, type KeySet, type ReceiptClaims, readKeySet, readReceipt, UnknownKey } from './receipts.ts';
import { type ApiRequest, isSigned, type Transport } from './transport.ts';

/** An answer, and what shows later that the service gave it. */
export interface SignedAnswer<Answer> {
  readonly answer: Answer;
  /** The signed answer as the service sent it; of a bulk lookup one a line, one for each request. */
  readonly receipt: string;
}

/** The value of shared work, or the reason of the caller's signal, whichever comes first. */
const orAbort = <Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> => {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
};

/** Whether the claims are of the answer to this request. A service behind a proxy knows only the end of the path. */
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

/** Asks for signed answers, and verifies them with the keys of the service, which are fetched once. */
export const openSignedAnswers = ({ send, request }: Transport) => {
  let keys: Promise<KeySet> | undefined;
  const fetchKeys = (): Promise<KeySet> => {
    // Beside the version, in which the base address ends.
    const fetched = request<unknown>({ path: '/../.well-known/jwks.json' }).then(readKeySet);
    keys = fetched;
    fetched.catch(() => {
      if (keys === fetched) keys = undefined;
    });
    return fetched;
  };

  const read = async (receipt: string, signal: AbortSignal | undefined): Promise<ReceiptClaims> => {
    const known = keys;
    try {
      return await readReceipt(receipt, await orAbort(known ?? fetchKeys(), signal));
    } catch (error) {
      // The service may have published a key since.
      if (known === undefined || !(error instanceof UnknownKey)) throw error;
      return readReceipt(receipt, await orAbort(fetchKeys(), signal));
    }
  };

  /**
   * The answer to a request with its receipt.
   * @throws InvalidReceipt when it is not signed, does not hold or is for another request
   * @throws ApiProblem with its receipt for a signed 404, without one for any other; ConnectionError, or the signal's reason
   */
  return async <Answer>(asked: ApiRequest): Promise<SignedAnswer<Answer>> => {
    const { response, text: receipt } = await send({
      ...asked,
      headers: { ...asked.headers, Accept: 'application/jwt' },
    });
    if (!isSigned(response)) throw new InvalidReceipt('The service has answered without a signature.');
    const claims = await read(receipt, asked.signal);
    if (!isFor(asked, claims, response)) throw new InvalidReceipt('The signed answer is for another request.');
    if (response.ok) return { answer: claims.answer as Answer, receipt };
    const { status, headers } = response;
    const members = { status, headers: { ...Object.fromEntries(headers), 'content-type': 'application/problem+json' } };
    throw new ApiProblem(new Response(null, members), JSON.stringify(claims.answer), 0, false, receipt);
  };
};

export type AskSigned = ReturnType<typeof openSignedAnswers>;
