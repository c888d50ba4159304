import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { listen } from '../../local/server.ts';

/**
 * What goes wrong with one database request; with `*After`, `truncate` and slow responses the engine applies it first.
 * `partial` does half of a batch, `mixedCancellation` cancels a transaction because of a conflict on its first item
 * while every other condition fails; both leave other requests alone. `deny` is an error that nobody retries.
 */
export type Fault =
  | ('throttle' | 'deny' | 'error' | 'hang' | 'resetBefore' | 'resetAfter' | 'errorAfter' | 'truncate')
  | ('partial' | 'mixedCancellation')
  | { readonly slowMs: number };

/** One request on its way to the engine. */
export interface DatabaseCall {
  /** `GetItem`, `TransactWriteItems` … */
  readonly operation: string;
  /** Names of the tables that the request is about, each once. */
  readonly tables: readonly string[];
  readonly body: string;
}

const V20120810 = 'com.amazonaws.dynamodb.v20120810#';

/** Faults that are a response of DynamoDB: its status and type. */
const RESPONSES = {
  throttle: [400, `${V20120810}ProvisionedThroughputExceededException`],
  deny: [400, 'com.amazon.coral.service#AccessDeniedException'],
  error: [500, `${V20120810}InternalServerError`],
  errorAfter: [500, `${V20120810}InternalServerError`],
  mixedCancellation: [400, `${V20120810}TransactionCanceledException`],
} as const;

interface EngineResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * The first half of a batch of reads, rounded up, as when a partition is busy or a response exceeds 16 MB, and how the
 * response reports the rest; undefined if no rest is possible.
 */
const partialBatch = (operation: string, body: Buffer) => {
  if (operation !== 'BatchGetItem') return undefined;
  const request = JSON.parse(String(body)) as {
    /** What is read of each table. Its options come back as they were sent. */
    readonly RequestItems: Readonly<Record<string, { readonly Keys: readonly unknown[] }>>;
  };
  const all = Object.entries(request.RequestItems).flatMap(([table, { Keys }]) => Keys.map((key) => ({ table, key })));
  const half = Math.ceil(all.length / 2);
  if (half === all.length) return undefined;
  const byTable = (some: typeof all) => {
    const parts = [...Map.groupBy(some, ({ table }) => table)].map(([table, own]) => {
      return [table, { ...request.RequestItems[table], Keys: own.map(({ key }) => key) }];
    });
    return Object.fromEntries(parts);
  };
  return {
    body: Buffer.from(JSON.stringify({ ...request, RequestItems: byTable(all.slice(0, half)) })),
    respond: ({ status, headers, body: given }: EngineResponse): EngineResponse => {
      const response = { ...JSON.parse(String(given)), UnprocessedKeys: byTable(all.slice(half)) };
      const changed = Buffer.from(JSON.stringify(response));
      const framing = { 'content-length': String(changed.length), 'x-amz-crc32': String(crc32(changed)) };
      return { status, headers: { ...headers, ...framing }, body: changed };
    },
  };
};

/** Whether a fault does anything to this request: a batch of one, for example, cannot be partial. */
export const isApplicable = (fault: Fault, { operation, body }: Pick<DatabaseCall, 'operation' | 'body'>): boolean => {
  if (fault === 'partial') return partialBatch(operation, Buffer.from(body)) !== undefined;
  return fault !== 'mixedCancellation' || operation === 'TransactWriteItems';
};

/** One reason per action, in order: a conflict first, then failed conditions, `None` without a condition. */
const mixedReasons = (actions: readonly Readonly<Record<string, { ConditionExpression?: string }>>[]) =>
  actions.map((action, index) => {
    if (index === 0) return { Code: 'TransactionConflict' };
    const isConditional = Object.values(action).some(({ ConditionExpression }) => ConditionExpression !== undefined);
    return { Code: isConditional ? 'ConditionalCheckFailed' : 'None' };
  });

const isResponse = (fault: string): fault is keyof typeof RESPONSES => fault in RESPONSES;

const fail = (response: ServerResponse, fault: keyof typeof RESPONSES, members: object = {}): void => {
  const [status, type] = RESPONSES[fault];
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
  response.end(JSON.stringify({ __type: type, message: 'injected', ...members }));
};

