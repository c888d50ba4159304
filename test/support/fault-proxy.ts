import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What goes wrong with one database request; `*After` lets the engine apply it first. */
export type Fault =
  | 'throttle'
  | 'error'
  | 'hang'
  | 'resetBefore'
  | 'resetAfter'
  | 'errorAfter'
  | 'truncate'
  | { readonly slowMs: number };

/** One request on its way to the engine. */
export interface DatabaseCall {
  /** `GetItem`, `TransactWriteItems` … */
  readonly operation: string;
  readonly body: string;
  /** From 1, over the proxy's life. */
  readonly nth: number;
}

export interface FaultProxy {
  readonly endpoint: string;
  /** Every request since the last `reset`. */
  readonly calls: readonly DatabaseCall[];
  /** Decides the fault of each request; nothing goes wrong while it is unset. */
  readonly inject: (choose: (call: DatabaseCall) => Fault | undefined) => void;
  /** No more faults, no recorded calls. */
  readonly reset: () => void;
  readonly close: () => Promise<void>;
}

const THROTTLE = 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException';
const INTERNAL = 'com.amazonaws.dynamodb.v20120810#InternalServerError';

const read = async (stream: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const fail = (response: ServerResponse, status: number, type: string) =>
  response
    .writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
    .end(JSON.stringify({ __type: type, message: 'injected' }));

interface EngineAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const forward = (target: URL, agent: Agent, incoming: IncomingMessage, body: Buffer): Promise<EngineAnswer> =>
  new Promise((resolve, reject) => {
    const headers = { ...incoming.headers, host: target.host };
    const outgoing = request(target, { method: incoming.method ?? 'POST', agent, headers }, (answer) => {
      read(answer).then(
        (content) => resolve({ status: answer.statusCode ?? 500, headers: answer.headers, body: content }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

const deliver = (response: ServerResponse, { status, headers, body }: EngineAnswer, fault: Fault | undefined) => {
  if (fault === 'resetAfter') return response.destroy();
  if (fault === 'errorAfter') return fail(response, 500, INTERNAL);
  response.writeHead(status, headers);
  if (fault !== 'truncate') return response.end(body);
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
  return response;
};

/** A proxy between the SDK and an engine that fails as a network and DynamoDB fail. */
export const startFaultProxy = async (engineEndpoint: string): Promise<FaultProxy> => {
  const target = new URL(engineEndpoint);
  const agent = new Agent({ keepAlive: true });
  const calls: DatabaseCall[] = [];
  let nth = 0;
  let choose: (call: DatabaseCall) => Fault | undefined = () => undefined;

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await read(incoming);
    nth += 1;
    const call = { operation: String(incoming.headers['x-amz-target']).split('.')[1] ?? '', body: String(body), nth };
    calls.push(call);
    const fault = choose(call);
    if (fault === 'hang') return;
    if (fault === 'resetBefore') response.destroy();
    else if (fault === 'throttle') fail(response, 400, THROTTLE);
    else if (fault === 'error') fail(response, 500, INTERNAL);
    else {
      const answer = await forward(target, agent, incoming, body);
      if (typeof fault === 'object') {
        setTimeout(() => deliver(response, answer, undefined), fault.slowMs).unref();
      } else deliver(response, answer, fault);
    }
  };
  const server = createServer((incoming, response) => {
    // Either side may hang up at any time; that is what this proxy is for.
    serve(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    inject: (chooser) => {
      choose = chooser;
    },
    reset: () => {
      calls.length = 0;
      choose = () => undefined;
    },
    close: () =>
      new Promise((resolve) => {
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
