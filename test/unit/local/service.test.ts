import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { problems, problemType } from '../../../core/problems.ts';
import { LOCAL_TABLE_NAMES } from '../../../core/tables.ts';
import { readOptions } from '../../../local/options.ts';
import { isAllowedHost } from '../../../local/server.ts';
import { type LocalService, startLocalService } from '../../../local/service.ts';
import { openApiDocument } from '../../../openapi/published-document.ts';

const optionsWith = (args: string[], env: Record<string, string>) => {
  const before = process.env;
  process.env = { ...before, ...env };
  try {
    return readOptions(args);
  } finally {
    process.env = before;
  }
};

let service: LocalService;

beforeAll(async () => {
  const options = optionsWith(['--dynamodb-host', '127.0.0.1'], {
    PORT: '0',
    DYNAMODB_PORT: '0',
    ALLOWED_HOSTS: ' Box.example, ',
  });
  if (typeof options === 'string') throw new Error('help was not asked for');
  service = await startLocalService(options);
});
afterAll(() => service.stop());

const get = (path: string, init: RequestInit = {}) => fetch(service.origin + path, init);

it('A dev container allows the host name of its forwarded port, and starts where no port is forwarded', () => {
  const { remoteEnv } = JSON.parse(
    readFileSync(new URL('../../../.devcontainer/devcontainer.json', import.meta.url), 'utf8'),
  );
  const hostsWith = (codespace?: string) => {
    const ALLOWED_HOSTS = remoteEnv.ALLOWED_HOSTS.replace(/\$\{localEnv:CODESPACE_NAME:(\w+)\}/, codespace ?? '$1');
    return optionsWith([], { ALLOWED_HOSTS });
  };
  expect(hostsWith('Fuzzy-Robot-x7')).toMatchObject({ allowedHosts: ['fuzzy-robot-x7-3000.app.github.dev'] });
  expect(hostsWith()).toMatchObject({ allowedHosts: [expect.stringContaining('localhost')] });
});

