import { type ApiError, apiError } from '../problems.ts';
import type { InboundMiddleware, RequestContext } from './request-context.ts';

/** Bytes; "a body over 1 MB" (contract.md "Errors"). */
const MAX_BODY_BYTES = 1_000_000;

const CHARSET = /^charset *= *(?:utf-8|"utf-8")$/i;

/** Whether a Content-Type is `application/json` without a charset or in UTF-8. Other parameters mean nothing (RFC 8259). */
const isJsonInUtf8 = (contentType: string): boolean => {
  const [mediaType, ...parameters] = contentType.split(';').map((part) => part.trim());
  const charsets = parameters.filter((parameter) => /^charset *(?:=|$)/i.test(parameter));
  return mediaType?.toLowerCase() === 'application/json' && charsets.every((charset) => CHARSET.test(charset));
};

/** A byte order mark is kept, so that it is malformed JSON however the body arrives. */
const decodeUtf8 = (base64: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(base64, 'base64'));
  } catch {
    throw apiError('MALFORMED_JSON');
  }
};

/** Bounds of a lookup's body that is read before admission. With both, parsing and validating it costs under 0.2 ms of CPU. */
const MAX_EARLY_BYTES = 16_000;
const MAX_EARLY_VALUES = 100;

/** What begins an array or object or ends a value but the last; in strings they count too. */
const STRUCTURE = /[[{,]/;

/**
 * Whether the request's body is cheap to read: text, short, and of few values. Looks no further than that takes. What arrives
 * base64-encoded is hardly ever JSON.
 */
export const hasCheapBody = ({ event: { body, isBase64Encoded } }: RequestContext): boolean =>
  typeof body !== 'string' ||
  (isBase64Encoded !== true &&
    body.length <= MAX_EARLY_BYTES &&
    Buffer.byteLength(body) <= MAX_EARLY_BYTES &&
    body.split(STRUCTURE, MAX_EARLY_VALUES + 1).length <= MAX_EARLY_VALUES);

/**
 * Checks of the body that @middy/http-json-body-parser leaves out: size, media type, charset, and that bytes which arrive
 * base64-encoded are UTF-8. Leaves the text in `context.body`, where the parser takes it.
 * @throws BODY_TOO_LARGE, UNSUPPORTED_CONTENT_TYPE, MALFORMED_JSON
 */
export const bodyChecks = (): InboundMiddleware => ({
  before: ({ event: context }) => {
    const { body, isBase64Encoded } = context.event;
    if (typeof body !== 'string') throw apiError('MALFORMED_JSON');
    const bytes = Buffer.byteLength(body, isBase64Encoded === true ? 'base64' : 'utf8');
    if (bytes > MAX_BODY_BYTES) throw apiError('BODY_TOO_LARGE', { bytes, limit: MAX_BODY_BYTES });
    if (!isJsonInUtf8(context.headers['content-type'] ?? '')) throw apiError('UNSUPPORTED_CONTENT_TYPE');
    context.body = isBase64Encoded === true ? decodeUtf8(body) : body;
  },
});

/** An error of @middy/http-json-body-parser as an `ApiError`: a key that could reach a prototype, or text that is no JSON. */
export const bodyParserError = (error: unknown): ApiError | undefined => {
  const cause = error instanceof Error ? (error.cause as Readonly<Record<string, unknown>> | undefined) : undefined;
  if (cause?.package !== '@middy/http-json-body-parser') return undefined;
  // Its `data` is the forbidden key, or the whole body beside the `message` of JSON.parse.
  if (Object.hasOwn(cause, 'message')) return apiError('MALFORMED_JSON');
  return apiError('VALIDATION_FAILED', {
    issues: [{ pointer: '', detail: `must not have the key "${String(cause.data)}"` }],
  });
};
