import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { claimsOf, type SigningKey, signToken } from '../../support/signing-key.ts';

/** The usage of a key of the plan premium. */
export const USAGE = {
  key: { name: 'Acme', environment: 'live', scopes: ['vehicles:read'], plan: 'premium' },
  limits: { registrationsPerBulk: 1_000, requestsPerWindow: 6_000, windowSeconds: 60 },
  window: { used: 1, remaining: 5_999, resetsAt: '2026-11-22T12:01:00Z' },
  hours: [],
};

const POLICY = { number: 'POL-1', insurer: 'Acme', type: 'Full', validFrom: '2029-06-01', validTo: '2030-06-10' };

interface StubOptions {
  /** An entry without its registration. `date` is absent for today. */
  readonly entryOf?: (registration: string, date: string | undefined) => object;
  /** Signs the answers of bulk requests that ask for it. */
  readonly key?: SigningKey;
  /** Of every response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A service that knows every vehicle and counts bulk requests. `changes` replace the usage in part, or by a problem.
 */
export const startStubService = async (changes: object = {}, status = 200, options: StubOptions = {}) => {
  const { entryOf = () => ({ insured: true, policy: POLICY }), key, headers } = options;
  const usage = { ...(status === 200 && USAGE), ...changes };
  let bulkRequests = 0;
  const server = createServer(async (request, response) => {
    const send = (code: number, type: string, text: string) =>
      void response.writeHead(code, { 'Content-Type': type, ...headers }).end(text);
    if (request.url === '/.well-known/jwks.json')
      return send(200, 'application/json', JSON.stringify({ keys: [key?.jwk] }));
    const type = status === 200 ? 'application/json' : 'application/problem+json';
    if (request.method === 'GET') return send(status, type, JSON.stringify(usage));
    bulkRequests += 1;
    const { registrations, date } = (await json(request)) as { registrations: string[]; date?: string };
    const answer = {
      results: registrations.map((registration) => ({ registration, ...entryOf(registration, date) })),
      ...(date && { asOf: date }),
    };
    if (key && request.headers.accept === 'application/jwt')
      return send(200, 'application/jwt', signToken(key, claimsOf('POST', request.url ?? '', answer)));
    return send(200, 'application/json', JSON.stringify(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    account: {
      VEHICLE_VERIFICATION_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      VEHICLE_VERIFICATION_API_KEY: 'vvc_test_stub',
    },
    bulkRequests: () => bulkRequests,
    close: async () => {
      server.close().closeAllConnections();
      await once(server, 'close');
    },
  };
};
