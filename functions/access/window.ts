/** Length of a rate limit window in seconds; windows start on the Unix minute (contract.md "Keys and plans"). */
export const WINDOW_SECONDS = 60;

/** A rate limit window in Unix seconds: `start` inclusive, `end` exclusive. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

export const windowAt = (instant: Date): Window => {
  const start = Math.floor(instant.getTime() / 1_000 / WINDOW_SECONDS) * WINDOW_SECONDS;
  return { start, end: start + WINDOW_SECONDS };
};
