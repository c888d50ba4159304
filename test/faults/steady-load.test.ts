import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { prepareEngine } from '../../bench/engine.ts';
import { median } from '../../bench/report.ts';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { requestTo } from '../../local/record-examples.ts';
import { recordedExamples } from '../../openapi/examples.ts';
import type { Memory } from './measured-gateway.ts';
import { bySize, TIMEOUT_MS } from './size.ts';

const MAX_GROWTH = 0.1;
/** Clients that send one request after the other, each with a premium key: 6,000 requests a minute. */
const CLIENTS = 8;
/**
 * Rounds of all requests that each client sends, and the parts of them whose memory is compared; before them code is
 * still being compiled.
 */
const { rounds, start, end } = bySize(
  { rounds: 12, start: [0.3, 0.6], end: [0.7, 1] },
  { rounds: 200, start: [0.1, 0.2], end: [0.9, 1] },
);
/** V8 doubles the space for new objects at any time, which would look like growth. */
const YOUNG_GENERATION = ['--min-semi-space-size=16', '--max-semi-space-size=16'];

/** The examples with the same response each time. Answers that are wrong: test/black-box. */
const examples = (Object.keys(endpoints) as EndpointId[])
  .filter((id) => !['create-content', 'delete-content'].includes(id))
  .flatMap((id) => recordedExamples(id).map((example) => ({ id, example })))
  .filter(({ example: { status } }) => status < 300 || status === 404);

describe(`Requests of ${CLIENTS} clients`, () => {
  let engine: Awaited<ReturnType<typeof prepareEngine>>;
  let gateway: ChildProcess;
  const memory: Memory[] = [];

  const growthOf = (part: keyof Memory): number => {
    const medianIn = ([from = 0, to = 0]: readonly number[]) =>
      median(memory.slice(Math.floor(memory.length * from), Math.ceil(memory.length * to)).map((at) => at[part]));
    return medianIn(end) / medianIn(start) - 1;
  };

  beforeAll(async () => {
    engine = await prepareEngine();
    // Twice in a round of all clients.
    const requestsPerMeasurement = String((examples.length * CLIENTS) / 2);
    gateway = fork(new URL('./measured-gateway.ts', import.meta.url), [requestsPerMeasurement], {
      // Logs and metrics are written as in production.
      env: { ...process.env, POWERTOOLS_LOG_LEVEL: 'INFO', POWERTOOLS_METRICS_NAMESPACE: 'SteadyLoad' },
      execArgv: ['--expose-gc', ...YOUNG_GENERATION],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    // A gateway that ends before it listens sends none.
    const [origin] = await Promise.race([once(gateway, 'message'), once(gateway, 'exit')]);
    assert.equal(typeof origin, 'string');
    gateway.on('message', (measured: Memory) => memory.push(measured));
    const clients = Array.from({ length: CLIENTS }, async () => {
      const key = await engine.newKey();
      for (let round = 0; round < rounds; round += 1) {
        for (const { id, example } of examples) {
          const request = requestTo(origin, endpoints[id], example);
          request.headers.set('X-API-Key', key);
          const response = await fetch(request);
          assert.equal(response.status, example.status, response.url);
          await response.text();
        }
      }
    });
    await Promise.all(clients);
  }, TIMEOUT_MS);
  afterAll(async () => {
    const exited = once(gateway, 'exit');
    gateway.kill();
    await exited;
    await engine.close();
  });

  it.each(['heap', 'resident'] as const)('let the %s memory after a collection grow by less than 10 %%', (part) => {
    expect(memory.length).toBeGreaterThan(10);
    expect(growthOf(part)).toBeLessThan(MAX_GROWTH);
  });
});
