import type { WriteStream } from 'node:tty';

const WIDTH = 24;
const count = (value: number): string => value.toLocaleString('en-GB');

const timeLeft = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;

/** A progress bar of rows on a terminal; writes nothing to other streams. */
export const progressBar = (stream: WriteStream, total: number, start: number) => {
  const startedAt = performance.now();
  return {
    show: (rows: number, failed: number): void => {
      if (!stream.isTTY) return;
      const filled = Math.round((WIDTH * rows) / Math.max(1, total));
      const seconds = ((performance.now() - startedAt) / 1_000 / Math.max(1, rows - start)) * (total - rows);
      const left = rows > start && rows < total ? `, ${timeLeft(seconds)} left` : '';
      const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
      stream.write(`\r${bar} ${count(rows)} of ${count(total)} rows, ${count(failed)} failed${left}\x1b[K`);
    },
    clear: (): void => {
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
};
