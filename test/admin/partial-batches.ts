import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface BatchBody {
  readonly RequestItems: Record<string, unknown[]>;
}

const read = async (stream: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const pass = (endpoint: string, { headers }: IncomingMessage, body: string): Promise<Response> => {
  const { 'x-amz-target': target, authorization, 'x-amz-date': date } = headers;
  const passed = { 'x-amz-target': String(target), authorization: String(authorization), 'x-amz-date': String(date) };
  return fetch(endpoint, {
    method: 'POST',
    headers: { ...passed, 'content-type': 'application/x-amz-json-1.0' },
    body,
  });
};

/** The first half of a batch, and the rest of it. */
const split = (body: string): [string, BatchBody['RequestItems']] => {
  const { RequestItems } = JSON.parse(body) as BatchBody;
  const [[table = '', requests = []] = []] = Object.entries(RequestItems);
  const half = Math.ceil(requests.length / 2);
  const rest = requests.slice(half);
  return [
    JSON.stringify({ RequestItems: { [table]: requests.slice(0, half) } }),
    rest.length > 0 ? { [table]: rest } : {},
  ];
};

/**
 * A database that is busy, between the SDK and an engine: it writes only half of each batch, leaves the rest
 * unprocessed, and throttles every `throttledEvery`th batch whole.
 */
export const startPartialBatches = async (endpoint: string, throttledEvery: number) => {
  let batches = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await read(request);
    const isBatch = String(request.headers['x-amz-target']).endsWith('.BatchWriteItem');
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    if (isBatch) batches += 1;
    if (isBatch && batches % throttledEvery === 0) {
      const __type = 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException';
      response.writeHead(400).end(JSON.stringify({ __type, message: 'busy' }));
      return;
    }
    const [part, UnprocessedItems] = isBatch ? split(body) : [body, {}];
    const answer = await pass(endpoint, request, part);
    const text = await answer.text();
    response.writeHead(answer.status).end(isBatch && answer.ok ? JSON.stringify({ UnprocessedItems }) : text);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    batches: () => batches,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
