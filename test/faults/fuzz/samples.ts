import fc from 'fast-check';

/** Values made at a time: enough to be quick, few enough to be held. */
const CHUNK = 250;

/**
 * `count` values of an arbitrary, the same for the same seed. The arbitrary is asked for anew now and then, so that it can
 * follow what the service has stored meanwhile.
 */
export function* samples<T>(arbitrary: () => fc.Arbitrary<T>, count: number, seed: number): Generator<T> {
  for (let made = 0; made < count; made += CHUNK) {
    yield* fc.sample(arbitrary(), { numRuns: Math.min(CHUNK, count - made), seed: seed + made });
  }
}
