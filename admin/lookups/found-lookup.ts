import type { AnswerLetter } from '../../core/lookup-log.ts';

/** A line of the log that says that somebody has looked the vehicle up. */
export interface FoundLookup {
  /** When the line was written, ISO 8601 UTC. */
  readonly time: string;
  readonly keyId: string;
  readonly answer: AnswerLetter;
  readonly endpoint: string;
  readonly requestId: string;
  readonly reference: string | undefined;
  /** The day of the answer when it is another one than that of the lookup. */
  readonly asOf: string | undefined;
}

/** What is searched for. */
export interface Search {
  readonly registration: string;
  /** The first instant and the one after the last. */
  readonly from: Date;
  readonly end: Date;
  readonly reference: string | undefined;
  readonly secretOf: (month: string) => Promise<Buffer>;
}

/**
 * Milliseconds by which a line may be written after the time of its request, by which its month is chosen: the time
 * limit of a function.
 */
export const MAX_DELAY_MS = 10_000;
