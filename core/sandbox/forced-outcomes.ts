/** Registrations for which the sandbox forces an outcome that is otherwise hard to provoke (docs/contract.md#sandbox). */
import { type ApiError, forcedError } from '../problems.ts';

/** The error of each, by normalised registration. In a bulk request its entry is `LOOKUP_UNAVAILABLE`. */
export const FORCED_OUTCOMES = { ER19THR: 'RATE_LIMITED', ER19ERR: 'INTERNAL_ERROR' } as const;

/** Whether the outcome of a normalised registration is forced. */
export const isForced = (registration: string): registration is keyof typeof FORCED_OUTCOMES =>
  Object.hasOwn(FORCED_OUTCOMES, registration);

/** The forced error of a normalised registration; undefined when there is none. */
export const forcedErrorOf = (registration: string): ApiError | undefined =>
  isForced(registration) ? forcedError(FORCED_OUTCOMES[registration]) : undefined;
