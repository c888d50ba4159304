/** Which database request fails, and how: choosers for a fault proxy's `inject`, to be combined. */
import { hash } from 'node:crypto';
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

/** A uniform number in [0, 1), the same for the same seed and place. */
const randomAt = (seed: number, nth: number): number =>
  Number.parseInt(hash('sha256', `${seed} ${nth}`).slice(0, 12), 16) / 2 ** 48;

/** A share (0 to 1) of all requests gets one of the faults, each as often as the others; one seed, one sequence. */
export const withProbability = (share: number, faults: readonly Fault[], seed: number): ChooseFault => {
  let calls = 0;
  return () => {
    calls += 1;
    const random = randomAt(seed, calls);
    return random < share ? faults[Math.floor((random / share) * faults.length)] : undefined;
  };
};
