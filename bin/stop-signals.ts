interface StopActions {
  /** Called once, on the first request to stop. */
  readonly stop: () => unknown;
  /** Called when a later signal repeats the request. */
  readonly stopNow: () => unknown;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Milliseconds during which further signals count as the same request. Under npm one Ctrl-C arrives twice: the
 * terminal sends it to both processes, and npm forwards its own.
 */
const SAME_REQUEST_MS = 1_000;

/** Creates the listener of all stop signals. `now` returns milliseconds. */
export const stopListener = ({ stop, stopNow }: StopActions, now: () => number): (() => void) => {
  let firstAt: number | undefined;
  return () => {
    if (firstAt === undefined) {
      firstAt = now();
      stop();
    } else if (now() - firstAt >= SAME_REQUEST_MS) stopNow();
  };
};

export const onStopSignal = (actions: StopActions): void => {
  const listener = stopListener(actions, () => performance.now());
  for (const signal of SIGNALS) process.on(signal, listener);
};
