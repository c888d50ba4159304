/** Bytes that no HTTP client sends: broken heads and bodies, and what is no HTTP at all. */
import fc from 'fast-check';
import { type Call, pathOf } from './valid-calls.ts';

export interface RawRequest {
  readonly bytes: Buffer;
  /** Whether a server would wait for more, so that whoever sends it must end it. */
  readonly isCutOff?: boolean;
  readonly about: string;
}

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

const message = (lines: readonly string[], body = ''): Buffer => latin1(`${lines.join('\r\n')}\r\n\r\n${body}`);

const HEADER_LINES: readonly (readonly [string, string])[] = [
  ['a header without a colon', 'X-Nothing'],
  ['a NUL in a header', 'X-A: a\0b'],
  ['a folded header', 'X-A: a\r\n b'],
  ['a line feed alone', 'X-A: a\nX-B: b'],
  ['a space before the colon', 'X-A : b'],
  ['bytes over 127 in a header', 'X-A: \xff\xfe\x80'],
  ['a header of 90 kB', `X-A: ${'x'.repeat(90_000)}`],
  ['no header name', ': x'],
  ['another expectation', 'Expect: the unexpected'],
  ['an upgrade', 'Connection: Upgrade\r\nUpgrade: websocket'],
  ['two hosts', 'Host: other.example'],
];

const BODIES: readonly (readonly [string, readonly string[], string])[] = [
  ['a body shorter than promised', ['Content-Length: 500'], '{"title":'],
  ['a body longer than promised', ['Content-Length: 2'], '{"title":"x"}'],
  ['a negative length', ['Content-Length: -1'], '{}'],
  ['a length that is no number', ['Content-Length: 2x'], '{}'],
  ['two lengths', ['Content-Length: 2', 'Content-Length: 3'], '{}'],
  ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
  ['chunks', ['Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
  ['broken chunks', ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n'],
  ['chunks without an end', ['Transfer-Encoding: chunked'], '2\r\n{}\r\n'],
  ['an unknown encoding', ['Transfer-Encoding: gzip'], '{}'],
];

/** What was sent, where HTTP asks for a tunnel: a server may close it without an answer. */
export const TUNNEL = 'a tunnel';

/** Of the bodies, those that a server would wait for. */
const CUT_OFF = new Set(['a body shorter than promised', 'chunks without an end']);

const lines = (call: Call, key: string): [string, ...string[]] => [
  `${call.method} ${pathOf(call)} HTTP/1.1`,
  'Host: 127.0.0.1',
  'Connection: close',
  `X-API-Key: ${key}`,
  'Content-Type: application/json',
];

const unusualPath = fc
  .uint8Array({ minLength: 1, maxLength: 40 })
  .map((bytes) => Buffer.from(bytes).toString('latin1'));

/** Raw requests, some of them but a few bytes away from a sound one. */
export const rawRequests = (calls: fc.Arbitrary<Call>, key: string): fc.Arbitrary<RawRequest> =>
  calls.chain((call) => {
    const [first, ...rest] = lines(call, key);
    const path = pathOf(call);
    return fc.oneof(
      fc
        .uint8Array({ minLength: 1, maxLength: 200 })
        .map((bytes) => ({ bytes: Buffer.from(bytes), isCutOff: true, about: 'noise' })),
      unusualPath.map((noise) => ({
        bytes: message([`${call.method} ${path}${noise} HTTP/1.1`, ...rest]),
        about: 'any bytes in the path',
      })),
      fc
        .constantFrom('HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.1 x', '', 'http/1.1', 'ICY/1.0')
        .map((version) => ({ bytes: message([`GET ${path} ${version}`, ...rest]), about: 'another HTTP version' })),
      fc.constant({ bytes: message(['CONNECT elsewhere.example:443 HTTP/1.1', ...rest]), about: TUNNEL }),
      fc
        .constantFrom('get', 'GETT', 'G\0T', '')
        .map((method) => ({ bytes: message([`${method} ${path} HTTP/1.1`, ...rest]), about: 'no such method' })),
      fc
        .constantFrom(
          '*',
          '/',
          '//',
          '///',
          '?',
          '#',
          'v1',
          '/v1/..//',
          '/\\',
          'https://',
          'http://[::1',
          '/v1/vehicle//insurance',
        )
        .map((target) => ({ bytes: message([`GET ${target} HTTP/1.1`, ...rest]), about: 'an odd target' })),
      fc.constant({ bytes: message([first, ...rest.slice(1)]), about: 'no host' }),
      fc.constantFrom(...HEADER_LINES).map(([about, line]) => ({ bytes: message([first, ...rest, line]), about })),
      fc.constantFrom(...BODIES).map(([about, head, body]) => ({
        bytes: message([first, ...rest, ...head], body),
        isCutOff: CUT_OFF.has(about),
        about,
      })),
      fc.nat(120).map((end) => ({
        bytes: message([first, ...rest]).subarray(0, end + 1),
        isCutOff: true,
        about: 'a head cut off',
      })),
      fc.constant({
        bytes: Buffer.concat([message([first, ...rest]), message([first, ...rest])]),
        about: 'two requests in one go',
      }),
    );
  });
