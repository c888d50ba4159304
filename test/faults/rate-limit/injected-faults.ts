/** Faults of the tables of keys and counters. */
import type { Fault } from '../../support/fault-proxy.ts';

/** Within the SDK's timeout. */
const SLOW_MS = 400;
/** Beyond the SDK's timeout (`functions/dynamodb/database.ts`). */
const LATE_MS = 1_500;

interface InjectedFault {
  readonly name: string;
  readonly fault: Fault;
  /** Whether the engine applies the request. */
  readonly applied: boolean;
  /** Whether the engine's response arrives. */
  readonly answered: boolean;
}

/** Every fault of a request for one item. */
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

/** Undefined when nothing was injected. */
export const injectedFault = (fault: Fault | undefined): InjectedFault | undefined =>
  INJECTED.find((injected) => injected.fault === fault);
