import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { Flow } from './flow.ts';
import { BodyTooLarge, MalformedJson, UnsupportedContentType, ValidationFailed } from './input-refusals.ts';

/** Bytes; "a body over 1 MB" (contract.md "Errors"). */
const MAX_BODY_BYTES = 1_000_000;

const parser = httpJsonBodyParser();

const byteLength = (body: string, isBase64Encoded: boolean): number =>
  Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');

/** The stock parser's answers, as the contract's. */
const refusalFor = (error: unknown): Error => {
  const { statusCode, message, cause } = error as { statusCode?: number; message?: string; cause?: { data?: unknown } };
  if (statusCode === 415) return new UnsupportedContentType();
  if (message?.startsWith('Forbidden key')) {
    return new ValidationFailed([{ pointer: '', detail: `must not have the key "${String(cause?.data)}"` }]);
  }
  return new MalformedJson();
};

/**
 * The request's body, parsed. Keys that could reach a prototype are refused.
 * @throws BodyTooLarge, UnsupportedContentType, MalformedJson, ValidationFailed
 */
export const readJsonBody = ({ event, headers }: Flow): unknown => {
  const isBase64Encoded = event.isBase64Encoded === true;
  if (typeof event.body !== 'string') throw new MalformedJson();
  const bytes = byteLength(event.body, isBase64Encoded);
  if (bytes > MAX_BODY_BYTES) throw new BodyTooLarge(bytes, MAX_BODY_BYTES);
  // RFC 9110 allows white space around the semicolon, the parser does not.
  const contentType = headers['content-type']?.split(';')[0]?.trim();
  const parsed = { headers: { 'content-type': contentType }, body: event.body as unknown, isBase64Encoded };
  try {
    parser.before?.({ event: parsed } as never);
  } catch (error) {
    throw refusalFor(error);
  }
  return parsed.body;
};
