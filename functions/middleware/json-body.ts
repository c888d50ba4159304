import { jsonContentTypePattern, jsonParseProtectProto } from '@middy/util';
import type { Flow } from './flow.ts';
import { BodyTooLarge, MalformedJson, UnsupportedContentType, ValidationFailed } from './input-refusals.ts';

/** Bytes; "a body over 1 MB" (contract.md "Errors"). */
const MAX_BODY_BYTES = 1_000_000;

/**
 * What a text must hold for a key of it to reach a prototype; `\u` may write any letter. Without it the parser need not
 * look at every value, which takes as long again as parsing.
 */
const MAY_REACH_A_PROTOTYPE = /__proto__|constructor|\\u/;

const byteLength = (body: string, isBase64Encoded: boolean): number =>
  Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');

/** middy's answer to a forbidden key, and JSON's to a malformed text, as the contract's. */
const refusalFor = (error: unknown): Error => {
  const { statusCode, cause } = error as { statusCode?: number; cause?: { data?: unknown } };
  return statusCode === undefined
    ? new MalformedJson()
    : new ValidationFailed([{ pointer: '', detail: `must not have the key "${String(cause?.data)}"` }]);
};

const parse = (text: string): unknown =>
  MAY_REACH_A_PROTOTYPE.test(text) ? jsonParseProtectProto(text) : JSON.parse(text);

/**
 * The request's body, parsed. Keys that could reach a prototype are refused.
 * @throws BodyTooLarge, UnsupportedContentType, MalformedJson, ValidationFailed
 */
export const readJsonBody = ({ event, headers }: Flow): unknown => {
  const isBase64Encoded = event.isBase64Encoded === true;
  if (typeof event.body !== 'string') throw new MalformedJson();
  const bytes = byteLength(event.body, isBase64Encoded);
  if (bytes > MAX_BODY_BYTES) throw new BodyTooLarge(bytes, MAX_BODY_BYTES);
  // RFC 9110 allows white space around the semicolon.
  const contentType = headers['content-type']?.split(';')[0]?.trim() ?? '';
  if (!jsonContentTypePattern.test(contentType)) throw new UnsupportedContentType();
  try {
    return parse(isBase64Encoded ? Buffer.from(event.body, 'base64').toString('utf8') : event.body);
  } catch (error) {
    throw refusalFor(error);
  }
};