/** However an operation names its tables: by batch, or at the top and in each part of a transaction. */
const tablesIn = (body: string): readonly string[] => {
  const { RequestItems = {} } = JSON.parse(body) as { readonly RequestItems?: object };
  const named = [...body.matchAll(/"TableName":"([^"]+)"/g)].map(([, name]) => name ?? '');
  return [...new Set([...Object.keys(RequestItems), ...named])];
};

/** Sends a request on with this body. */
type Forward = (body: Buffer) => Promise<EngineResponse>;

/** A proxy for the server at this address: `serve` responds to each request, or sends it on before. */
export const startProxy = async (
  address: string,
  serve: (incoming: IncomingMessage, response: ServerResponse, forward: Forward) => Promise<void>,
) => {
  const agent = new Agent({ keepAlive: true });
  const serving = new Set<Promise<void>>();
  const server = createServer((incoming, response) => {
    const forward: Forward = async (body) => {
      const { method = 'POST', url = '/' } = incoming;
      const { host } = new URL(address);
      const headers = { ...incoming.headers, host, 'content-length': body.length };
      const outgoing = request(address, { method, path: url, agent, headers });
      outgoing.end(body);
      const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
      return { status: answer.statusCode ?? 500, headers: answer.headers, body: await buffer(answer) };
    };
    const served = serve(incoming, response, forward)
      // Either side may disconnect at any time.
      .catch(() => void response.destroy())
      .finally(() => serving.delete(served));
    serving.add(served);
  });
  // Closing an idle connection would be a fault that no test chose.
  server.keepAliveTimeout = 0;
  const { origin, close } = await listen(server, 0, '127.0.0.1');
  return {
    endpoint: origin,
    /** Waits until every request that has arrived was sent on and answered there, or will never be. */
    settled: () => Promise.all(serving),
    close: (): Promise<void> => {
      agent.destroy();
      return close();
    },
  };
};

/** Resets it unless its client has just left: Node never closes a socket that is reset during its shutdown. */
const breakConnection = ({ socket }: ServerResponse): void => {
  if (socket?.writableEnded) socket.destroy();
  else socket?.resetAndDestroy();
};

const deliver = (
  response: ServerResponse,
  { status, headers, body }: EngineResponse,
  fault: Fault | undefined,
): void => {
  if (fault === 'resetAfter') breakConnection(response);
  else if (fault === 'errorAfter') fail(response, fault);
  else if (fault === 'truncate') {
    response.writeHead(status, headers);
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
  } else response.writeHead(status, headers).end(body);
};

/** A proxy between the SDK and an engine that fails as a network and DynamoDB fail. */
export const startFaultProxy = async (engineEndpoint: string) => {
  const calls: DatabaseCall[] = [];
  let choose: (call: DatabaseCall) => Fault | undefined | Promise<Fault | undefined> = () => undefined;

  const { endpoint, settled, close } = await startProxy(engineEndpoint, async (incoming, response, forward) => {
    const body = await buffer(incoming);
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? '';
    const sent = String(body);
    const call = { operation, tables: tablesIn(sent), body: sent };
    calls.push(call);
    const wanted = await choose(call);
    const fault = wanted && isApplicable(wanted, call) ? wanted : undefined;
    if (fault === 'hang') return;
    if (fault === 'resetBefore') breakConnection(response);
    else if (fault === 'mixedCancellation')
      fail(response, fault, { CancellationReasons: mixedReasons(JSON.parse(call.body).TransactItems) });
    else if (typeof fault === 'string' && fault !== 'errorAfter' && isResponse(fault)) fail(response, fault);
    else {
      const half = fault === 'partial' ? partialBatch(call.operation, body) : undefined;
      const whole = await forward(half?.body ?? body);
      const answer = half !== undefined && whole.status === 200 ? half.respond(whole) : whole;
      if (typeof fault === 'object') setTimeout(() => deliver(response, answer, fault), fault.slowMs).unref();
      else deliver(response, answer, fault);
    }
  });
  return {
    endpoint,
    settled,
    /** Every request since the last `reset`, the one whose fault is being chosen included. */
    calls: calls as readonly DatabaseCall[],
    /** Decides the fault of each request, which waits for a promise; nothing goes wrong while it is unset. */
    inject: (chooser: typeof choose): void => {
      choose = chooser;
    },
    /** No more faults, no recorded calls. */
    reset: (): void => {
      calls.length = 0;
      choose = () => undefined;
    },
    close,
  };
};

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>;
