/** Events that no gateway should send, straight into the functions: each must be answered, none with a 5xx. */
import type { Run } from '../../../tools/report/report.ts';
import { steppingClock } from '../../support/stepping-clock.ts';
import { requireAnswer } from '../fuzz/function-answers.ts';
import { bundledHandlers, type Handlers, sourceHandlers } from '../fuzz/handlers.ts';
import { inFlight } from '../fuzz/in-flight.ts';
import { type MalformedEvent, malformedEvents } from '../fuzz/malformed-events.ts';
import { prototypeNames } from '../fuzz/prototypes.ts';
import { samples } from '../fuzz/samples.ts';
import { soundCalls } from '../fuzz/sound-calls.ts';
import { tally } from '../fuzz/tally.ts';
import { REQUESTS_PER_WINDOW } from '../fuzz/windows.ts';
import { prepareWorld } from '../fuzz/world.ts';

const EVENTS: Readonly<Record<string, number>> = { quick: 4_000, long: 50_000 };
const SEED = 6_001;
/** Every which event goes to the bundles that are deployed rather than to the sources. */
const BUNDLE_SHARE = 5;
const IN_FLIGHT = 8;
const ITEMS = 460;
/** Contexts, too, come in shapes; a function learns its time and an id from it. */
const CONTEXTS: readonly unknown[] = [undefined, {}, { awsRequestId: 'an-invocation' }, null, { awsRequestId: 5 }];

const percent = (share: number): string => `${Math.round(100 * share)} %`;

const run: Run = async (progress, size) => {
  const count = EVENTS[size] ?? 0;
  const world = await prepareWorld(ITEMS);
  const handlers: readonly Handlers[] = [await bundledHandlers(), await sourceHandlers()];
  const found = tally();
  const before = prototypeNames();
  const clock = steppingClock(REQUESTS_PER_WINDOW);

  const send = async (event: MalformedEvent, index: number): Promise<void> => {
    const { call, json, about } = event;
    const handler = handlers[index % BUNDLE_SHARE === 0 ? 0 : 1]?.[call.endpoint];
    const told = about.join(', ') || 'a sound event';
    const input = JSON.parse(json);
    const started = performance.now();
    try {
      const result = await handler?.(input, CONTEXTS[index % CONTEXTS.length]);
      const milliseconds = performance.now() - started;
      const { statusCode, body = '' } = requireAnswer(result, event);
      const code = statusCode < 400 ? undefined : JSON.parse(body).code;
      if (statusCode === 201) world.keepId(JSON.parse(body).id);
      found.add({ endpoint: call.endpoint, outcome: String(statusCode), milliseconds, about: told }, code);
    } catch (error) {
      const milliseconds = performance.now() - started;
      found.add({ endpoint: call.endpoint, outcome: 'fault', milliseconds, about: told });
      found.fault(`${call.endpoint} (event ${index}: ${told}): ${String(error)}`);
    }
  };

  const events = samples(() => malformedEvents(soundCalls(world.contentIds()), world.keyChoices, clock), count, SEED);
  await inFlight(IN_FLIGHT, events, async (event, nth) => {
    progress(nth, count, 'events');
    await send(event, nth);
  });
  world.close();

  return {
    findings: [
      {
        promise:
          'every event is answered below 500 as the OpenAPI document says, all common headers included; no function throws',
        found: `of ${found.total()} answers, faulty: ${found.faultsFound()}`,
        holds: found.isFaultless() && found.total() === count,
      },
      {
        promise: 'most events get past admission',
        found: `401 for ${percent(found.count((outcome) => outcome === '401') / count)}`,
        holds: found.count((outcome) => outcome === '401') < count / 2,
      },
      {
        promise: 'nothing of it reaches a prototype',
        found: prototypeNames() === before ? 'prototypes as before' : 'a prototype has changed',
        holds: prototypeNames() === before,
      },
    ],
    blocks: [
      {
        text: [
          `${count} events (fast-check, seed ${SEED}): those of sound requests with up to three damages each (a member removed, null,`,
          'of another type, renamed, joined by prototype keys, 10,000 levels deep), bodies in every encoding and up to 6 MB, and',
          'values that are no event. Everything that JSON can say, nothing that it cannot. Every fifth goes to the deployed bundle; contexts are missing, empty, null or odd in turns.',
          'What lacks its key is nobody’s request, 401; what lacks its path parameter cannot name a thing, 400 or 404.',
        ].join(' '),
      },
      ...found.blocks(),
    ],
  };
};
export default run;
