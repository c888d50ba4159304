import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aVehicle } from '../support/records.ts';
import { testApi } from '../support/test-api.ts';
import { bySize, TIMEOUT_MS } from './size.ts';

const NOISE = bySize(50, 500);
/** Milliseconds after which a response counts as missing; a function has 10 s. */
const RESPONSE_MS = 20_000;
const PATH = '/v1/vehicle/AB12CDE/insurance';

const api = testApi(({ loadVehicles }) => loadVehicles(aVehicle('AB12CDE')));

/** A request with this first line, these headers beside the usual ones, and this body. */
const raw = (first: string, more: readonly string[] = [], body = ''): string => {
  const headers = ['Host: 127.0.0.1', 'Connection: close', `X-API-Key: ${api.key}`, 'Content-Type: application/json'];
  return `${[first, ...headers, ...more].join('\r\n')}\r\n\r\n${body}`;
};

/** The status of the first response to these bytes, or undefined when the connection is closed without one. */
const statusOf = async (bytes: string, isCutOff: boolean): Promise<number | undefined> => {
  const { hostname, port } = new URL(api.origin);
  const socket = connect({ host: hostname, port: Number(port), signal: AbortSignal.timeout(RESPONSE_MS) });
  // A server drops a request whose sender has ended before it is answered.
  if (isCutOff) socket.end(bytes, 'latin1');
  else socket.write(bytes, 'latin1');
  const [status] = /(?<=^HTTP\/1\.1 )[2-5]\d\d/m.exec(await text(socket)) ?? [];
  return status === undefined ? undefined : Number(status);
};

const VERSIONS = ['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.1 x', '', 'http/1.1', 'ICY/1.0'];
const METHODS = ['get', 'GETT', 'G\0T', ''];
const TARGETS = ['*', '/', '//', '?', '#', 'v1', '/v1/..//', '/\\', 'https://', 'http://[::1', '/v1/vehicle//x'];
const HEADERS = [
  ...['X-Nothing', 'X-A: a\0b', 'X-A: a\r\n b', 'X-A: a\nX-B: b', 'X-A : b', 'X-A: \xff\xfe\x80', ': x'],
  ...[`X-A: ${'x'.repeat(90_000)}`, 'Expect: the unexpected', 'Connection: Upgrade\r\nUpgrade: websocket', 'Host: b'],
];
const CHUNKED = 'Transfer-Encoding: chunked';
const BODIES: readonly (readonly [headers: readonly string[], body: string])[] = [
  [['Content-Length: 2'], '{"title":"x"}'],
  [['Content-Length: -1'], '{}'],
  [['Content-Length: 2x'], '{}'],
  [['Content-Length: 2', 'Content-Length: 3'], '{}'],
  [['Content-Length: 2', CHUNKED], '2\r\n{}\r\n0\r\n\r\n'],
  [[CHUNKED], '2\r\n{}\r\n0\r\n\r\n'],
  [[CHUNKED], 'zz\r\n{}\r\n'],
  [['Transfer-Encoding: gzip'], '{}'],
];

/** Everything that an HTTP client can send is the task of Schemathesis (`npm run test:contract`). */
it(
  'The local gateway answers broken HTTP with a status below 500, and a valid request afterwards',
  async () => {
    const valid = raw(`GET ${PATH} HTTP/1.1`);
    const noise = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 200 }), { seed: 6_003, numRuns: NOISE });
    const noises = noise.map((bytes) => Buffer.from(bytes).toString('latin1'));
    const whole = [
      ...VERSIONS.map((version) => raw(`GET ${PATH} ${version}`)),
      ...METHODS.map((method) => raw(`${method} ${PATH} HTTP/1.1`)),
      ...[...TARGETS, ...noises.map((bytes) => PATH + bytes)].map((target) => raw(`GET ${target} HTTP/1.1`)),
      ...HEADERS.map((line) => raw(`GET ${PATH} HTTP/1.1`, [line])),
      ...BODIES.map(([headers, body]) => raw('POST /v1/api/content HTTP/1.1', headers, body)),
      ...[valid.replace('Host: 127.0.0.1\r\n', ''), valid + valid],
    ];
    // A server waits for more.
    const cutOff = [
      ...noises,
      ...noises.map((_, nth) => valid.slice(0, 1 + (nth % 120))),
      raw('POST /v1/api/content HTTP/1.1', ['Content-Length: 500'], '{"title":'),
      raw('POST /v1/api/content HTTP/1.1', [CHUNKED], '2\r\n{}\r\n'),
    ];
    const sent = [whole, cutOff].flatMap((all, nth) => all.map((bytes) => ({ bytes, isCutOff: nth === 1 })));
    for (const { bytes, isCutOff } of sent) {
      const status = await statusOf(bytes, isCutOff);
      expect([bytes.slice(0, 500), status]).toEqual([expect.anything(), expect.any(Number)]);
      expect(status).toBeLessThan(500);
    }
    // The server may close the connection without a response.
    await statusOf(raw('CONNECT elsewhere.example:443 HTTP/1.1'), false);
    expect((await api.call('GET', PATH, { key: api.key })).status).toBe(200);
  },
  TIMEOUT_MS,
);
