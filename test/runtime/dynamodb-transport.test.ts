import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HttpRequest } from '@smithy/core/protocols';
import { createDatabase } from '../../functions/runtime/dynamodb.ts';
import { dynamoDbTransport } from '../../functions/runtime/dynamodb-transport.ts';

const PATIENT = { connection: 10_000, answer: 10_000 };

const ends: (() => unknown)[] = [];
afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

const transportWith = (timeouts = PATIENT) => {
  const transport = dynamoDbTransport(timeouts);
  ends.push(transport.destroy);
  return transport;
};

const listening = async (answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close().closeAllConnections());
  return server;
};

const requestTo = (port: number, body = '{}') =>
  new HttpRequest({ protocol: 'http:', hostname: '127.0.0.1', port, path: '/', method: 'POST', headers: {}, body });

const portOf = (server: Server) => (server.address() as AddressInfo).port;

describe('The way to DynamoDB', () => {
  it('brings back status, headers and the whole body', async () => {
    const server = await listening((request, response) => {
      response.writeHead(202, { 'x-amzn-requestid': 'r-1' }).write('one ');
      request.on('data', (body) => response.end(`two ${body}`));
    });
    const { response } = await transportWith().handle(requestTo(portOf(server), 'three'));
    expect([response.statusCode, response.headers['x-amzn-requestid'], String(response.body)]).toEqual([
      202,
      'r-1',
      'one two three',
    ]);
  });

  it('keeps its connection', async () => {
    const server = await listening((_request, response) => void response.end());
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    const transport = transportWith();
    for (let n = 0; n < 3; n += 1) await transport.handle(requestTo(portOf(server)));
    expect(connections).toBe(1);
  });

  it('is asked again over a new connection when a kept one was closed meanwhile, as after a pause of the function', async () => {
    let requests = 0;
    const server = await listening((request, response) => {
      requests += 1;
      if (requests === 2) request.socket.destroy();
      else response.end('{"Item":{"id":{"S":"a"}}}');
    });
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const db = createDatabase({ region: 'eu-west-2', endpoint: `http://127.0.0.1:${portOf(server)}`, credentials });
    ends.push(() => db.destroy());
    const read = () => db.send(new GetItemCommand({ TableName: 'keys', Key: { id: { S: 'a' } } }));
    await read();
    expect((await read()).Item).toEqual({ id: { S: 'a' } });
    expect(requests).toBe(3);
  });

  it('fails when an answer breaks off, with a code that the SDK tries again for', async () => {
    const server = await listening((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half', () => response.destroy());
    });
    await expect(transportWith().handle(requestTo(portOf(server)))).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  it.each([
    ['never comes', () => undefined],
    ['stops in the middle', (_request: IncomingMessage, response: ServerResponse) => void response.write('half')],
  ])('gives up in time when an answer %s', async (_what, answer) => {
    const server = await listening(answer);
    await expect(transportWith({ ...PATIENT, answer: 20 }).handle(requestTo(portOf(server)))).rejects.toMatchObject({
      name: 'TimeoutError',
      message: 'DynamoDB did not answer within 20 ms',
    });
  });

  // Other systems let connections to a full queue fail in other ways.
  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('gives up in time when no connection comes about', async () => {
    const deaf = fork(fileURLToPath(new URL('./deaf-server.ts', import.meta.url)));
    ends.push(() => deaf.kill('SIGKILL'));
    const [port] = (await once(deaf, 'message')) as [number];
    const transport = transportWith({ ...PATIENT, connection: 50 });
    const requests = Array.from({ length: 8 }, () => transport.handle(requestTo(port)));
    await expect(Promise.race(requests)).rejects.toMatchObject({
      name: 'TimeoutError',
      message: 'DynamoDB could not be reached within 50 ms',
    });
    transport.destroy();
    await Promise.allSettled(requests);
  });
});
