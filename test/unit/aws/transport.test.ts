/** The connection to DynamoDB, and the attempts of the client of the functions. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from 'node:net';
import { networkInterfaces } from 'node:os';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { HttpRequest } from '@smithy/core/protocols';
import { awsTransport } from '../../../core/aws/aws-transport.ts';
import { createDatabase } from '../../../core/aws/database.ts';

const PATIENT = { connection: 10_000, response: 10_000 };

const ends: (() => unknown)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(ends.splice(0).map((end) => end()));
});

const transportWith = (timeouts = PATIENT) => {
  const transport = awsTransport(timeouts);
  ends.push(transport.destroy);
  return transport;
};

const listening = async (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  host = '127.0.0.1',
): Promise<Server> => {
  const server = createServer(answer).listen(0, host);
  await once(server, 'listening');
  ends.push(() => server.close().closeAllConnections());
  return server;
};

const requestTo = (port: number, body = '{}', hostname = '127.0.0.1', headers = {}) =>
  new HttpRequest({ protocol: 'http:', hostname, port, path: '/', method: 'POST', headers, body: Buffer.from(body) });

const portOf = (server: Server | SocketServer) => (server.address() as AddressInfo).port;

/** A client as the functions have it, and a read with it. */
const readerOf = (server: Server | SocketServer) => {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const db = createDatabase({ region: 'eu-west-2', endpoint: `http://127.0.0.1:${portOf(server)}`, credentials });
  ends.push(() => db.destroy());
  return () => db.send(new GetItemCommand({ TableName: 'keys', Key: { id: { S: 'a' } } }));
};

const ITEM = '{"Item":{"id":{"S":"a"}}}';

