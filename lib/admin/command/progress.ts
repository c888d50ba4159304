import { Presets, SingleBar } from 'cli-progress';
import type { Output } from './context.ts';

/** How far an import has come, for whoever watches. */
export interface Progress {
  /** Bytes of the file that have been read. */
  readonly read: (bytes: number) => void;
  readonly stop: () => void;
}

const SILENT: Progress = { read: () => undefined, stop: () => undefined };

/** A bar on a terminal, over the bytes of the file; nothing where nobody watches. */
export const showProgress = (stderr: Output, noun: string, fileBytes: number): Progress => {
  if (!stderr.isTTY || fileBytes === 0) return SILENT;
  const format = `${noun} {bar} {percentage} %  {duration_formatted}, {eta_formatted} left`;
  // Ctrl-C lets what has begun finish, so the bar stays until then instead of reacting to the signal itself.
  const options = { format, stream: stderr, hideCursor: true, gracefulExit: false };
  const bar = new SingleBar(options, Presets.shades_classic);
  // However the process ends, the cursor comes back.
  const stop = () => {
    process.off('exit', stop);
    bar.stop();
  };
  process.once('exit', stop);
  bar.start(fileBytes, 0);
  return { read: (bytes) => bar.update(bytes), stop };
};
