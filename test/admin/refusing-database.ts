import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What a database says to a caller whose permission was taken away; nobody tries again after that. */
const REFUSAL = JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message: 'no' });

/** An engine that refuses calls of a kind from the nth on. */
export const startRefusingDatabase = async (engine: string, operation: string, nth: number) => {
  let calls = 0;
  const server = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target']);
    const headers = { 'x-amz-target': target, authorization: String(request.headers.authorization) };
    const body = await buffer(request);
    if (target.endsWith(`.${operation}`)) calls += 1;
    if (calls >= nth) response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(REFUSAL);
    else {
      const type = { 'content-type': 'application/x-amz-json-1.0' };
      const answer = await fetch(engine, {
        method: 'POST',
        headers: { ...headers, ...type },
        body: new Uint8Array(body),
      });
      response.writeHead(answer.status, type).end(await answer.text());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
