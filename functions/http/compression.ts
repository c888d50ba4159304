import { gzipSync } from 'node:zlib';
import type { HttpRequest } from './request.ts';

/** Bytes of a body below which compression costs more than it saves. */
const MIN_BYTES = 2_048;
/** The fastest level. Higher ones save a few per cent more, and take several times as long. */
const LEVEL = 1;

/**
 * Whether `Accept-Encoding` accepts gzip (RFC 9110, section 12.5.3): by its name or by `*`, and not with `q=0` or a
 * malformed weight.
 */
const acceptsGzip = (acceptEncoding = ''): boolean => {
  const codings = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.split(';').map((part) => part.trim()));
  const accepted = new Map(codings.map(([name, weight = 'q=1']) => [name, Number(weight.replace('q=', '')) > 0]));
  return accepted.get('gzip') ?? accepted.get('x-gzip') ?? accepted.get('*') ?? false;
};

const compress = ({ context: { headers }, response }: HttpRequest): void => {
  if (!response) return;
  response.headers = { ...response.headers, Vary: 'Accept-Encoding' };
  const { body = '' } = response;
  if (Buffer.byteLength(body) < MIN_BYTES || !acceptsGzip(headers['accept-encoding'])) return;
  response.body = gzipSync(body, { level: LEVEL }).toString('base64');
  response.isBase64Encoded = true;
  response.headers = { ...response.headers, 'Content-Encoding': 'gzip' };
};

export const compression = () => ({ after: compress, onError: compress });
