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
