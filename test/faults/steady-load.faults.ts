import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';
import { type Answered, type SteadyLoadApi, startSteadyLoadApi } from './steady-load/api.ts';
import type { Memory } from './steady-load/measured-gateway.ts';
import { inRandomOrder } from './steady-load/request-mix.ts';

const SEED = 3_107;
const MAX_GROWTH = 0.1;
/** Items created before the load, so that a deletion finds one even when creations take half a minute. */
const CREATED_BEFORE = 200;
/** Hundreds of requests sent at once before the load, so that memory has room for the most concurrent requests. */
const BURST = 10;

/** Requests per second, and the parts of the time whose memory is compared; before them code is still being compiled. */
const { rate, seconds, memoryEvery, start, end } = bySize(
  { rate: 100, seconds: 40, memoryEvery: 2, start: [0.3, 0.6], end: [0.7, 1] },
  { rate: 200, seconds: 600, memoryEvery: 5, start: [0.1, 0.2], end: [0.9, 1] },
);

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

const medianOf = (memory: readonly Memory[], part: keyof Memory, [from = 0, to = 0]: readonly number[]): number =>
  median(memory.slice(Math.floor(memory.length * from), Math.ceil(memory.length * to)).map((look) => look[part]));

const warmUp = async ({ kinds, send }: SteadyLoadApi): Promise<Answered[]> => {
  const create = kinds.filter(({ name }) => name === 'create');
  for (let nth = 0; nth < CREATED_BEFORE; nth += 1) await Promise.all(create.map((kind) => send(kind, nth)));
  return Promise.all(inRandomOrder(kinds, BURST, SEED).map(send));
};

/** Requests leave at their time, whether or not earlier ones have been answered. */
const sendSteadily = async (api: SteadyLoadApi) => {
  const began = performance.now();
  const answers: Promise<Answered>[] = [];
  const memory: Promise<Memory>[] = [];
  for (const [nth, kind] of inRandomOrder(api.kinds, (rate * seconds) / 100, SEED).entries()) {
    const early = began + (nth * 1_000) / rate - performance.now();
    if (early > 0) await setTimeout(early);
    if (nth % (rate * memoryEvery) === 0) memory.push(api.memory());
    answers.push(api.send(kind, nth));
  }
  return { answers: await Promise.all(answers), memory: await Promise.all(memory) };
};

describe(`${rate} requests a second to all endpoints for ${seconds} s`, () => {
  let api: SteadyLoadApi;
  let answers: readonly Answered[];
  let memory: readonly Memory[];
  const growthOf = (part: keyof Memory) => medianOf(memory, part, end) / medianOf(memory, part, start) - 1;

  beforeAll(async () => {
    api = await startSteadyLoadApi();
    const burst = await warmUp(api);
    const load = await sendSteadily(api);
    answers = [...burst, ...load.answers];
    memory = load.memory;
    reportFigures('steady load', { requests: answers.length, heap: growthOf('heap'), resident: growthOf('resident') });
  }, TIMEOUT_MS);
  afterAll(() => api.stop());

  it('each get the one status that is right', () => {
    expect(answers).toHaveLength(BURST * 100 + rate * seconds);
    const wrong = answers.filter(({ kind, outcome }) => outcome !== String(kind.status));
    expect(wrong.map(({ kind, outcome }) => `${kind.name}: ${outcome}`)).toEqual([]);
  });

  it.each(['heap', 'resident'] as const)('let the %s memory after a collection grow by less than 10 %%', (part) => {
    expect(memory.length).toBeGreaterThan(10);
    expect(growthOf(part)).toBeLessThan(MAX_GROWTH);
  });
});
