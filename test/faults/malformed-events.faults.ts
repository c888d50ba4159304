import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pLimit from 'p-limit';
import * as T from 'typebox';
import { Value } from 'typebox/value';
import { endpoints } from '../../functions/endpoints/table.ts';
import { bundleFunctions } from '../../lib/cloud/bundles.ts';
import { contentExport } from '../../lib/content-maintenance/content-export.ts';
import { type FunctionId, importFileOf } from '../../lib/endpoint-files.ts';
import { fillDomain } from '../support/content.ts';
import { requireContract } from '../support/contract.ts';
import { prepareEngine } from '../support/prepared-engine.ts';
import { steppingClock } from '../support/stepping-clock.ts';
import { type MalformedEvent, malformedEvents } from './malformed-events.ts';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';

const EVENTS = bySize(1_200, 20_000);
const SEED = 6_001;
/** Every so many events one goes to the deployed bundles instead of the sources. */
const BUNDLE_SHARE = 5;
/** Values made at a time, and how many of them are sent at once: few, so that they follow what the service has stored meanwhile. */
const CHUNK = 250;
const CONCURRENCY = 8;
/** Fewer than any plan allows, so that no request is rate limited. */
const REQUESTS_PER_WINDOW = 50;
const ITEMS = 300;
/** How often the key that is admitted everywhere is among the choices. */
const ADMITTED_KEYS = 14;
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
  let end: () => void;

  beforeAll(async () => {
    const { db, names, key, newKey, close } = await prepareEngine();
    end = close;
    await fillDomain(db, names.content, 'fuzz.example', ITEMS);
    const records = [{ plan: 'free' }, { scopes: ['vehicles:read'] }, { expires: '2020-01-01' }] as const;
    const keys = Array<string>(ADMITTED_KEYS).fill(key);
    for (const record of records) keys.push((await newKey(record)).key);
    const ids = (await Array.fromAsync(contentExport(db, names.content).items())).map(({ id }) => id);
    const { sources, bundles } = await loadHandlers();
    const send = async ({ call, json }: MalformedEvent, index: number): Promise<void> => {
      try {
        const handler = (index % BUNDLE_SHARE === 0 ? bundles : sources)[call.endpoint];
        const result = await handler(JSON.parse(json), CONTEXTS[index % CONTEXTS.length]);
        const { statusCode, body } = requireAnswer(result, call);
        // A new item replaces the oldest one.
        if (statusCode === 201) {
          ids.shift();
          ids.push(JSON.parse(body).id);
        }
        statuses.push(statusCode);
      } catch (error) {
        errors.push(`${call.endpoint}, event ${index}: ${String(error)} ${json.slice(0, 2_000)}`);
      }
    };
    const clock = steppingClock(REQUESTS_PER_WINDOW);
    const turn = pLimit(CONCURRENCY);
    for (let made = 0; made < EVENTS; made += CHUNK) {
      const numRuns = Math.min(CHUNK, EVENTS - made);
      const events = fc.sample(malformedEvents(ids, keys, clock), { numRuns, seed: SEED + made });
      await Promise.all(events.map((event, nth) => turn(send, event, made + nth)));
    }
    reportFigures('malformed events', { events: statuses.length, errors: errors.length });
  }, TIMEOUT_MS);
  afterAll(() => end());

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
