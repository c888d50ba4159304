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

/** Whether the claims belong to this request. A service behind a proxy knows only the end of the path. */
const belongsTo = (asked: ApiRequest, { request, status, answer }: ReceiptClaims, response: Response): boolean => {
  const { method = 'GET', path, query, body } = asked;
  const { date: day = query?.date } = (body ?? {}) as { readonly date?: unknown };
  const { asOf } = (answer ?? {}) as { readonly asOf?: unknown };
  return (
    request.method === method &&
    [path, decodeURIComponent(path)].some((known) => request.path.endsWith(known)) &&
    status === response.status &&
    // A problem document names no day.
    (!response.ok || asOf === day)
  );
};

/** Requests signed answers, and verifies them with the keys of the service, which are cached. */
export const openSignedAnswers = ({ send, request }: Transport) => {
  let keys: KeySet | undefined;
  const fetchKeys = async (signal: AbortSignal | undefined): Promise<KeySet> => {
    // The base address ends with the version; the key set is one level above.
    keys = await readKeySet(await request({ path: '/../.well-known/jwks.json', signal }));
    return keys;
  };

  const read = async (receipt: string, signal: AbortSignal | undefined): Promise<ReceiptClaims> => {
    const known = keys;
    try {
      return await readReceipt(receipt, known ?? (await fetchKeys(signal)));
    } catch (error) {
      // The service may have published a key since.
      if (known === undefined || !(error instanceof UnknownSigningKey)) throw error;
      return readReceipt(receipt, await fetchKeys(signal));
    }
  };

  /**
   * @throws InvalidReceipt when the answer is not signed, is not valid or is for another request
   * @throws ApiProblem, with its receipt for a signed 404; ConnectionError; the signal's reason
   */
  return async <Answer>(asked: ApiRequest): Promise<SignedAnswer<Answer>> => {
    const headers = { ...asked.headers, Accept: 'application/jwt' };
    const { response, text: receipt } = await send({ ...asked, headers });
    if (!isSigned(response)) throw new InvalidReceipt('The service has answered without a signature.');
    const claims = await read(receipt, asked.signal);
    if (!belongsTo(asked, claims, response)) throw new InvalidReceipt('The signed answer is for another request.');
    if (response.ok) return { answer: claims.answer as Answer, receipt };
    const { status, headers: received } = response;
    const problem = new Response(null, { status, headers: received });
    problem.headers.set('Content-Type', 'application/problem+json');
    throw new ApiProblem(problem, JSON.stringify(claims.answer), 0, false, receipt);
  };
};

export type AskSigned = ReturnType<typeof openSignedAnswers>;
