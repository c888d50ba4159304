import type { LondonDate } from '../../core/runtime/clock.ts';
import { hasUkFormat } from '../../core/vehicles/suggestion.ts';

/**
 * The outcome of a valid record. `kept`: the stored one is as new. `notThere`: none is stored. `erased`: the vehicle is
 * erased, by this command or before.
 */
export type RecordOutcome = 'loaded' | 'unchanged' | 'kept' | 'removed' | 'notThere' | 'erased';

/** Counts of one run: records by outcome, and rows. */
export interface Counts extends Record<RecordOutcome, number> {
  /** Rows of the file that the run has reached. */
  read: number;
  rejected: number;
  /** Rows that say what an earlier one says. */
  repeated: number;
  /** Registrations loaded that have no known UK format. */
  unknownFormat: number;
  /** The first of them in the file, in its order. */
  unknownFormats: readonly { readonly line: number; readonly registration: string }[];
}

export const noCounts = (): Counts => ({
  read: 0,
  rejected: 0,
  repeated: 0,
  loaded: 0,
  unchanged: 0,
  kept: 0,
  removed: 0,
  notThere: 0,
  erased: 0,
  unknownFormat: 0,
  unknownFormats: [],
});

/** Registrations shown of an unknown format. */
export const MAX_EXAMPLES = 3;

/** Counts a registration of the file that is often a mistake, such as `TBC` for a vehicle that has none yet. */
export const countFormat = (counts: Counts, line: number, registration: string, today: LondonDate): void => {
  if (hasUkFormat(registration, today)) return;
  counts.unknownFormat += 1;
  const found = [...counts.unknownFormats, { line, registration }].toSorted((a, b) => a.line - b.line);
  counts.unknownFormats = found.slice(0, MAX_EXAMPLES);
};
