/** Signed answers (docs/contract.md#signed-answers): a JWT in place of the JSON, as in RFC 9701. */
import type { PresentedKey } from '../../core/access/api-key.ts';
import type { Caller } from '../../core/access/authenticate.ts';
import { ApiError, notAcceptable, type ProblemCode } from '../../core/problems.ts';
import { type SigningSettings, signingFromEnvironment } from '../../core/runtime/environment.ts';
import { problemResponse } from './problem-documents.ts';
import type { HttpRequest, RequestContext } from './request.ts';

const JWT = 'application/jwt';
/** `typ` of the JWT. */
const TYPE = 'vehicle-answer+jwt';

/** Errors that are an answer about a vehicle, and so are signed too. */
const SIGNED_ERRORS: readonly ProblemCode[] = ['VEHICLE_NOT_FOUND', 'COMPLIANCE_NOT_FOUND'];

/** A quoted string, in which a comma or a semicolon separates nothing. */
const QUOTED = /"(?:[^"\\]|\\.)*"?/g;
/** The weight of a media range (RFC 9110, section 12.4.2). */
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The weight of a media range, by default 1. A malformed weight gives none. Ignores other parameters. */
const weightOf = (parameters: readonly string[]): number => {
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
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
  context: RequestContext & { readonly key: PresentedKey; readonly caller: Caller },
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
export const signedAnswers = () => {
  type Admitted = HttpRequest<{ key: PresentedKey; caller: Caller }>;
  const settingsFor = ({ headers }: RequestContext): SigningSettings | undefined =>
    prefersJwt(headers.accept ?? '') ? signingFromEnvironment() : undefined;
  return {
    before: ({ context }: Admitted): void => {
      if (prefersJwt(context.headers.accept ?? '') && signingFromEnvironment() === undefined) throw notAcceptable();
    },
    after: async (request: Admitted): Promise<void> => {
      const { context, response } = request;
      const settings = settingsFor(context);
      if (settings && response) request.response = await signed(context, settings, response);
    },
    onError: async (request: Admitted): Promise<void> => {
      const { context, error } = request;
      if (!(error instanceof ApiError) || !SIGNED_ERRORS.includes(error.code)) return;
      const settings = settingsFor(context);
      if (settings === undefined) return;
      try {
        request.response = await signed(context, settings, problemResponse(context, error));
      } catch (failure) {
        // Thrown here, it would be the response of the function. So it becomes a 500 on the way back.
        request.error = failure as Error;
      }
    },
  };
};
