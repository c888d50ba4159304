interface Terminal {
  readonly isTTY: boolean;
  readonly columns?: number | undefined;
  readonly write: (text: string) => unknown;
}

const timeLeft = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`;

/** The progress of a command in one line of a terminal; writes nothing to other streams. */
export const progressLine = (stream: Terminal) => {
  let [percent, counts] = ['0 %', ''];
  let start: { readonly at: number; readonly done: number } | undefined;
  const draw = (text: string): void => {
    // A line as wide as the terminal would wrap.
    const width = (stream.columns || 80) - 1;
    if (stream.isTTY) stream.write(`\r${text.length > width ? `${text.slice(0, width - 1)}…` : text}\x1b[K`);
  };
  return {
    show: (done: number, total: number, text: string): void => {
      start ??= { at: performance.now(), done };
      percent = `${Math.floor((100 * done) / Math.max(1, total))} %`;
      counts = text && `: ${text}`;
      const seconds = ((performance.now() - start.at) / 1_000 / Math.max(1, done - start.done)) * (total - done);
      draw(`${percent}${done > start.done && done < total ? `, ${timeLeft(seconds)} left` : ''}${counts}`);
    },
    showWait: (until: Date): void =>
      draw(`${percent}, waiting for the limit until ${until.toLocaleTimeString('en-GB')}${counts}`),
    clear: (): void => draw(''),
  };
};

export type ProgressLine = ReturnType<typeof progressLine>;
