/** Signed answers (docs/contract.md#signed-answers): a JWT in place of the JSON, as in RFC 9701. */
import type { PresentedKey } from '../../core/access/api-key.ts';
import type { Caller } from '../../core/access/authenticate.ts';
import { ApiError, notAcceptable, type ProblemCode } from '../../core/problems.ts';
import { type SigningSettings, signingFromEnvironment } from '../../core/runtime/environment.ts';
import { problemResponse } from './problem-documents.ts';
import type { HttpRequest } from './request.ts';

type SignedRequest = HttpRequest<{ key: PresentedKey; caller: Caller; signing?: SigningSettings | undefined }>;

const JWT = 'application/jwt';
/** The `typ` in the header of the JWT. It tells an answer from any other JWT. */
const TYPE = 'vehicle-answer+jwt';

/** Errors that are an answer about a vehicle, and so are signed too. */
const SIGNED_ERRORS: readonly ProblemCode[] = ['VEHICLE_NOT_FOUND', 'COMPLIANCE_NOT_FOUND'];

/** A quoted string, in which a comma or a semicolon separates nothing. */
const QUOTED = /"(?:[^"\\]|\\.)*"?/g;
/** The weight of a media range (RFC 9110, section 12.4.2). */
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The weight of a media range, by default 1. It is NaN when it is malformed: the range then counts as not listed. */
const weightOf = (parameters: readonly string[]): number => {
  const weight = parameters.find((parameter) => /^q\s*(?:=|$)/.test(parameter));
  return weight === undefined ? 1 : Number(WEIGHT.exec(weight)?.[1]);
};

/** Whether `Accept` lists JWT by its name, and does not prefer JSON, listed by name or by a wildcard. */
const prefersJwt = (accept: string): boolean => {
  const weights = new Map<string, number>();
  for (const listed of accept.toLowerCase().replace(QUOTED, '""').split(',')) {
    const [range = '', ...parameters] = listed.split(';').map((part) => part.trim());
    const weight = weightOf(parameters);
    if (weight >= (weights.get(range) ?? 0)) weights.set(range, weight);
  }
  const jwt = weights.get(JWT) ?? 0;
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  return jwt > 0 && jwt >= json;
};

/** Replaces the body of a response by its signed form. @throws KmsFailed */
const signed = async (
  context: SignedRequest['context'],
  { issuer, keys: [signingKey] }: SigningSettings,
  { statusCode = 200, headers, body = '' }: NonNullable<HttpRequest['response']>,
): Promise<NonNullable<HttpRequest['response']>> => {
  const { caller, deadline, key, now, requestId, method, path, query } = context;
  const { sign } = await import('../../core/signing.ts');
  const claims = {
    iss: issuer,
    aud: caller.key.id,
    iat: Math.floor(now.getTime() / 1_000),
    jti: requestId,
    request: { method, path, query },
    status: statusCode,
    answer: JSON.parse(body),
    ...(key.kind !== 'live' && { sandbox: true }),
  };
  const jwt = await deadline.within(sign(signingKey, TYPE, claims));
  return { statusCode, headers: { ...headers, 'Content-Type': JWT }, body: jwt };
};

/**
 * Signs answers, and errors about a vehicle, for callers who ask.
 * @throws NOT_ACCEPTABLE on a stage that signs no answers, KmsFailed
 */
export const signedAnswers = () => ({
  before: ({ context }: SignedRequest): void => {
    if (!prefersJwt(context.headers.accept ?? '')) return;
    context.signing = signingFromEnvironment();
    if (context.signing === undefined) throw notAcceptable();
  },
  after: async (request: SignedRequest): Promise<void> => {
    const { context, response } = request;
    if (context.signing && response) request.response = await signed(context, context.signing, response);
  },
  onError: async (request: SignedRequest): Promise<void> => {
    const { context, error } = request;
    if (!context.signing || !(error instanceof ApiError) || !SIGNED_ERRORS.includes(error.code)) return;
    try {
      request.response = await signed(context, context.signing, problemResponse(context, error));
    } catch (failure) {
      // Middy would pass on an error that is thrown here. Stored in the request, it becomes a 500 in
      // `problemDocuments`.
      request.error = failure as Error;
    }
  },
});
