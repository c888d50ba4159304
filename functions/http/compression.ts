import type { HttpRequest } from './request.ts';

/** Bytes of a body below which compression costs more than it saves. */
const MIN_BYTES = 2_048;
/** The fastest level. Higher ones save a few per cent more, and take several times as long. */
const LEVEL = 1;

/** A valid weight of a coding (RFC 9110, section 12.4.2). */
const WEIGHT = /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * Whether `Accept-Encoding` accepts gzip (RFC 9110, section 12.5.3): by its name or by `*`, and not with `q=0`. A
 * coding with a malformed weight counts as not listed.
 */
const acceptsGzip = (acceptEncoding = ''): boolean => {
  const codings = new Map<string, boolean>();
  for (const coding of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', weight = 'q=1', ...more] = coding.split(';').map((part) => part.trim());
    if (WEIGHT.test(weight) && more.length === 0) codings.set(name, Number(weight.slice(2)) > 0);
  }
  return codings.get('gzip') ?? codings.get('x-gzip') ?? codings.get('*') ?? false;
};

const compress = async ({ context: { headers }, response }: HttpRequest): Promise<void> => {
  if (!response) return;
  response.headers = { ...response.headers, Vary: 'Accept-Encoding' };
  const { body = '' } = response;
  if (Buffer.byteLength(body) < MIN_BYTES || !acceptsGzip(headers['accept-encoding'])) return;
  // Loaded here, because most functions never compress.
  const { gzipSync } = await import('node:zlib');
  response.body = gzipSync(body, { level: LEVEL }).toString('base64');
  response.isBase64Encoded = true;
  response.headers = { ...response.headers, 'Content-Encoding': 'gzip' };
};

/** Compresses the responses of an endpoint that says so, errors included, for callers that accept gzip. */
export const compression = () => ({ after: compress, onError: compress });
