import type { ProblemCode } from './problems.ts';

/** One fault in a request: where it is, and what is wrong with it. */
export type Fault =
  | { readonly pointer: string; readonly detail: string }
  | { readonly parameter: string; readonly detail: string };

/** Faults that one response names: as many as the largest bulk request has entries. */
export const MAX_NAMED_FAULTS = 1_000;

/**
 * The reason why a request cannot be served, thrown by rules and tables and answered by the middleware.
 * `message` reaches the caller as `detail`: one sentence to act on, with nothing of the inside in it.
 */
export abstract class Refusal extends Error {
  abstract readonly code: ProblemCode;
  readonly faults?: readonly Fault[];
  /** Headers that the answer to this refusal needs, for example `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}
