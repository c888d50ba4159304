import type { HttpRequest } from './request.ts';

/** Bytes of a body below which compression costs more than it saves. */
const MIN_BYTES = 2_048;
/** The fastest level. Higher ones save a few per cent more, and take several times as long. */
const LEVEL = 1;

/** Whether `Accept-Encoding` accepts gzip (RFC 9110, section 12.5.3): by its name or by `*`, and not with `q=0`. */
const acceptsGzip = (acceptEncoding = ''): boolean => {
  const codings = new Map(
    acceptEncoding.split(',').map((coding): readonly [string, boolean] => {
      const [name = '', ...parameters] = coding.toLowerCase().split(';');
      return [name.trim(), parameters.every((parameter) => !/^\s*q\s*=\s*0(\.0*)?\s*$/.test(parameter))];
    }),
  );
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
