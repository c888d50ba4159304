import { isUtf8 } from 'node:buffer';
import { type ApiError, apiError } from '../../core/problems.ts';
import type { HttpRequest, InboundMiddleware } from './request.ts';

/** Bytes (docs/contract.md#errors). */
const MAX_BODY_BYTES = 1_000_000;

const CHARSET = /^charset *= *(?:utf-8|"utf-8")$/i;

/** Whether a Content-Type is `application/json` without a charset or in UTF-8. Other parameters have no meaning (RFC 8259). */
const isJsonInUtf8 = (contentType: string): boolean => {
  const [mediaType, ...parameters] = contentType.split(';').map((part) => part.trim());
  const charsets = parameters.filter((parameter) => /^charset *(?:=|$)/i.test(parameter));
  return mediaType?.toLowerCase() === 'application/json' && charsets.every((charset) => CHARSET.test(charset));
};

/** Limits of a lookup's body that is read before admission: parsing and validating it then takes under 0.2 ms of CPU. */
const MAX_EARLY_BYTES = 16_000;
const MAX_EARLY_VALUES = 100;

/** A character per array, object or further value. Those inside strings count too. */
const STRUCTURE = /[[{,]/;

/**
 * Whether the request's body is cheap to read: short, with few values, and not base64-encoded, which JSON hardly ever is.
 * Stops counting at the limits.
 */
export const hasCheapBody = ({ body, isBase64Encoded }: Partial<HttpRequest['event']>): boolean =>
  typeof body !== 'string' ||
  (!isBase64Encoded &&
    body.length <= MAX_EARLY_BYTES &&
    Buffer.byteLength(body) <= MAX_EARLY_BYTES &&
    body.split(STRUCTURE, MAX_EARLY_VALUES + 1).length <= MAX_EARLY_VALUES);

/**
 * Checks that @middy/http-json-body-parser does not make: size, media type, charset, and UTF-8 of a base64-encoded body.
 * @throws BODY_TOO_LARGE, UNSUPPORTED_CONTENT_TYPE, MALFORMED_JSON
 */
export const bodyChecks = (): InboundMiddleware => ({
  before: ({ event: { body, isBase64Encoded }, internal: { headers } }) => {
    if (typeof body !== 'string') throw apiError('MALFORMED_JSON');
    const bytes = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
    if (bytes > MAX_BODY_BYTES) throw apiError('BODY_TOO_LARGE', { bytes, limit: MAX_BODY_BYTES });
    if (!isJsonInUtf8(headers['content-type'] ?? '')) throw apiError('UNSUPPORTED_CONTENT_TYPE');
    if (isBase64Encoded && !isUtf8(Buffer.from(body, 'base64'))) throw apiError('MALFORMED_JSON');
  },
});

/** An error of @middy/http-json-body-parser as an `ApiError`: a prototype key, or malformed JSON. */
export const bodyParserError = (error: unknown): ApiError | undefined => {
  const cause = error instanceof Error ? (error.cause as Readonly<Record<string, unknown>> | undefined) : undefined;
  if (cause?.package !== '@middy/http-json-body-parser') return undefined;
  // Its `data` is the forbidden key, or the whole body beside the `message` of JSON.parse.
  if (Object.hasOwn(cause, 'message')) return apiError('MALFORMED_JSON');
  return apiError('VALIDATION_FAILED', {
    issues: [{ pointer: '', detail: `must not have the key "${String(cause.data)}"` }],
  });
};
