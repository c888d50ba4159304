import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, lstat, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { CannotRun } from './failure.ts';
import { lock } from './lock.ts';

/** What a result is made from: another run continues it only with the same. */
export interface ResultSource {
  readonly input: BigIntStats;
  /** Of the input's content and the arguments. */
  readonly identity: string;
  /** The address of the service. */
  readonly baseUrl: string;
}

/** How far a run has come: enough to go on after it was stopped or killed. */
interface State {
  readonly identity: string;
  readonly baseUrl: string;
  readonly rows: number;
  readonly failed: number;
  /** Of the unfinished result; what is behind them was written after the last state. */
  readonly bytes: number;
}

/** Registrations are personal data: only the owner may read them. */
const OWNER_ONLY = 0o600;
/** Windows has no such flag. */
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

/** @throws CannotRun when a file that is to be written is the input, or no regular file */
const checkFile = async (path: string, input: BigIntStats): Promise<void> => {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined) return;
  if (found.isDirectory()) throw new CannotRun(`${path} is a folder.`);
  if (!found.isFile()) throw new CannotRun(`${path} is a link or a device, not a file: choose another --out.`);
  // A file can have several names.
  if (found.dev === input.dev && found.ino === input.ino) {
    throw new CannotRun('The result would overwrite the input: choose another --out.');
  }
};

/** The result, in `PATH.part` until it is complete. Another run with the same source continues where the last one ended. */
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
          `${part} has answers of ${stored.baseUrl}: use that address again, or delete ${part} to begin again.`,
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
    /** Rows that are done, those of earlier runs included. */
    progress: (): Pick<State, 'rows' | 'failed'> => state,
    /** Adds the text of some rows; `failed` of them have no answer. */
    append: (text: string, rows: number, failed: number): Promise<void> =>
      writing(async () => {
        let rest = Buffer.from(text);
        let { bytes } = state;
        // A write may end early; when nothing more fits, the next one fails.
        while (rest.length > 0) {
          const { bytesWritten } = await file.write(rest, 0, rest.length, bytes);
          rest = rest.subarray(bytesWritten);
          bytes += bytesWritten;
        }
        // A state names only what is on the disk.
        await file.datasync();
        const next = { ...state, rows: state.rows + rows, failed: state.failed + failed, bytes };
        await rm(newState, { force: true });
        await writeFile(newState, JSON.stringify(next), { flag: 'wx', mode: OWNER_ONLY });
        // Renamed so that a state is old or new, never half written.
        await rename(newState, statePath);
        state = next;
      }),
    close: async (): Promise<void> => {
      await file.close();
      await unlock();
    },
    /** The result is complete. */
    finish: (): Promise<void> =>
      writing(async () => {
        await file.sync();
        // Windows renames no open file.
        await file.close();
        await rename(part, path);
        await rm(statePath, { force: true });
      }),
  };
};
