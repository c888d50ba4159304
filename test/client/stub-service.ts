import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A service that knows every vehicle at once, or gives a response that the real one never gives. */
export const startStubService = async (usage: object, status = 200) => {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const type = status === 200 ? 'application/json' : 'application/problem+json';
      response.writeHead(status, { 'Content-Type': type }).end(JSON.stringify(usage));
      return;
    }
    const { registrations } = (await json(request)) as { registrations: string[] };
    const results = registrations.map((registration) => ({ registration, insured: true, policy: null }));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ results }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    account: { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, apiKey: 'vvc_test_stub' },
    close: async () => {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
};
