import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forkCall } from '../support/fork.ts';
import { type RawRequest, rawRequests } from './fuzz/raw-requests.ts';
import { forSamples, prepareFuzzing } from './fuzz/setup.ts';
import { validCalls } from './fuzz/valid-calls.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const REQUESTS = bySize(300, 1_500);
/** Milliseconds after which a response counts as missing; a function has 10 s. */
const RESPONSE_MS = 20_000;

/** The status of the first response to these bytes, or undefined when the connection is closed without one. */
const statusOf = async (origin: string, { bytes, isCutOff }: RawRequest): Promise<number | undefined> => {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), signal: AbortSignal.timeout(RESPONSE_MS) });
  // A server drops a request whose sender has ended before it is answered.
  if (isCutOff) socket.end(bytes);
  else socket.write(bytes);
  const [status] = /(?<=^HTTP\/1\.1 )[2-5]\d\d/m.exec(await text(socket)) ?? [];
  return status === undefined ? undefined : Number(status);
};

/** Everything that an HTTP client can send is the task of Schemathesis (`npm run test:contract`). */
describe('The local gateway with broken HTTP', () => {
  const errors: string[] = [];
  let sent = 0;
  let setup: Awaited<ReturnType<typeof prepareFuzzing>>;
  let gateway: Awaited<ReturnType<typeof forkCall<{ readonly origin: string }>>>;

  beforeAll(async () => {
    setup = await prepareFuzzing();
    gateway = await forkCall(new URL('./fuzz/setup.ts', import.meta.url), 'startSteppingGateway');
    const send = async (request: RawRequest): Promise<void> => {
      const outcome = await statusOf(gateway.result.origin, request).catch(String);
      const isExpected = typeof outcome === 'number' ? outcome < 500 : outcome === undefined && request.isTunnel;
      if (!isExpected) errors.push(`${outcome ?? 'no response'} to ${request.bytes.toString('latin1').slice(0, 500)}`);
      sent += 1;
    };
    const requests = () => rawRequests(validCalls(setup.contentIds()), setup.premiumKey);
    await forSamples({ count: REQUESTS, seed: 6_003, concurrency: 16 }, requests, send);
    reportFigures('raw requests', { sent, errors: errors.length });
  }, TIMEOUT_MS);
  afterAll(async () => {
    await gateway.stop();
    setup.close();
  });

  it('responds to each with a status below 500, or closes the connection of a CONNECT', () => {
    expect(errors).toEqual([]);
    expect(sent).toBe(REQUESTS);
  });

  it('serves a valid request afterwards', async () => {
    const headers = { 'X-API-Key': setup.premiumKey };
    const { status } = await fetch(`${gateway.result.origin}/v1/vehicle/AB12CDE/insurance`, { headers });
    expect(status).toBe(200);
  });
});
