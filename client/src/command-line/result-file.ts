import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { CannotRun } from './failure.ts';
import { lock } from './lock.ts';
import { assertWritable, OWNER_ONLY, writing } from './output-file.ts';
import type { Counts } from './summary.ts';

/** The source of a result. A result is continued only with the same source. */
export interface ResultSource {
  readonly input: BigIntStats;
  /** Hash of the input's content and the arguments. */
  readonly identity: string;
  readonly baseUrl: string;
}

/** Rows that are done, including those of earlier runs. */
export interface Progress {
  readonly rows: number;
  readonly counts: Counts;
}

/** Stored progress, from which the same command continues after it was stopped or killed. */
interface State extends Progress {
  readonly identity: string;
  readonly baseUrl: string;
  /** Valid bytes of the unfinished result. Bytes after them were written after the last state. */
  readonly bytes: number;
}

/** Undefined on Windows. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

const readState = async (path: string, part: string): Promise<State | undefined> => {
  try {
    const flag = constants.O_RDONLY | NO_FOLLOW;
    const state = JSON.parse(await readFile(path, { encoding: 'utf8', flag })) as State;
    // Earlier versions stored no address or no counts.
    return state.baseUrl && state.counts && (await stat(part)).size >= state.bytes ? state : undefined;
  } catch {
    return undefined;
  }
};

/** Opens the result, which is in `PATH.part` until it is complete. Continues an unfinished one of the same source. @throws CannotRun */
export const openResult = async (path: string, { input, identity, baseUrl }: ResultSource) => {
  const [part, statePath, newState] = [`${path}.part`, `${path}.part.json`, `${path}.part.json.new`];
  for (const one of [path, part, statePath, newState]) await assertWritable(one, input);
  const unlock = await writing(path, () => lock(path));
  let state: State = { identity, baseUrl, rows: 0, counts: {}, bytes: 0 };
  const openPart = async (): Promise<FileHandle> => {
    const stored = await readState(statePath, part);
    if (stored?.identity === identity) {
      if (stored.baseUrl !== baseUrl) {
        throw new CannotRun(
          `${part} has answers from ${stored.baseUrl}: use that address again, or delete ${part} to begin again.`,
        );
      }
      state = stored;
      const file = await open(part, constants.O_RDWR | NO_FOLLOW);
      await file.truncate(state.bytes);
      return file;
    }
    await rm(part, { force: true });
    return open(part, 'wx', OWNER_ONLY);
  };
  const file = await writing(path, openPart).catch(async (error) => {
    await unlock();
    throw error;
  });

  return {
    /** Where the rows are until the result is complete. */
    part,
    isNew: state.bytes === 0,
    progress: (): Progress => state,
    /** Appends a text, after which the progress is this. */
    append: (text: string, { rows, counts }: Progress): Promise<void> =>
      writing(path, async () => {
        let rest = Buffer.from(text);
        let { bytes } = state;
        // A write may be short. If the disk is full, the next one fails.
        while (rest.length > 0) {
          const { bytesWritten } = await file.write(rest, 0, rest.length, bytes);
          rest = rest.subarray(bytesWritten);
          bytes += bytesWritten;
        }
        // A state counts only bytes that are on the disk.
        await file.datasync();
        const next = { identity, baseUrl, rows, counts, bytes };
        await rm(newState, { force: true });
        await writeFile(newState, JSON.stringify(next), { flag: 'wx', mode: OWNER_ONLY });
        // A rename is atomic: the state is never half written.
        await rename(newState, statePath);
        state = next;
      }),
    close: async (): Promise<void> => {
      await file.close();
      await unlock();
    },
    /** Renames the complete result to `PATH` and deletes the state. */
    finish: (): Promise<void> =>
      writing(path, async () => {
        await file.sync();
        // Windows cannot rename an open file.
        await file.close();
        await rename(part, path);
        await rm(statePath, { force: true });
      }),
  };
};
