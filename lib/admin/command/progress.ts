import type { AdminContext } from './context.ts';
import { formatNumber } from './format.ts';

/** Shows the progress of a command, in bytes of a file or in items. */
export interface Progress {
  readonly update: (done: number, counts: { readonly rows: number; readonly rejected?: number }) => void;
  readonly stop: () => void;
}

type Terminal = Pick<AdminContext, 'stderr' | 'showsProgress'>;

/** Shows how many entries are read, without a total, on standard error; nothing unless that is a terminal. */
export const showCount = ({ stderr, showsProgress }: Terminal, noun: string) => {
  const write = (text: string): void => void (showsProgress && stderr.write(text));
  return { update: (count: number) => write(`\r${formatNumber(count)} ${noun} read`), stop: () => write('\n') };
};

const SILENT: Progress = { update: () => undefined, stop: () => undefined };

/** Shows how far a command is, with the time left, on standard error; nothing unless that is a terminal. */
export const showProgress = ({ stderr, showsProgress }: Terminal, noun: string, total: number): Progress => {
  if (!showsProgress || total === 0) return SILENT;
  const started = performance.now();
  return {
    update: (done, { rows, rejected = 0 }) => {
      const seconds = ((performance.now() - started) / 1_000 / Math.max(1, done)) * (total - done);
      const counts = `${formatNumber(rows)} rows, ${formatNumber(rejected)} rejected, ${formatNumber(seconds)} s left`;
      // The rest of a longer line is erased.
      stderr.write(`\r${noun} ${Math.floor((100 * done) / total)} %  ${counts}\u001b[K`);
    },
    stop: () => void stderr.write('\n'),
  };
};
