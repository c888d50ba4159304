import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

const USAGE = {
  key: { name: 'Acme', environment: 'live', scopes: [], plan: 'premium' },
  limits: { registrationsPerBulk: 1_000, requestsPerWindow: 6_000, windowSeconds: 60 },
  window: { used: 1, remaining: 5_999, resetsAt: '2026-11-22T12:01:00Z' },
  hours: [],
};

interface Answers {
  /** Instead of the usage: its body, or a problem document when it has a status. */
  readonly usage?: object;
  /** The entries of a bulk answer, from those of a service that knows every vehicle. */
  readonly bulk?: (entries: readonly object[]) => readonly unknown[];
}

/** A service with responses that the real one never sends, or sends more slowly. */
export const startStubService = async ({ usage = USAGE, bulk = (entries) => entries }: Answers = {}) => {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      const isProblem = 'status' in usage;
      response.writeHead(isProblem ? Number(usage.status) : 200, {
        'Content-Type': isProblem ? 'application/problem+json' : 'application/json',
      });
      response.end(JSON.stringify({ ...(isProblem ? {} : USAGE), ...usage }));
      return;
    }
    const { registrations } = (await json(request)) as { registrations: string[] };
    const entries = registrations.map((registration) => ({ registration, insured: true, policy: null }));
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ results: bulk(entries) }));
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
