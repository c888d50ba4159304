import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { steppingClock } from '../support/stepping-clock.ts';
import { requireAnswer } from './fuzz/function-answers.ts';
import { bundledHandlers, type Handlers, sourceHandlers } from './fuzz/handlers.ts';
import { inFlight } from './fuzz/in-flight.ts';
import { type MalformedEvent, malformedEvents } from './fuzz/malformed-events.ts';
import { prototypeNames } from './fuzz/prototypes.ts';
import { samples } from './fuzz/samples.ts';
import { prepareFuzzing, REQUESTS_PER_WINDOW } from './fuzz/setup.ts';
import { validCalls } from './fuzz/valid-calls.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const EVENTS = bySize(4_000, 50_000);
const SEED = 6_001;
/** Every so many events one goes to the deployed bundles instead of the sources. */
const BUNDLE_SHARE = 5;
const IN_FLIGHT = 8;
const CONTEXTS: readonly unknown[] = [undefined, {}, { awsRequestId: 'an-invocation' }, null, { awsRequestId: 5 }];

describe('Functions with malformed events of API Gateway', () => {
  const statuses: number[] = [];
  const errors: string[] = [];
  const before = prototypeNames();
  let setup: Awaited<ReturnType<typeof prepareFuzzing>>;
  let handlers: readonly [bundled: Handlers, sources: Handlers];

  const send = async (event: MalformedEvent, index: number): Promise<void> => {
    const { call, json, about } = event;
    try {
      const handler = handlers[index % BUNDLE_SHARE === 0 ? 0 : 1][call.endpoint];
      const result = await handler(JSON.parse(json), CONTEXTS[index % CONTEXTS.length]);
      const { statusCode, body = '' } = requireAnswer(result, event);
      if (statusCode === 201) setup.keepId(JSON.parse(body).id);
      statuses.push(statusCode);
    } catch (error) {
      errors.push(`${call.endpoint} (event ${index}: ${about.join(', ')}): ${String(error)}`);
    }
  };

  beforeAll(async () => {
    setup = await prepareFuzzing();
    handlers = [await bundledHandlers(), await sourceHandlers()];
    const clock = steppingClock(REQUESTS_PER_WINDOW);
    const events = samples(
      () => malformedEvents(validCalls(setup.contentIds()), setup.keyChoices, clock),
      EVENTS,
      SEED,
    );
    await inFlight(IN_FLIGHT, events, send);
    reportFigures('malformed events', { events: statuses.length, errors: errors.length });
  }, TIMEOUT_MS);
  afterAll(() => setup.close());

  it('answer each below 500, as the OpenAPI document describes it', () => {
    expect(errors).toEqual([]);
    expect(statuses).toHaveLength(EVENTS);
  });

  it('admit most of them', () => {
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(EVENTS / 2);
  });

  it('change no prototype', () => {
    expect(prototypeNames()).toBe(before);
  });
});
