import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EngineAnswer, partialBatch } from './fault-partial-batch.ts';

/**
 * What goes wrong with one database request; `*After` lets the engine apply it first, `truncate` and slow too. `partial`
 * does half of a batch and gives the rest back as unprocessed; it leaves other requests alone. `mixedCancellation` cancels
 * a transaction because of a conflict on its first item, while every other condition fails; it leaves other requests
 * alone. `deny` is what a caller is told whose permission was taken away: nobody tries again after that.
 */
export type Fault =
  | 'throttle'
  | 'deny'
  | 'error'
  | 'hang'
  | 'resetBefore'
  | 'resetAfter'
  | 'errorAfter'
  | 'truncate'
  | 'partial'
  | 'mixedCancellation'
  | { readonly slowMs: number };

/** One request on its way to the engine. */
export interface DatabaseCall {
  /** `GetItem`, `TransactWriteItems` … */
  readonly operation: string;
  /** Names of the tables that the request is about, each once. */
  readonly tables: readonly string[];
  readonly body: string;
  /** From 1, over the proxy's life. */
  readonly nth: number;
}

/** A request that came, and what was done to it. */
export interface RecordedCall extends DatabaseCall {
  /** Undefined when it passed, or while its fault is still being chosen. */
  readonly fault: Fault | undefined;
  /** Whether the client hung up although no fault held its answer back: this machine was too slow, a fault of its own. */
  readonly isAbandoned: boolean;
}

export interface FaultProxy {
  readonly endpoint: string;
  /** Every request since the last `reset`, the one whose fault is being chosen included. */
  readonly calls: readonly RecordedCall[];
  /** Decides the fault of each request; nothing goes wrong while it is unset. */
  readonly inject: (choose: (call: DatabaseCall) => Fault | undefined) => void;
  /** No more faults, no recorded calls. */
  readonly reset: () => void;
  readonly close: () => Promise<void>;
}

const THROTTLE = 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException';
const DENIED = 'com.amazon.coral.service#AccessDeniedException';
const INTERNAL = 'com.amazonaws.dynamodb.v20120810#InternalServerError';

/** Whether a fault does anything to requests of this operation. */
export const isApplicable = (fault: Fault, operation: string): boolean => {
  if (fault === 'partial') return operation.startsWith('Batch');
  return fault !== 'mixedCancellation' || operation === 'TransactWriteItems';
};

const CANCELED = 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException';

/** One reason per action, in their order: a conflict first, then failed conditions, `None` where there is no condition. */
const mixedReasons = (body: string): object[] => {
  const { TransactItems } = JSON.parse(body) as { TransactItems: Record<string, { ConditionExpression?: string }>[] };
  return TransactItems.map((action, index) => {
    if (index === 0) return { Code: 'TransactionConflict', Message: 'injected' };
    const isConditional = Object.values(action).some(({ ConditionExpression }) => ConditionExpression !== undefined);
    return isConditional ? { Code: 'ConditionalCheckFailed', Message: 'injected' } : { Code: 'None' };
  });
};

const read = async (stream: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const fail = (response: ServerResponse, status: number, type: string, members: object = {}) =>
  response
    .writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
    .end(JSON.stringify({ __type: type, message: 'injected', ...members }));

interface Named {
  readonly TableName?: string;
}

/** However an operation names its tables: at the top, by batch, or in each part of a transaction. */
const tablesIn = (body: string): readonly string[] => {
  const { TableName, RequestItems, TransactItems } = JSON.parse(body) as Named & {
    readonly RequestItems?: Readonly<Record<string, unknown>>;
    readonly TransactItems?: readonly Readonly<Record<string, Named>>[];
  };
  const inTransaction = (TransactItems ?? []).flatMap((part) => Object.values(part).map((named) => named.TableName));
  const names = [TableName, ...Object.keys(RequestItems ?? {}), ...inTransaction];
  return [...new Set(names.filter((name) => name !== undefined))];
};

const forward = (target: URL, agent: Agent, incoming: IncomingMessage, body: Buffer): Promise<EngineAnswer> =>
  new Promise((resolve, reject) => {
    const headers = { ...incoming.headers, host: target.host, 'content-length': body.length };
    const outgoing = request(target, { method: incoming.method ?? 'POST', agent, headers }, (answer) => {
      read(answer).then(
        (content) => resolve({ status: answer.statusCode ?? 500, headers: answer.headers, body: content }),
        reject,
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

/** As a network does when a peer vanishes: no answer, no orderly end. */
const breakConnection = (response: ServerResponse): void => void response.socket?.resetAndDestroy();

const deliver = (response: ServerResponse, { status, headers, body }: EngineAnswer, fault: Fault | undefined): void => {
  if (fault === 'resetAfter') breakConnection(response);
  else if (fault === 'errorAfter') fail(response, 500, INTERNAL);
  else if (fault === 'truncate') {
    response.writeHead(status, headers);
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
  } else response.writeHead(status, headers).end(body);
};

/** A proxy between the SDK and an engine that fails as a network and DynamoDB fail. */
export const startFaultProxy = async (engineEndpoint: string): Promise<FaultProxy> => {
  const target = new URL(engineEndpoint);
  const agent = new Agent({ keepAlive: true });
  const calls: RecordedCall[] = [];
  let nth = 0;
  let choose: (call: DatabaseCall) => Fault | undefined = () => undefined;

  const record = (operation: string, body: string, response: ServerResponse): RecordedCall => {
    nth += 1;
    const chosen: { fault: Fault | undefined } = { fault: undefined };
    const call = { operation, tables: tablesIn(body), body, nth, ...chosen, isAbandoned: false };
    calls.push(call);
    const wanted = choose(call);
    // Where there is nothing to do a part of, or to cancel, nothing goes wrong.
    const isWhole = wanted === 'partial' && partialBatch(operation, Buffer.from(body)) === undefined;
    call.fault = isWhole || (wanted && !isApplicable(wanted, operation)) ? undefined : wanted;
    response.once('close', () => {
      call.isAbandoned = call.fault === undefined && !response.writableFinished;
    });
    return call;
  };

  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await read(incoming);
    const call = record(String(incoming.headers['x-amz-target']).split('.')[1] ?? '', String(body), response);
    const { fault } = call;
    if (fault === 'hang') return;
    if (fault === 'resetBefore') breakConnection(response);
    else if (fault === 'throttle') fail(response, 400, THROTTLE);
    else if (fault === 'deny') fail(response, 400, DENIED);
    else if (fault === 'error') fail(response, 500, INTERNAL);
    else if (fault === 'mixedCancellation') {
      fail(response, 400, CANCELED, { CancellationReasons: mixedReasons(String(body)) });
    } else {
      const half = fault === 'partial' ? partialBatch(call.operation, body) : undefined;
      const answer = await forward(target, agent, incoming, half?.body ?? body);
      if (half !== undefined && answer.status === 200) deliver(response, half.answer(answer), fault);
      else if (typeof fault === 'object') setTimeout(() => deliver(response, answer, fault), fault.slowMs).unref();
      else deliver(response, answer, fault);
    }
  };
  const server = createServer((incoming, response) => {
    // Either side may hang up at any time; that is what this proxy is for.
    serve(incoming, response).catch(() => response.destroy());
  });
  // An idle connection closed here would be a fault that nobody chose.
  server.keepAliveTimeout = 0;
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