/** A response as bytes on the wire. */
const responseOf = (body: string | Buffer, head = 'HTTP/1.1 200 OK'): Buffer =>
  Buffer.concat([Buffer.from(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`), Buffer.from(body)]);

/** Answers with these bytes first, and as DynamoDB would from then on; requests are small enough for one packet. */
const answeringFirst = async (bytes: Buffer) => {
  const seen = { requests: 0 };
  const server = createSocketServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', () => {
      seen.requests += 1;
      socket.write(seen.requests === 1 ? bytes : responseOf(ITEM));
    });
    ends.push(() => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  return { server, seen };
};

/** Connections that a large bulk request leaves behind: one per batch, and the two of auth. */
const KEPT = 12;

/** Opens all the connections of a bulk request and answers on each; `end` is for a further request on one of them. */
const forgetfulServer = (end: (socket: Socket) => void): Promise<Server> => {
  const waiting = new Map<Socket, ServerResponse>();
  return listening((request, response) => {
    if (waiting.has(request.socket)) end(request.socket);
    else if (waiting.size === KEPT) response.end(ITEM);
    else if (waiting.set(request.socket, response).size === KEPT) for (const held of waiting.values()) held.end(ITEM);
  });
};

describe('The connection to DynamoDB', () => {
  const addresses = Object.values(networkInterfaces()).flatMap((interfaces = []) => interfaces);
  const hasIpv6 = addresses.some(({ address }) => address === '::1');
  it.each(['127.0.0.1', ...(hasIpv6 ? ['[::1]'] : [])])(
    'to %s is kept, carries signed headers and the bytes of a body, and returns the whole of each response',
    async (hostname) => {
      const signed = { authorization: 'AWS4-HMAC-SHA256 a', 'x-amz-security-token': 'a/session+token=' };
      const connections = new Set<Socket>();
      const received: object[] = [];
      const answer = (request: IncomingMessage, response: ServerResponse) => {
        connections.add(request.socket);
        received.push(request.headers);
        response.writeHead(202, { 'x-amzn-requestid': 'r-1' }).write('{"asked":');
        request.on('data', (body) => response.end(`${body}}`));
      };
      const server = await listening(answer, hostname.replace(/[[\]]/g, ''));
      const transport = transportWith();
      for (const body of ['1', '"Prüfung 検査 🚗"']) {
        const { response } = await transport.handle(requestTo(portOf(server), body, hostname, signed));
        const { statusCode, headers } = response;
        expect(statusCode).toBe(202);
        expect(headers['x-amzn-requestid']).toBe('r-1');
        expect(String(response.body)).toBe(`{"asked":${body}}`);
      }
      expect(connections.size).toBe(1);
      expect(received).toMatchObject([signed, signed]);
    },
  );

  it.each([
    ['are reset', (socket: Socket) => void socket.resetAndDestroy()],
    ['are silent', () => undefined],
  ])('is replaced when more kept connections than there are attempts %s, as after a bulk request', async (_, end) => {
    const server = await forgetfulServer(end);
    const read = readerOf(server);
    await Promise.all(Array.from({ length: KEPT }, read));
    const answers = await Promise.all([read(), read(), read()]);
    expect(answers.map(({ Item }) => Item)).toEqual(Array(3).fill({ id: { S: 'a' } }));
  });

  it.each([
    ['is not HTTP', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n\r\n')],
    ['is empty', responseOf('')],
    ['is cut', responseOf(ITEM.slice(0, 10))],
    ['is JSON but no object', responseOf('null')],
    ['is an error without a body', responseOf('', 'HTTP/1.1 400 Bad Request')],
  ])('sends the request again when a response %s', async (_what, bytes) => {
    const { server, seen } = await answeringFirst(bytes);
    expect((await readerOf(server)()).Item).toEqual({ id: { S: 'a' } });
    expect(seen.requests).toBe(2);
  });

  it('reports a response that cannot be read without quoting it', async () => {
    const server = await listening((_request, response) => void response.end('{"Item":{"id":{"S":"secret"'));
    const failing = readerOf(server)();
    await expect(failing).rejects.toMatchObject({ name: 'UnreadableResponse', $metadata: { attempts: 3 } });
    await expect(failing).rejects.not.toThrow(/secret/);
  });

  it.each([
    ['never comes', () => undefined],
    ['stops in the middle', (_request: IncomingMessage, response: ServerResponse) => void response.write('half')],
  ])('times out when a response %s', async (_what, answer) => {
    const server = await listening(answer);
    await expect(transportWith({ ...PATIENT, response: 20 }).handle(requestTo(portOf(server)))).rejects.toMatchObject({
      name: 'TimeoutError',
      message: 'no response within 20 ms',
    });
  });

  // Other systems let connections to a full queue fail in other ways.
  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('times out when it cannot be opened', async () => {
    // With a queue of one and a process that accepts none, no further connection is opened.
    const server = spawn(process.execPath, [
      '--eval',
      `const server = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
        require('fs').writeSync(1, String(server.address().port));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      });`,
    ]);
    ends.push(() => server.kill('SIGKILL'));
    const [port] = await once(server.stdout, 'data');
    const transport = transportWith({ ...PATIENT, connection: 50 });
    const requests = Array.from({ length: 8 }, () => transport.handle(requestTo(Number(port))));
    await expect(Promise.race(requests)).rejects.toMatchObject({
      name: 'TimeoutError',
      message: 'no connection within 50 ms',
    });
    transport.destroy();
    await Promise.allSettled(requests);
  });
});

describe('The client of the functions', () => {
  /** Each request takes this many milliseconds by the clock of the function, and fails. */
  const failingReads = async (milliseconds: number) => {
    const attempts: unknown[] = [];
    let now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const server = await listening((request, response) => {
      attempts.push(request.headers['amz-sdk-request']);
      now += milliseconds;
      response.writeHead(500).end('{"__type":"InternalServerError"}');
    });
    return { read: readerOf(server), attempts };
  };

  it('makes three attempts', async () => {
    const { read, attempts } = await failingReads(1_000);
    await expect(read()).rejects.toMatchObject({ name: 'InternalServerError' });
    expect(attempts).toEqual(['attempt=1; max=3', 'attempt=2; max=3', 'attempt=3; max=3']);
  });

  it('does not retry a request that was sent before the function was frozen', async () => {
    const { read, attempts } = await failingReads(60_000);
    for (let request = 0; request < 2; request += 1) {
      await expect(read()).rejects.toMatchObject({ name: 'TooLateToRetry', $metadata: { attempts: 2 } });
    }
    expect(attempts).toEqual(['attempt=1; max=3', 'attempt=1; max=3']);
  });
});
