import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { handler } from '../../functions/probe/handler.ts';
import { startApi, type TestApi } from '../support/api.ts';

const PATH = '/v1/vehicle/AB12CDE/insurance';

let api: TestApi;
/** The status, headers and body of the service's own response. */
let genuine: { readonly headers: Readonly<Record<string, string>>; readonly body: string };

beforeAll(async () => {
  api = await startApi();
  const { headers, text } = await api.call('GET', PATH);
  const own = [...headers].filter(([name]) => !/^(connection|keep-alive|date|content-length)$/.test(name));
  genuine = { headers: Object.fromEntries(own), body: text };
});
afterAll(() => api.stop());

const probe = (address: string): Promise<void> => {
  process.env.PROBED_ADDRESS = address;
  return handler();
};

/** Probes a server that responds with `respond`. */
const probeServer = async (respond: (request: IncomingMessage, response: ServerResponse) => void): Promise<void> => {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await probe(`http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const answering = (status: number, headers: Readonly<Record<string, string>>, body: string) =>
  probeServer((_request, response) => response.writeHead(status, headers).end(body));

const JSON_TYPE = { 'content-type': 'application/json' };

describe('The probe', () => {
  beforeEach(() => api.faults.reset());

  it('passes when the service responds with its 401, and causes no database request', async () => {
    await expect(probe(`${api.origin}${PATH}`)).resolves.toBeUndefined();
    expect(api.faults.calls).toEqual([]);
  });

  it('passes on a path without an endpoint too', async () => {
    await expect(probe(`${api.origin}/nowhere`)).resolves.toBeUndefined();
  });

  it('accepts the name that API Gateway may give to WWW-Authenticate', async () => {
    const { 'www-authenticate': value = '', ...headers } = genuine.headers;
    await expect(answering(401, { ...headers, 'x-amzn-remapped-www-authenticate': value }, genuine.body)).resolves.toBe(
      undefined,
    );
  });

  it.each([200, 403, 404, 500, 302])('fails on the status %d', async (status) => {
    await expect(answering(status, { ...genuine.headers, location: PATH }, genuine.body)).rejects.toThrow(
      `${PATH} does not answer as expected: its status is ${status}.`,
    );
  });

  it.each([
    'content-type',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'x-request-id',
    'cache-control',
    'x-content-type-options',
    'www-authenticate',
  ])('fails without the header %s', async (name) => {
    expect(genuine.headers).toHaveProperty(name);
    const { [name]: _missing, ...headers } = genuine.headers;
    await expect(answering(401, headers, genuine.body)).rejects.toThrow(
      `does not answer as expected: its header ${name} is "".`,
    );
  });

  it.each([
    [401, '{"message":"Unauthorized"}'],
    [403, '{"message":"Forbidden"}'],
    [404, '{"message":"Not Found"}'],
    [503, '{"message":"Service Unavailable"}'],
  ])('fails on a response of API Gateway itself: %d', async (status, body) => {
    await expect(answering(status, JSON_TYPE, body)).rejects.toThrow(
      'its body does not have the code UNAUTHORIZED, its header content-type is "application/json"',
    );
  });

  it('fails when nothing listens', async () => {
    await expect(probe(`http://127.0.0.1:1${PATH}`)).rejects.toThrow(/\/insurance cannot be reached: .+\.$/);
  });

  it('fails when the connection is closed without a response', async () => {
    await expect(probeServer(({ socket }) => socket.destroy())).rejects.toThrow('cannot be reached: ');
  });

  it('fails when no complete response arrives in time', async () => {
    const late = 'did not answer within 5000 ms.';
    await Promise.all([
      expect(probeServer(() => undefined)).rejects.toThrow(late),
      expect(probeServer((_request, response) => response.writeHead(401).write('{'))).rejects.toThrow(late),
    ]);
  });

  it('opens a new connection each time', async () => {
    const connections: (string | undefined)[] = [];
    await probeServer(({ headers }, response) => {
      connections.push(headers.connection);
      response.writeHead(401, genuine.headers).end(genuine.body);
    });
    expect(connections).toEqual(['close']);
  });

  it('fails when PROBED_ADDRESS is missing, and names it', async () => {
    await expect(probe('')).rejects.toThrow('missing environment variables: PROBED_ADDRESS');
  });
});
