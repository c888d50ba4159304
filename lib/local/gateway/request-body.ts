import type { IncomingMessage } from 'node:http';

/** Bytes of body that API Gateway takes. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Bytes after which a caller that does not stop sending is cut off. */
const MAX_DRAINED_BYTES = 8 * MAX_BODY_BYTES;

/**
 * The whole body, or undefined when it is over API Gateway's 10 MB. An oversized body is read to its end without being
 * kept, so that the caller, who is still sending, gets to read the answer.
 */
export const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > MAX_DRAINED_BYTES) break;
  }
  return bytes > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks);
};
