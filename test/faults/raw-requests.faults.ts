import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forkCall } from '../support/fork.ts';
import { inFlight } from './fuzz/in-flight.ts';
import { type RawRequest, rawRequests, TUNNEL } from './fuzz/raw-requests.ts';
import { samples } from './fuzz/samples.ts';
import { sendBytes } from './fuzz/send-bytes.ts';
import { prepareFuzzing } from './fuzz/setup.ts';
import { validCalls } from './fuzz/valid-calls.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const REQUESTS = bySize(300, 3_000);
const SEED = 6_003;
const CONNECTIONS = 16;

/** Bytes that no HTTP client sends. Everything that a client can send is the task of Schemathesis (`npm run test:contract`). */
describe('The local gateway with broken HTTP', () => {
  const statuses: (number | undefined)[] = [];
  const errors: string[] = [];
  let setup: Awaited<ReturnType<typeof prepareFuzzing>>;
  let stop: () => Promise<unknown>;
  let origin: string;

  const send = async (request: RawRequest): Promise<void> => {
    try {
      const status = await sendBytes(origin, request);
      const isExpected = status === undefined ? request.about === TUNNEL : status < 500;
      if (!isExpected) errors.push(`${status ?? 'no response'} to ${request.about}`);
      statuses.push(status);
    } catch (error) {
      errors.push(`${request.about}: ${String(error)}`);
    }
  };

  beforeAll(async () => {
    setup = await prepareFuzzing();
    const module = new URL('./fuzz/setup.ts', import.meta.url);
    const gateway = await forkCall<{ readonly origin: string }>(module, 'startSteppingGateway');
    origin = gateway.result.origin;
    stop = gateway.stop;
    const requests = samples(() => rawRequests(validCalls(setup.contentIds()), setup.keys.premium), REQUESTS, SEED);
    await inFlight(CONNECTIONS, requests, send);
    reportFigures('raw requests', { requests: statuses.length, errors: errors.length });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await stop();
    setup.close();
  });

  it('answers each below 500, or closes the connection of a CONNECT', () => {
    expect(errors).toEqual([]);
    expect(statuses).toHaveLength(REQUESTS);
  });

  it('serves a valid request afterwards', async () => {
    const headers = { 'X-API-Key': setup.keys.premium };
    const { status } = await fetch(`${origin}/v1/vehicle/AB12CDE/insurance`, { headers });
    expect(status).toBe(200);
  });
});
