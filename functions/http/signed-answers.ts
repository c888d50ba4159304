/** Answers that are signed for callers who ask (docs/contract.md#signed-answers), as RFC 9701 does it: a JWT in place of the JSON. */
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ApiError, notAcceptable, type ProblemCode } from '../../core/problems.ts';
import { type SigningSettings, signingFromEnvironment } from '../../core/runtime/environment.ts';
import type { ServedEndpoint } from './endpoint.ts';
import { problemDocument } from './problem-documents.ts';
import type { InboundMiddleware, RequestContext } from './request.ts';

const JWT = 'application/jwt';
/** `typ` of the JWT. */
const TYPE = 'vehicle-answer+jwt';

/** The errors that say something about a vehicle: they are signed too. */
const SIGNED_ERRORS: readonly ProblemCode[] = ['VEHICLE_NOT_FOUND', 'COMPLIANCE_NOT_FOUND'];

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** The weight of a media range where `Accept` lists it, 1 unless it is valid (RFC 9110, section 12.4.2); ignores other parameters. */
const weightIn = (accept: string, wanted: string): number | undefined => {
  const ranges = accept.split(',').map((range) => range.split(';').map((part) => part.trim().toLowerCase()));
  const [, ...parameters] = ranges.find(([range]) => range === wanted) ?? [];
  const weight = parameters.map((parameter) => WEIGHT.exec(parameter)?.[1]).find((found) => found !== undefined);
  return ranges.some(([range]) => range === wanted) ? Number(weight ?? 1) : undefined;
};

/** Whether `Accept` lists JWT itself, and prefers JSON to it neither by name nor by a wildcard. */
const prefersJwt = (accept: string): boolean => {
  const jwt = weightIn(accept, JWT) ?? 0;
  const json = ['application/json', 'application/*', '*/*'].map((range) => weightIn(accept, range));
  return jwt > 0 && jwt >= (json.find((weight) => weight !== undefined) ?? 0);
};

/** Decides whether the answer is signed, before anything is loaded. Refuses it where the stage has no keys: never unsigned instead. */
export const negotiation = ({ signing }: Pick<ServedEndpoint, 'signing'>): InboundMiddleware => ({
  before: ({ internal: context }) => {
    if (!signing?.includes('Sign') || !prefersJwt(context.headers.accept ?? '')) return;
    context.signing = signingFromEnvironment();
    if (context.signing === undefined) context.refusal = notAcceptable();
  },
});

/** An answer before it is signed. */
interface SignedContent {
  readonly status: number;
  readonly body: unknown;
}

/**
 * Signs the answer that `answering` resolves to, or its error where that is about a vehicle.
 * @throws every other error of `answering`, and KmsFailed
 */
export const signedResponse = async (
  context: RequestContext,
  { issuer, keys: [key] }: SigningSettings,
  answering: Promise<SignedContent>,
): Promise<APIGatewayProxyStructuredResultV2> => {
  const { status, body } = await answering.catch((error: unknown) => {
    if (error instanceof ApiError && SIGNED_ERRORS.includes(error.code)) return problemDocument(context, error);
    throw error;
  });
  const { caller, now, requestId, method, path, query } = context;
  const { sign } = await import('../../core/signing/kms.ts');
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
