import { progressBar } from '../../csv/progress-bar.ts';
import type { AdminContext } from './context.ts';
import { formatNumber } from './format.ts';

type Terminal = Pick<AdminContext, 'stderr' | 'showsProgress'>;

/** Shows how many entries are read, without a total, on standard error. Shows nothing unless that is a terminal. */
export const showCount = ({ stderr, showsProgress }: Terminal, noun: string) => {
  const write = (text: string): void => void (showsProgress && stderr.write(text));
  return { update: (count: number) => write(`\r${formatNumber(count)} ${noun} read`), stop: () => write('\n') };
};

/** A progress bar with rows, rate, rejections and time left. Only a terminal shows it. */
export const showProgress = ({ stderr, showsProgress }: Terminal, noun: string, total: number) => {
  const { columns } = stderr as { readonly columns?: number };
  const isTTY = showsProgress && total > 0;
  const bar = progressBar({ isTTY, columns, write: (text) => stderr.write(text) });
  const started = performance.now();
  return {
    update: (done: number, rows: number, rejected = 0): void => {
      const rate = (rows * 1_000) / Math.max(1, performance.now() - started);
      const counts = `${formatNumber(rows)} rows, ${formatNumber(rate)}/s, ${formatNumber(rejected)} rejected`;
      bar.show(done, total, `${noun}, ${counts}`);
    },
    stop: bar.clear,
  };
};
