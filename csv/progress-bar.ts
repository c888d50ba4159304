/** Maximum width of the bar in characters. */
const MAX_WIDTH = 24;
const MIN_WIDTH = 8;

const timeLeft = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;

/** The part of standard error that the bar uses. */
interface Terminal {
  readonly isTTY: boolean;
  /** Characters in a line. */
  readonly columns?: number | undefined;
  readonly write: (text: string) => unknown;
}

/** A progress bar in one line of a terminal; writes nothing to other streams. */
export const progressBar = (stream: Terminal) => {
  let share = 0;
  let counts = '';
  let start: { readonly at: number; readonly done: number } | undefined;
  const draw = (activity: string): void => {
    if (!stream.isTTY) return;
    // A line as wide as the terminal would wrap.
    const columns = (stream.columns || 80) - 1;
    const text = `${Math.floor(share * 100)} %${activity && `, ${activity}`}${counts && `: ${counts}`}`;
    const width = Math.min(MAX_WIDTH, columns - text.length - 1);
    const filled = Math.round(width * share);
    const bar = width < MIN_WIDTH ? '' : `${'█'.repeat(filled)}${'░'.repeat(width - filled)} `;
    const line = text.length > columns ? `${text.slice(0, columns - 1)}…` : bar + text;
    stream.write(`\r${line}\x1b[K`);
  };
  return {
    /** Shows how much of a total is done, with counts in words. */
    show: (done: number, total: number, text: string): void => {
      start ??= { at: performance.now(), done };
      share = done / Math.max(1, total);
      counts = text;
      const seconds = ((performance.now() - start.at) / 1_000 / Math.max(1, done - start.done)) * (total - done);
      draw(done > start.done && done < total ? `${timeLeft(seconds)} left` : '');
    },
    /** Shows that the command waits for the rate limit. */
    showWait: (until: Date): void => draw(`waiting for the limit until ${until.toLocaleTimeString('en-GB')}`),
    clear: (): void => {
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
};

export type ProgressBar = ReturnType<typeof progressBar>;
