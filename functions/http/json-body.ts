import { isUtf8 } from 'node:buffer';
import { MIMEType } from 'node:util';
import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import {
  type ApiError,
  bodyTooLarge,
  malformedJson,
  nestedTooDeeply,
  unsupportedContentType,
  validationFailed,
} from '../../core/problems.ts';
import type { HttpRequest } from './request.ts';

const MAX_BODY_BYTES = 1_000_000;

const parseMediaType = (contentType: string): MIMEType | undefined => {
  try {
    return new MIMEType(contentType);
  } catch {
    return undefined;
  }
};

/** Whether a Content-Type is `application/json`, in UTF-8 if it has a charset. Ignores other parameters (RFC 8259). */
const isJsonInUtf8 = (contentType: string): boolean => {
  const type = parseMediaType(contentType);
  const charset = type?.params.get('charset') ?? 'utf-8';
  return type?.essence === 'application/json' && charset.toLowerCase() === 'utf-8';
};

/** The checks that @middy/http-json-body-parser lacks: size, media type, charset, and UTF-8 in base64. */
const checkBody = ({ event: { body, isBase64Encoded }, context: { headers } }: HttpRequest): void => {
  if (typeof body !== 'string') throw malformedJson();
  const bytes = Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
  if (bytes > MAX_BODY_BYTES) throw bodyTooLarge(bytes, MAX_BODY_BYTES);
  if (!isJsonInUtf8(headers['content-type'] ?? '')) throw unsupportedContentType();
  if (isBase64Encoded && !isUtf8(Buffer.from(body, 'base64'))) throw malformedJson();
};

/** The `ApiError` for an error of the body parser: malformed JSON, or a forbidden key such as `__proto__`. */
const parserError = (error: unknown): ApiError | undefined => {
  const cause = error instanceof Error ? (error.cause as Readonly<Record<string, unknown>> | undefined) : undefined;
  if (cause?.package !== '@middy/http-json-body-parser') return undefined;
  // For malformed JSON the cause has the `message` of JSON.parse. Otherwise its `data` is the forbidden key.
  if (Object.hasOwn(cause, 'message'))
    return /call stack/.test(`${cause.message}`) ? nestedTooDeeply() : malformedJson();
  return validationFailed([{ pointer: '', detail: `must not have the key "${String(cause.data)}"` }]);
};

/** @throws BODY_TOO_LARGE, UNSUPPORTED_CONTENT_TYPE, MALFORMED_JSON, VALIDATION_FAILED */
export const jsonBody = () => [
  {
    before: checkBody,
    onError: (request: HttpRequest): void => {
      request.error = parserError(request.error) ?? request.error;
    },
  },
  httpJsonBodyParser<APIGatewayProxyEventV2>({ disableContentTypeCheck: true }),
];
