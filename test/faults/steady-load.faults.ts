import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bySize, reportFigures, TIMEOUT_MS } from './size.ts';
import { type Memory, startSteadyLoadApi } from './steady-load/api.ts';
import { type RequestKind, requestKinds } from './steady-load/request-kinds.ts';

const SEED = 3_107;
const MAX_GROWTH = 0.1;
/** Items created before the load, so that a deletion finds one even when creations take half a minute. */
const CREATED_BEFORE = 200;
/** Hundreds of requests sent at once before the load, so that memory has room for the most concurrent requests. */
const BURST = 10;

/** Requests per second, and the parts of the time whose memory is compared; before them code is still being compiled. */
const { rate, seconds, memoryEvery, start, end } = bySize(
  { rate: 100, seconds: 20, memoryEvery: 1, start: [0.3, 0.6], end: [0.7, 1] },
  { rate: 200, seconds: 240, memoryEvery: 2, start: [0.1, 0.2], end: [0.9, 1] },
);

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN;

describe(`${rate} requests a second to all endpoints for ${seconds} s`, () => {
  const now = new Date();
  const kinds = requestKinds(now);
  let api: Awaited<ReturnType<typeof startSteadyLoadApi>>;
  let outcomes: readonly string[];
  let memory: readonly Memory[];

  /** So many hundreds of requests, each kind as often as its share in each of them. */
  const inRandomOrder = (hundreds: number): readonly RequestKind[] => {
    const hundred = kinds.flatMap((kind) => Array.from({ length: kind.share }, () => kind));
    const whole = fc.shuffledSubarray(hundred, { minLength: hundred.length, maxLength: hundred.length });
    return fc.sample(whole, { seed: SEED, numRuns: hundreds }).flat();
  };

  /** Requests leave at their time, whether or not earlier ones have been answered. */
  const sendSteadily = async () => {
    const began = performance.now();
    const answers: Promise<string>[] = [];
    const measured: Promise<Memory>[] = [];
    for (const [nth, kind] of inRandomOrder((rate * seconds) / 100).entries()) {
      const early = began + (nth * 1_000) / rate - performance.now();
      if (early > 0) await setTimeout(early);
      if (nth % (rate * memoryEvery) === 0) measured.push(api.memory());
      answers.push(api.send(kind, nth));
    }
    memory = await Promise.all(measured);
    return Promise.all(answers);
  };

  const growthOf = (part: keyof Memory): number => {
    const medianIn = ([from = 0, to = 0]: readonly number[]) =>
      median(memory.slice(Math.floor(memory.length * from), Math.ceil(memory.length * to)).map((at) => at[part]));
    return medianIn(end) / medianIn(start) - 1;
  };

  beforeAll(async () => {
    api = await startSteadyLoadApi(now);
    const create = kinds.filter(({ name }) => name === 'create');
    for (let nth = 0; nth < CREATED_BEFORE; nth += 1) await Promise.all(create.map((kind) => api.send(kind, nth)));
    const burst = await Promise.all(inRandomOrder(BURST).map(api.send));
    outcomes = [...burst, ...(await sendSteadily())];
    reportFigures('steady load', { requests: outcomes.length, heap: growthOf('heap'), resident: growthOf('resident') });
  }, TIMEOUT_MS);
  afterAll(() => api.stop());

  it('each get the expected status', () => {
    const right = kinds.map(({ name, status }) => `${name}: ${status}`);
    expect(outcomes).toHaveLength(BURST * 100 + rate * seconds);
    expect(outcomes.filter((outcome) => !right.includes(outcome))).toEqual([]);
    expect(new Set(outcomes)).toEqual(new Set(right));
  });

  it.each(['heap', 'resident'] as const)('let the %s memory after a collection grow by less than 10 %%', (part) => {
    expect(memory.length).toBeGreaterThan(10);
    expect(growthOf(part)).toBeLessThan(MAX_GROWTH);
  });
});
