import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { CannotRun } from './failure.ts';
import { lock } from './lock.ts';

/** The source of a result. A result is continued only with the same source. */
export interface ResultSource {
  readonly input: BigIntStats;
  /** Hash of the input's content and the arguments. */
  readonly identity: string;
  readonly baseUrl: string;
}

/** Stored progress, from which the same command continues after it was stopped or killed. */
interface State {
  readonly identity: string;
  readonly baseUrl: string;
  readonly rows: number;
  readonly failed: number;
  /** Valid bytes of the unfinished result. Bytes after them were written after the last state. */
  readonly bytes: number;
}

/** Registrations are personal data: only the owner may read them. */
const OWNER_ONLY = 0o600;
/** Undefined on Windows. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

const readState = async (path: string, part: string): Promise<State | undefined> => {
  try {
    const flag = constants.O_RDONLY | NO_FOLLOW;
    const state = JSON.parse(await readFile(path, { encoding: 'utf8', flag })) as State;
    // Earlier versions stored no address.
    return state.baseUrl && (await stat(part)).size >= state.bytes ? state : undefined;
  } catch {
    return undefined;
  }
};

/** @throws CannotRun when a file to be written is the input, or is not a regular file */
const checkFile = async (path: string, input: BigIntStats): Promise<void> => {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined) return;
  if (found.isDirectory()) throw new CannotRun(`${path} is a folder.`);
  if (!found.isFile()) throw new CannotRun(`${path} is a link or a device, not a file: choose another --out.`);
  // Compares inodes, because a file can have several hard links.
  if (found.dev === input.dev && found.ino === input.ino) {
    throw new CannotRun('The result would overwrite the input: choose another --out.');
  }
};

/** Opens the result, which is in `PATH.part` until it is complete. Continues an unfinished one of the same source. @throws CannotRun */
export const openResult = async (path: string, { input, identity, baseUrl }: ResultSource) => {
  const [part, statePath, newState] = [`${path}.part`, `${path}.part.json`, `${path}.part.json.new`];
  /** @throws CannotRun with the system's reason when a file cannot be written */
  const writing = async <Value>(write: () => Promise<Value>): Promise<Value> => {
    try {
      return await write();
    } catch (error) {
      if (error instanceof CannotRun) throw error;
      throw new CannotRun(`${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
    }
  };
  for (const one of [path, part, statePath, newState]) await checkFile(one, input);
  const unlock = await writing(() => lock(path));
  let state: State = { identity, baseUrl, rows: 0, failed: 0, bytes: 0 };
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
  const file = await writing(openPart).catch(async (error) => {
    await unlock();
    throw error;
  });

  return {
    isNew: state.bytes === 0,
    /** Rows that are done, including those of earlier runs. */
    progress: (): Pick<State, 'rows' | 'failed'> => state,
    /** Appends the text of `rows` rows, of which `failed` have no answer. */
    append: (text: string, rows: number, failed: number): Promise<void> =>
      writing(async () => {
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
        const next = { ...state, rows: state.rows + rows, failed: state.failed + failed, bytes };
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
      writing(async () => {
        await file.sync();
        // Windows cannot rename an open file.
        await file.close();
        await rename(part, path);
        await rm(statePath, { force: true });
      }),
  };
};