describe('The options of npm start', () => {
  it.each<[string, string[], Record<string, string>, string]>([
    ['PORT=eighty', [], { PORT: 'eighty' }, 'PORT must be a port number from 0 to 65535, not "eighty".'],
    ['DYNAMODB_PORT=70000', [], { DYNAMODB_PORT: '70000' }, 'DYNAMODB_PORT must be a port number'],
    ['a data folder without a name', ['--data', ''], {}, '--data needs the name of a folder.'],
    ['a name in place of an address', ['--dynamodb-host', 'docker0'], {}, 'must be an IPv4 address like 172.17.0.1'],
    ['an unknown check', [], { CHECKS: 'mot,tax' }, 'CHECKS must be one or more of insurance, mot, roadTax, fines'],
    ['an unknown option', ['--colour'], {}, "Unknown option '--colour'"],
  ])('are rejected with one sentence: %s', (_what, args, env, sentence) => {
    expect(() => optionsWith(args, env)).toThrow(
      expect.objectContaining({ name: 'CannotStart', message: expect.stringContaining(sentence) }),
    );
  });

  it('default to ports 3000 and 8000 and no further hosts; --help and --version are texts', () => {
    const defaults = { port: 3_000, dynamodbPort: 8_000, allowedHosts: [] };
    expect(optionsWith([], { PORT: '', DYNAMODB_PORT: '', ALLOWED_HOSTS: '' })).toEqual(defaults);
    expect(optionsWith(['--help'], {})).toMatch(/^Usage: npm start/);
    expect(optionsWith(['--version'], {})).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('end the start with one sentence when a port is taken', async () => {
    const port = Number(new URL(service.origin).port);
    const sentence = (variable: string) =>
      `Port ${port} is taken or reserved; set ${variable} to another one, for example ${variable}=${port + 1} before the command.`;
    await expect(startLocalService({ port, dynamodbPort: 0 })).rejects.toThrow(sentence('PORT'));
    await expect(startLocalService({ port: 0, dynamodbPort: port })).rejects.toThrow(sentence('DYNAMODB_PORT'));
  });

  it('end the start with one sentence when the database cannot listen at its address', async () => {
    // Reserved for documentation (RFC 5737): no machine has this address.
    await expect(startLocalService({ port: 0, dynamodbPort: 0, dynamodbHost: '198.51.100.1' })).rejects.toThrow(
      '--dynamodb-host must be an address of this machine.',
    );
  });
});

describe('A Host header', () => {
  it.each([
    ...['127.0.0.1', '127.0.0.1:3000', 'localhost', 'LocalHost:65535', '[::1]', '[::1]:8000'],
    ...['box.example', 'BOX.example:3000', '[fd00::2]:80'],
  ])('%s names this machine', (header) => {
    expect(isAllowedHost([header], ['box.example', '[fd00::2]'])).toBe(true);
  });

  it.each([
    ...['rebound.example', 'evil.box.example', 'localhost.evil.example', '127.0.0.1.evil.example', '192.168.0.1:3000'],
    ...['0.0.0.0:3000', '::1', 'localhost:x', 'localhost:', 'localhost:1:2', 'evil@localhost', 'localhost/docs'],
    ...['localhost, evil.example', ' localhost', ''],
  ])('%j does not name this machine', (header) => {
    expect(isAllowedHost([header], ['box.example', '[fd00::2]'])).toBe(false);
  });

  const SCAN = JSON.stringify({ TableName: LOCAL_TABLE_NAMES.vehicles });
  const SIGNED = [
    'X-Amz-Target: DynamoDB_20120810.Scan',
    'Content-Type: application/x-amz-json-1.0',
    'Authorization: AWS4-HMAC-SHA256 Credential=x',
    `Content-Length: ${SCAN.length}`,
  ];

  /** The response to a request sent byte for byte, because HTTP clients send the Host of the address only. */
  const responseTo = (path: string, host: readonly string[], version = '1.1'): Promise<string> => {
    const isDatabase = path === 'the database';
    const { port, hostname } = new URL(isDatabase ? service.dynamodb : service.origin);
    const socket = connect(Number(port), hostname);
    const line = `${isDatabase ? 'POST /' : `GET ${path}`} HTTP/${version}`;
    const head = [
      line,
      ...(isDatabase ? SIGNED : [`X-API-Key: ${service.keys.plans.free}`]),
      ...host,
      'Connection: close',
    ];
    socket.write([...head, '', isDatabase ? SCAN : ''].join('\r\n'));
    return text(socket);
  };

  const PATHS = ['/docs', '/openapi.json', '/v1/api/content', 'the database'];
  it.each(PATHS)('of another host, missing or repeated is 421: %s', async (path) => {
    for (const host of [['Host: rebound.example:3000'], ['Host: localhost', 'Host: localhost']]) {
      const response = await responseTo(path, host);
      expect(response).toMatch(/^HTTP\/1\.1 421 Misdirected Request\r\n/);
      expect(response).toContain('ALLOWED_HOSTS');
      expect(response).not.toContain('vvc_test_');
    }
    expect(await responseTo(path, [], '1.0')).toMatch(/^HTTP\/1\.1 421 /);
    for (const host of ['127.0.0.1:1', 'localhost', '[::1]', 'box.example'])
      expect(await responseTo(path, [`Host: ${host}`])).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it('of containers is for the database only, with --dynamodb-host', async () => {
    const statusOf = async (path: string) =>
      (await responseTo(path, ['Host: host.docker.internal:8000'])).split(' ', 2)[1];
    expect(await Promise.all(PATHS.map(statusOf))).toEqual(['421', '421', '421', '200']);
  });
});

describe('On this machine, without a key,', () => {
  const pages = ['/', '/docs', '/docs/errors'];

  it('every page is served for this origin only, and so is all that the pages link or load', async () => {
    const html = await Promise.all(pages.map(async (path) => (await get(path)).text()));
    const linked = html.flatMap((page) => [...page.matchAll(/ (?:href|src|data-url)="(\/[^"#]*)/g)]);
    const paths = new Set(linked.map(([, path = '']) => path));
    expect([...paths]).toEqual(expect.arrayContaining([...pages, '/openapi.json', '/docs/scalar.js']));
    for (const path of paths) {
      const { status, headers } = await get(path);
      expect({ path, status, policy: headers.get('cross-origin-resource-policy') }).toEqual({
        path,
        status: 200,
        policy: 'same-origin',
      });
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; /);
    }
  });

  it('HEAD of a page has the headers of GET, and no body', async () => {
    const [head, got] = await Promise.all(['HEAD', 'GET'].map((method) => get('/docs', { method })));
    expect(head?.status).toBe(200);
    expect(head?.headers.get('content-length')).toBe(got?.headers.get('content-length'));
    expect(await head?.text()).toBe('');
  });

  it.each([
    ['GET', '/docs/nothing'],
    ['GET', '/docs/../package.json'],
    ['GET', '/constructor'],
    ['POST', '/docs'],
  ])('%s %s is 401 like everything else', async (method, path) => {
    expect((await get(path, { method })).status).toBe(401);
  });

  it('the OpenAPI document has the address of the request, even of a forwarded port', async () => {
    const { origin } = service;
    const expected = JSON.parse(JSON.stringify(openApiDocument(origin)));
    expect(await (await get('/openapi.json')).json()).toEqual(expected);
    const forwarded = await get('/openapi.json', { headers: { 'x-forwarded-proto': 'https' } });
    const https = { url: `${origin.replace('http:', 'https:')}/v1` };
    expect(await forwarded.json()).toMatchObject({ servers: expect.arrayContaining([expect.objectContaining(https)]) });
  });

  it('the type of every problem leads to its section, in which Markdown is HTML', async () => {
    const errors = await (await get('/docs/errors')).text();
    for (const code of Object.keys(problems) as (keyof typeof problems)[]) {
      const [path, anchor] = problemType(code).split('#');
      expect(path).toBe('/docs/errors');
      expect(errors).toContain(`<h2 id="${anchor}"><a href="#${anchor}">${code}</a></h2>`);
      expect(errors).toContain(`<li><a href="#${anchor}">${code}</a></li>`);
    }
    expect(errors).toContain('<p>Use one of the methods in the <code>Allow</code> header.</p>');
    expect(errors).not.toContain('`');
  });
});
