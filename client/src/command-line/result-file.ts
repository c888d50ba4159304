import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { CannotRun } from './failure.ts';

/** How far a run has come: enough to go on after it was stopped or killed. */
interface State {
  /** Of the input and the arguments. */
  readonly identity: string;
  readonly rows: number;
  readonly failed: number;
  /** Of the unfinished result; what is behind them was written after the last state. */
  readonly bytes: number;
}

const readState = async (path: string, part: string): Promise<State | undefined> => {
  try {
    const state = JSON.parse(await readFile(path, 'utf8')) as State;
    return (await stat(part)).size >= state.bytes ? state : undefined;
  } catch {
    return undefined;
  }
};

/** The result, in `PATH.part` until it is complete. Another run of the same identity continues where the last one ended. */
export const openResult = async (path: string, identity: string) => {
  const [part, statePath] = [`${path}.part`, `${path}.part.json`];
  const folder = await stat(path).catch(() => undefined);
  if (folder?.isDirectory()) throw new CannotRun(`${path} is a folder.`);
  const stored = await readState(statePath, part);
  let state: State = stored?.identity === identity ? stored : { identity, rows: 0, failed: 0, bytes: 0 };
  let file: FileHandle;
  try {
    file = await open(part, state.bytes > 0 ? 'r+' : 'w');
    await file.truncate(state.bytes);
  } catch (error) {
    throw new CannotRun(`${part} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  }

  return {
    isNew: state.bytes === 0,
    /** Rows that are done, those of earlier runs included. */
    progress: (): Pick<State, 'rows' | 'failed'> => state,
    /** Adds the text of some rows; `failed` of them have no answer. */
    append: async (text: string, rows: number, failed: number): Promise<void> => {
      const { bytesWritten } = await file.write(text, state.bytes);
      state = { identity, rows: state.rows + rows, failed: state.failed + failed, bytes: state.bytes + bytesWritten };
      // Renamed so that a state is old or new, never half written.
      await writeFile(`${statePath}.new`, JSON.stringify(state));
      await rename(`${statePath}.new`, statePath);
    },
    close: () => file.close(),
    /** The result is complete. */
    finish: async (): Promise<void> => {
      await file.sync();
      // Windows renames no open file.
      await file.close();
      await rename(part, path);
      await rm(statePath, { force: true });
    },
  };
};
