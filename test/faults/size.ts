/** How much the fault tests do: little unless the variable `FAULT_TEST_SIZE` is `long`. */
const isLong = process.env.FAULT_TEST_SIZE === 'long';

export const bySize = <T>(small: T, long: T): T => (isLong ? long : small);

/** Milliseconds after which a test has hung, on however slow a machine. */
export const TIMEOUT_MS = bySize(1_200_000, 7_200_000);
