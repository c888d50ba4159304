import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as T from 'typebox';
import { Value } from 'typebox/value';
import { endpoints } from '../../functions/endpoints/table.ts';
import { bundleFunctions } from '../../lib/cloud/bundles.ts';
import { type FunctionId, importFileOf } from '../../lib/endpoint-files.ts';
import { requireContract } from '../support/contract.ts';
import { steppingClock } from '../support/stepping-clock.ts';
import { type MalformedEvent, malformedEvents } from './fuzz/malformed-events.ts';
import { forSamples, prepareFuzzing, REQUESTS_PER_WINDOW } from './fuzz/setup.ts';
import { validCalls } from './fuzz/valid-calls.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const EVENTS = bySize(1_200, 20_000);
/** Every so many events one goes to the deployed bundles instead of the sources. */
const BUNDLE_SHARE = 5;
const CONTEXTS: readonly unknown[] = [undefined, {}, { awsRequestId: 'an-invocation' }, null, { awsRequestId: 5 }];

type Handler = (event: unknown, context: unknown) => Promise<unknown>;
type Handlers = Readonly<Record<FunctionId, Handler>>;

/** The functions as they are written and as they are deployed. The environment must be set before. */
const loadHandlers = async (): Promise<{ sources: Handlers; bundles: Handlers }> => {
  const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
  const paths = await bundleFunctions(folder);
  const [sources, bundles]: [Record<string, Handler>, Record<string, Handler>] = [{}, {}];
  for (const id of [...(Object.keys(endpoints) as FunctionId[]), 'not-found'] as const) {
    sources[id] = (await importFileOf<{ readonly handler: Handler }>(id, 'handler.ts')).handler;
    bundles[id] = createRequire(import.meta.url)(join(paths[id], 'index.js')).handler;
  }
  await rm(folder, { recursive: true });
  return { sources: sources as Handlers, bundles: bundles as Handlers };
};

/** What a function must return whatever it is passed: a status under 500 and headers that can be sent. */
const Result = T.Object({
  statusCode: T.Integer({ minimum: 200, maximum: 499 }),
  headers: T.Record(T.String(), T.String()),
  body: T.Optional(T.String()),
});

const requireAnswer = (result: unknown, { method, path, headers, json }: MalformedEvent['call']) => {
  const { statusCode, headers: answerHeaders, body = '' } = Value.Parse(Result, result);
  requireContract({
    ...{ method, headers, url: new URL(path, 'http://service'), body: JSON.stringify(json) },
    ...{ status: statusCode, answerHeaders: new Headers(answerHeaders), answerText: body },
  });
  return { statusCode, body };
};

const PROTOTYPES = [Object, Array, String, Number, Boolean, Function, Map, Set, Error, Promise].map(
  (each): object => each.prototype,
);
const prototypeNames = () => PROTOTYPES.map((each) => Reflect.ownKeys(each).map(String));

describe('Functions with malformed events of API Gateway', () => {
  const statuses: number[] = [];
  const errors: string[] = [];
  const before = prototypeNames();
  let setup: Awaited<ReturnType<typeof prepareFuzzing>>;

  beforeAll(async () => {
    setup = await prepareFuzzing();
    const { sources, bundles } = await loadHandlers();
    const clock = steppingClock(REQUESTS_PER_WINDOW);
    const send = async ({ call, json }: MalformedEvent, index: number): Promise<void> => {
      try {
        const handler = (index % BUNDLE_SHARE === 0 ? bundles : sources)[call.endpoint];
        const result = await handler(JSON.parse(json), CONTEXTS[index % CONTEXTS.length]);
        const { statusCode, body } = requireAnswer(result, call);
        if (statusCode === 201) setup.keepId(JSON.parse(body).id);
        statuses.push(statusCode);
      } catch (error) {
        errors.push(`${call.endpoint}, event ${index}: ${String(error)} ${json.slice(0, 2_000)}`);
      }
    };
    const events = () => malformedEvents(validCalls(setup.contentIds()), setup.keys, clock);
    await forSamples({ count: EVENTS, seed: 6_001, concurrency: 8 }, events, send);
    reportFigures('malformed events', { events: statuses.length, errors: errors.length });
  }, TIMEOUT_MS);
  afterAll(() => setup.close());

  it('respond to each with a status below 500, as the OpenAPI document describes it', () => {
    expect(errors).toEqual([]);
    expect(statuses).toHaveLength(EVENTS);
  });

  it('admit most of them', () => {
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(EVENTS / 2);
  });

  it('change no prototype', () => {
    expect(prototypeNames()).toEqual(before);
  });
});
