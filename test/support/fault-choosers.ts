/** Which database request fails, and how: choosers for a fault proxy's `inject`, to be combined. */
import type { DatabaseCall, Fault } from './fault-proxy.ts';

export type ChooseFault = (call: DatabaseCall) => Fault | undefined;

export const always =
  (fault: Fault): ChooseFault =>
  () =>
    fault;

/** Only requests of one operation (`GetItem`, `TransactWriteItems` …) reach `choose`. */
export const forOperation =
  (operation: string, choose: ChooseFault): ChooseFault =>
  (call) =>
    call.operation === operation ? choose(call) : undefined;

/** Only requests that name this table reach `choose`. */
export const forTable =
  (table: string, choose: ChooseFault): ChooseFault =>
  (call) =>
    call.tables.includes(table) ? choose(call) : undefined;

/** The nth request, from 1, of those that reach this chooser. */
export const onNthCall = (n: number, fault: Fault): ChooseFault => {
  let reached = 0;
  return () => {
    reached += 1;
    return reached === n ? fault : undefined;
  };
};

/** Mulberry32, by Tommy Ettinger (public domain): uniform numbers of 32 bits in [0, 1), the same for the same seed. */
const seededNumbers = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** A share (0 to 1) of all requests gets one of the faults, each as often as the others; one seed, one sequence. */
export const withProbability = (share: number, faults: readonly Fault[], seed: number): ChooseFault => {
  const next = seededNumbers(seed);
  return () => {
    // Both numbers are drawn each time, so that the nth fault depends on the seed alone.
    const isHit = next() < share;
    const choice = next();
    return isHit ? faults[Math.floor(choice * faults.length)] : undefined;
  };
};
