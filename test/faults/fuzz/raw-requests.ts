/** Bytes that no HTTP client sends: broken heads and bodies, and what is no HTTP at all. */
import fc from 'fast-check';
import type { Call } from './valid-calls.ts';

export interface RawRequest {
  readonly bytes: Buffer;
  /** Whether a server would wait for more, so that the sender must end the connection. */
  readonly isCutOff?: boolean;
  /** Whether a server may close the connection without a response. */
  readonly isTunnel?: boolean;
}

const message = (lines: readonly string[], body = ''): Buffer =>
  Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`, 'latin1');

const HEADER_LINES = [
  ...['X-Nothing', 'X-A: a\0b', 'X-A: a\r\n b', 'X-A: a\nX-B: b', 'X-A : b', 'X-A: \xff\xfe\x80', ': x'],
  ...[`X-A: ${'x'.repeat(90_000)}`, 'Expect: the unexpected', 'Connection: Upgrade\r\nUpgrade: websocket'],
  'Host: other.example',
];
const VERSIONS = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.1 x', '', 'http/1.1', 'ICY/1.0'];
const METHODS = ['get', 'GETT', 'G\0T', ''];
const TARGETS = ['*', '/', '//', '///', '?', '#', 'v1', '/v1/..//', '/\\', 'https://', 'http://[::1', '/v1/vehicle//x'];
const CHUNKED = 'Transfer-Encoding: chunked';

const BODIES: readonly { readonly head: readonly string[]; readonly body: string; readonly isCutOff?: boolean }[] = [
  { head: ['Content-Length: 500'], body: '{"title":', isCutOff: true },
  { head: ['Content-Length: 2'], body: '{"title":"x"}' },
  { head: ['Content-Length: -1'], body: '{}' },
  { head: ['Content-Length: 2x'], body: '{}' },
  { head: ['Content-Length: 2', 'Content-Length: 3'], body: '{}' },
  { head: ['Content-Length: 2', CHUNKED], body: '2\r\n{}\r\n0\r\n\r\n' },
  { head: [CHUNKED], body: '2\r\n{}\r\n0\r\n\r\n' },
  { head: [CHUNKED], body: 'zz\r\n{}\r\n' },
  { head: [CHUNKED], body: '2\r\n{}\r\n', isCutOff: true },
  { head: ['Transfer-Encoding: gzip'], body: '{}' },
];

const noise = (maxLength: number) =>
  fc.uint8Array({ minLength: 1, maxLength }).map((bytes) => Buffer.from(bytes).toString('latin1'));

/** Raw requests, some of them only a few bytes from a valid one. */
export const rawRequests = (calls: fc.Arbitrary<Call>, key: string): fc.Arbitrary<RawRequest> =>
  calls.chain(({ method, path }) => {
    const first = `${method} ${path} HTTP/1.1`;
    const host = 'Host: 127.0.0.1';
    const rest = ['Connection: close', `X-API-Key: ${key}`, 'Content-Type: application/json'];
    const valid = message([first, host, ...rest]);
    const starting = (line: string) => ({ bytes: message([line, host, ...rest]) });
    return fc.oneof(
      noise(200).map((text) => ({ bytes: Buffer.from(text, 'latin1'), isCutOff: true })),
      noise(40).map((text) => starting(`${method} ${path}${text} HTTP/1.1`)),
      fc.constantFrom(...VERSIONS).map((version) => starting(`GET ${path} ${version}`)),
      fc.constantFrom(...METHODS).map((other) => starting(`${other} ${path} HTTP/1.1`)),
      fc.constantFrom(...TARGETS).map((target) => starting(`GET ${target} HTTP/1.1`)),
      fc.constant({ ...starting('CONNECT elsewhere.example:443 HTTP/1.1'), isTunnel: true }),
      fc.constant({ bytes: message([first, ...rest]) }),
      fc.constantFrom(...HEADER_LINES).map((line) => ({ bytes: message([first, host, ...rest, line]) })),
      fc.constantFrom(...BODIES).map(({ head, body, isCutOff = false }) => ({
        bytes: message([first, host, ...rest, ...head], body),
        isCutOff,
      })),
      fc.nat(120).map((end) => ({ bytes: valid.subarray(0, end + 1), isCutOff: true })),
      fc.constant({ bytes: Buffer.concat([valid, valid]) }),
    );
  });
