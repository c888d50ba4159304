/** One section in a process of its own: tells its parent how far it has come and, at the end, what it found. */
import type { Outcome, Progress, Run } from './report.ts';

/** What a section's process sends. */
export type Message = { readonly progress: Parameters<Progress> } | { readonly outcome: Outcome };

/** Milliseconds between two reports of progress. */
const REPORT_EVERY_MS = 200;

const send = (message: Message, sent?: () => void): void => void process.send?.(message, undefined, undefined, sent);

const sparing = (): Progress => {
  let last = 0;
  return (...progress) => {
    if (performance.now() - last < REPORT_EVERY_MS) return;
    last = performance.now();
    send({ progress });
  };
};

const [module = '', size = ''] = process.argv.slice(2);
process.on('disconnect', () => process.exit(1));
const { default: run } = (await import(module)) as { default: Run };
const outcome = await run(sparing(), size);
send({ outcome }, () => process.exit(0));
