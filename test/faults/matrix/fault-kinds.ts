import { FAULTS, faultName } from '../../support/fault-choosers.ts';
import type { Fault } from '../../support/fault-proxy.ts';

/** Milliseconds that are over what the service waits for one answer (1 s), though the request is applied. */
const TOO_SLOW_MS = 1_500;

const isHidden = (fault: Fault): boolean =>
  fault === 'partial' || (typeof fault === 'object' && fault.slowMs < TOO_SLOW_MS);

/** Whether the service finds out about the fault only by waiting. */
const waits = (fault: Fault): boolean =>
  ['hang', 'throttle', 'mixedCancellation'].includes(String(fault)) || typeof fault === 'object';

/** A column of the matrix. */
export interface Kind {
  readonly name: string;
  readonly fault: Fault;
  /** Whether the service lives with it for as long as it lasts. */
  readonly isHidden: boolean;
  readonly waits: boolean;
}

/** Every fault, and answers so slow that nobody waits for them. */
export const kinds: readonly Kind[] = [...FAULTS, { slowMs: TOO_SLOW_MS }].map((fault) => ({
  name: typeof fault === 'object' ? `${faultName(fault)} ${fault.slowMs} ms` : fault,
  fault,
  isHidden: isHidden(fault),
  waits: waits(fault),
}));
