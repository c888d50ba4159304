import type { ProblemCode } from '../../functions/problems.ts';

/** What a consumer does about each refusal, in Markdown. */
export const problemAdvice: Readonly<Record<ProblemCode, string>> = {
  VALIDATION_FAILED: 'Correct what `errors` names and send again; the same request fails every time.',
  MALFORMED_JSON: 'Serialise the body with a JSON library; check that it was not cut off.',
  UNSUPPORTED_CONTENT_TYPE: 'Send `Content-Type: application/json`, without a charset or with `charset=utf-8`.',
  BODY_TOO_LARGE: 'Send less than 1 MB: split a bulk request, shorten the content.',
  INVALID_REGISTRATION: 'Ask whoever typed it: 1 to 12 letters or digits; spaces, hyphens and dots are ignored.',
  BULK_TOO_LARGE: 'Split the list into requests of at most the size that `detail` names.',
  PAGE_TOO_LARGE: 'Ask again with the `limit` that `detail` names.',
  UNAUTHORIZED:
    'Check that the key is sent, whole, in one header. It may have expired or been revoked: ask your operator for a new one. Do not retry.',
  SCOPE_MISSING: 'Ask your operator for a key with the scope that `detail` names. Do not retry.',
  VEHICLE_NOT_FOUND: 'Check the registration, O against 0 and I against 1 too; otherwise treat the vehicle as unknown.',
  COMPLIANCE_NOT_FOUND: 'Treat the verdict as unknown, never as compliant; try again another day.',
  CONTENT_NOT_FOUND: 'It was deleted or never existed; look it up by domain and slug.',
  ROUTE_NOT_FOUND: 'Check the path against the reference; paths begin with `/v1` and end without a slash.',
  METHOD_NOT_ALLOWED: 'Use one of the methods in the `Allow` header.',
  SLUG_TAKEN: 'Choose another slug, or find the item that has it by domain and slug and update that.',
  IDEMPOTENCY_CONFLICT: 'Use a new key for each new item, and the same key only to repeat the very same request.',
  PRECONDITION_FAILED: 'Read the item again, make your change on that version, and send its `ETag` in `If-Match`.',
  RATE_LIMITED:
    'Wait the seconds that `Retry-After` says, then send again; spread requests, or look vehicles up in bulk.',
  INTERNAL_ERROR:
    'Try again after a moment, waiting longer each time. Reading, updating with `If-Match`, deleting, and creating with an `Idempotency-Key` are safe to repeat. If it stays, report the `requestId`.',
};
