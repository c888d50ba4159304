import type { Outcome } from './counts.ts';

/** Why a valid record was not written. `waits`: another record of the file may make way for it. */
export interface NotWritten {
  readonly reason: string;
  readonly waits: boolean;
}

/** How records are written. */
export interface Writing<ImportRecord> {
  /** Batches at a time. */
  readonly concurrency: number;
  /** Whether one batch can have all of these. */
  readonly fits: (records: readonly ImportRecord[]) => boolean;
  /**
   * Calls `settle` with the index and the result of each record that is done. Begins none once the run is stopped, and has none in
   * flight when it throws.
   */
  readonly write: (
    records: readonly ImportRecord[],
    isStopped: () => boolean,
    settle: (index: number, result: Outcome | NotWritten) => void,
  ) => Promise<void>;
}
