const WINDOW_MS = 60_000;

/** A clock that opens a new window after so many requests, so that the limit is not what answers. */
export const steppingClock = (requestsPerWindow: number) => {
  let asked = 0;
  return (): number => {
    asked += 1;
    return Date.now() + Math.floor(asked / requestsPerWindow) * WINDOW_MS;
  };
};
