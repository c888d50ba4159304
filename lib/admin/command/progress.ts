import { Presets, SingleBar } from 'cli-progress';
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

/** A progress bar with rows, rate, rejections and time left, on standard error; nothing unless that is a terminal. */
export const showProgress = ({ stderr, showsProgress }: Terminal, noun: string, total: number): Progress => {
  if (!showsProgress || total === 0) return SILENT;
  const bar = new SingleBar(
    {
      format: `${noun} {bar} {percentage} %  {rows} rows, {rate}/s, {rejected} rejected, {eta_formatted} left`,
      stream: stderr,
      barsize: 20,
      // The library cuts the line off, and does not change a mode of the terminal that a killed process would leave.
      linewrap: true,
      // After Ctrl-C the writes in flight are finished: the bar stays until then.
      gracefulExit: false,
    },
    Presets.shades_classic,
  );
  const started = performance.now();
  bar.start(total, 0, { rows: '0', rate: '0', rejected: '0' });
  return {
    update: (done, { rows, rejected = 0 }) => {
      const rate = (rows * 1_000) / Math.max(1, performance.now() - started);
      bar.update(done, { rows: formatNumber(rows), rate: formatNumber(rate), rejected: formatNumber(rejected) });
    },
    stop: () => bar.stop(),
  };
};
