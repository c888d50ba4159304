/** Signed answers (docs/contract.md#signed-answers): a JWT in place of the JSON, as in RFC 9701. */
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ApiError, notAcceptable, type ProblemCode } from '../../core/problems.ts';
import { type SigningSettings, signingFromEnvironment } from '../../core/runtime/environment.ts';
import type { ServedEndpoint } from './endpoint-definition.ts';
import { problemDocument } from './problem-documents.ts';
import type { InboundMiddleware, RequestContext } from './request.ts';

const JWT = 'application/jwt';
/** `typ` of the JWT. */
const TYPE = 'vehicle-answer+jwt';

/** Errors that are an answer about a vehicle, and so are signed too. */
const SIGNED_ERRORS: readonly ProblemCode[] = ['VEHICLE_NOT_FOUND', 'COMPLIANCE_NOT_FOUND'];

/** The weight of a media range (RFC 9110, section 12.4.2). */
const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The largest weight of a media range in `Accept`, by default 1; undefined if not listed. Ignores other parameters. */
const weightIn = (accept: string, wanted: string): number | undefined => {
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()));
  const weights = ranges
    .filter(([range]) => range === wanted)
    .map((listed) => listed.map((parameter) => WEIGHT.exec(parameter)?.[1]).find((found) => found !== undefined));
  return weights.length === 0 ? undefined : Math.max(...weights.map((weight) => Number(weight ?? 1)));
};

/** Whether `Accept` lists JWT by its name, and does not prefer JSON, listed by name or by a wildcard. */
const prefersJwt = (accept: string): boolean => {
  const jwt = weightIn(accept, JWT) ?? 0;
  const json = ['application/json', 'application/*', '*/*'].map((range) => weightIn(accept, range));
  return jwt > 0 && jwt >= (json.find((weight) => weight !== undefined) ?? 0);
};

/** Decides whether to sign the answer. Without keys it leaves NOT_ACCEPTABLE, which is thrown after admission. */
export const chooseSigning = ({ signing }: Pick<ServedEndpoint, 'signing'>): InboundMiddleware => ({
  before: ({ internal: context }) => {
    if (!signing?.includes('Sign') || !prefersJwt(context.headers.accept ?? '')) return;
    context.signing = signingFromEnvironment();
    if (context.signing === undefined) context.deferredError = notAcceptable();
  },
});

/**
 * Signs the answer, or the error if it is about a vehicle.
 * @throws KmsFailed, and every other error of `answering`
 */
export const signedResponse = async (
  context: RequestContext,
  { issuer, keys: [key] }: SigningSettings,
  answering: Promise<{ readonly status: number; readonly body: unknown }>,
): Promise<APIGatewayProxyStructuredResultV2> => {
  const { status, body } = await answering.catch((error: unknown) => {
    if (error instanceof ApiError && SIGNED_ERRORS.includes(error.code)) return problemDocument(context, error);
    throw error;
  });
  const { caller, now, requestId, method, path, query } = context;
  const { sign } = await import('../../core/signing.ts');
  const claims = {
    iss: issuer,
    aud: caller?.key.id,
    iat: Math.floor(now.getTime() / 1_000),
    jti: requestId,
    request: { method, path, query },
    status,
    answer: body,
    ...(context.key?.kind !== 'live' && { sandbox: true }),
  };
  return { statusCode: status, headers: { 'Content-Type': JWT }, body: await sign(key, TYPE, claims) };
};
