import { Presets, SingleBar } from 'cli-progress';
import type { Output } from './context.ts';

/** The progress bar of an import. */
export interface Progress {
  /** Bytes of the file that have been read. */
  readonly read: (bytes: number) => void;
  readonly stop: () => void;
}

const SILENT: Progress = { read: () => undefined, stop: () => undefined };

/** A progress bar over the bytes of the file; nothing unless standard error is a terminal. */
export const showProgress = (stderr: Output, noun: string, fileBytes: number): Progress => {
  if (!stderr.isTTY || fileBytes === 0) return SILENT;
  const format = `${noun} {bar} {percentage} %  {duration_formatted}, {eta_formatted} left`;
  // After Ctrl-C the writes in flight are finished: the bar stays until then.
  const options = { format, stream: stderr, hideCursor: true, gracefulExit: false };
  const bar = new SingleBar(options, Presets.shades_classic);
  // Shows the cursor again however the process ends.
  const stop = () => {
    process.off('exit', stop);
    bar.stop();
  };
  process.once('exit', stop);
  bar.start(fileBytes, 0);
  return { read: (bytes) => bar.update(bytes), stop };
};
