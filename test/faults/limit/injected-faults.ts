/** What goes wrong with keys and counters in the proof of the limit. */
import type { Fault } from '../../support/fault-proxy.ts';

/** An answer that is slow, yet in time. */
const SLOW_MS = 400;
/** Longer than the SDK waits for one answer (`functions/dynamodb/database.ts`). */
const LATE_MS = 1_500;

interface InjectedFault {
  readonly name: string;
  readonly fault: Fault;
  /** Whether the engine does what it is asked. */
  readonly applied: boolean;
  /** Whether the engine's answer arrives. */
  readonly answered: boolean;
}

/** Every fault that one request for one item can meet. */
export const INJECTED: readonly InjectedFault[] = [
  { name: 'throttled', fault: 'throttle', applied: false, answered: false },
  { name: 'error before applying', fault: 'error', applied: false, answered: false },
  { name: 'no answer at all', fault: 'hang', applied: false, answered: false },
  { name: 'connection reset before applying', fault: 'resetBefore', applied: false, answered: false },
  { name: 'connection reset after applying', fault: 'resetAfter', applied: true, answered: false },
  { name: 'error after applying', fault: 'errorAfter', applied: true, answered: false },
  { name: 'truncated answer', fault: 'truncate', applied: true, answered: false },
  { name: `answer after ${LATE_MS} ms, too late`, fault: { slowMs: LATE_MS }, applied: true, answered: false },
  { name: `answer after ${SLOW_MS} ms, in time`, fault: { slowMs: SLOW_MS }, applied: true, answered: true },
];

/** What a recorded fault is; undefined when nothing was injected. */
export const injectedFault = (fault: Fault | undefined): InjectedFault | undefined =>
  INJECTED.find((injected) => injected.fault === fault);
