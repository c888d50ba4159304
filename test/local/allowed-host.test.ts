import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LOCAL_TABLE_NAMES } from '../../core/tables.ts';
import { isAllowedHost } from '../../lib/local/allowed-host.ts';
import { readOptions } from '../../lib/local/options.ts';
import { type LocalService, startLocalService } from '../../lib/local/service.ts';

describe('A Host header', () => {
  it.each([
    ...['127.0.0.1', '127.0.0.1:3000', 'localhost', 'LocalHost:65535', '[::1]', '[::1]:8000'],
    ...['box.example', 'BOX.example:3000', '[fd00::2]:80'],
  ])('%s names this machine', (header) => {
    expect(isAllowedHost([header], ['box.example', '[fd00::2]'])).toBe(true);
  });

  it.each([
    ...['rebound.example', 'rebound.example:3000', 'evil.box.example', 'localhost.evil.example', '192.168.0.1:3000'],
    ...['0.0.0.0:3000', '::1', 'localhost:x', 'localhost:', 'localhost:1:2', 'evil@localhost', 'localhost/docs'],
    ...['localhost, evil.example', ' localhost', ''],
  ])('%j does not name this machine', (header) => {
    expect(isAllowedHost([header], ['box.example', '[fd00::2]'])).toBe(false);
  });

  it.each([{ headers: ['localhost', 'localhost'] }, { headers: [] }, { headers: undefined }])(
    'does not name this machine when it is missing or repeated: $headers',
    ({ headers }) => {
      expect(isAllowedHost(headers, [])).toBe(false);
    },
  );
});

/** Reads a whole table from DynamoDB. */
const SCAN = JSON.stringify({ TableName: LOCAL_TABLE_NAMES.vehicles });

describe('npm start', () => {
  let service: LocalService;

  beforeAll(async () => {
    process.env.ALLOWED_HOSTS = ' Box.example, ';
    const options = readOptions([]);
    delete process.env.ALLOWED_HOSTS;
    if (options === undefined) throw new Error('help was not asked for');
    service = await startLocalService({ ...options, port: 0, dynamodbPort: 0 });
  });
  afterAll(() => service.stop());

  /** The response to a request sent byte for byte, because HTTP clients send the Host of the address only. */
  const responseTo = (address: string, lines: readonly string[], body = ''): Promise<string> => {
    const { port, hostname } = new URL(address);
    const socket = connect(Number(port), hostname);
    socket.write([...lines, 'Connection: close', '', body].join('\r\n'));
    return text(socket);
  };

  const target = { 'X-Amz-Target': 'DynamoDB_20120810.Scan', 'Content-Type': 'application/x-amz-json-1.0' };
  const headersOf = (headers: object) => Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

  const servers: [string, (host: readonly string[], version?: string) => Promise<string>][] = [
    ...['/docs', '/openapi.json', '/v1/api/content'].map((path): (typeof servers)[number] => [
      path,
      (host, version = '1.1') =>
        responseTo(service.origin, [`GET ${path} HTTP/${version}`, `X-API-Key: ${service.keys.free}`, ...host]),
    ]),
    [
      'the database',
      (host, version = '1.1') => {
        const headers = { ...target, Authorization: 'AWS4-HMAC-SHA256 Credential=x', 'Content-Length': SCAN.length };
        return responseTo(service.dynamodb, [`POST / HTTP/${version}`, ...headersOf(headers), ...host], SCAN);
      },
    ],
  ];

  describe.each(servers)('at %s', (_what, request) => {
    it.each([
      ['of another name', ['Host: rebound.example:3000']],
      ['given twice', ['Host: localhost', 'Host: rebound.example']],
    ])('returns 421 to a Host %s and names the variable', async (_host, host) => {
      const response = await request(host);
      expect(response).toMatch(/^HTTP\/1\.1 421 Misdirected Request\r\n/);
      expect(response).toContain('ALLOWED_HOSTS');
      expect(response).not.toContain('vvc_test_');
    });

    it('returns 421 to a request without Host, or 400 where HTTP requires it', async () => {
      expect(await request([], '1.0')).toMatch(/^HTTP\/1\.1 421 /);
      expect(await request([], '1.1')).toMatch(/^HTTP\/1\.1 400 /);
    });

    it.each(['127.0.0.1:1', 'localhost', '[::1]', 'box.example'])('returns 200 to the Host %s', async (host) => {
      expect(await request([`Host: ${host}`])).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    });
  });
});
