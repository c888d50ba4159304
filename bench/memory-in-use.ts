/** Loaded into a forked process before its program, with --expose-gc: reports its memory in use, in MB, to its parent. */

const REPORT_EVERY_MS = 1_000;

setInterval(() => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.((heapUsed + external) / 1_048_576);
}, REPORT_EVERY_MS).unref();
