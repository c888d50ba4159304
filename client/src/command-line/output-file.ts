import type { BigIntStats } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { readColumnNames } from './csv-file/read-csv.ts';
import { CannotRun, reasonOf } from './failure.ts';

/** Registrations are personal data: only the owner may read them. */
export const OWNER_ONLY = 0o600;
/** Characters. */
const BUFFER_LENGTH = 65_536;

/** @throws CannotRun with the system's reason when a file cannot be written */
export const writing = async <Value>(path: string, write: () => Promise<Value>): Promise<Value> => {
  try {
    return await write();
  } catch (error) {
    if (error instanceof CannotRun) throw error;
    throw new CannotRun(`${path} cannot be written (${reasonOf(error)}).`);
  }
};

/** @throws CannotRun when a file to be written is the input, or is not a regular file */
export const assertWritable = async (path: string, input: BigIntStats): Promise<void> => {
  const found = await lstat(path, { bigint: true }).catch(() => undefined);
  if (found === undefined) return;
  if (found.isDirectory()) throw new CannotRun(`${path} is a folder: name a file.`);
  if (!found.isFile()) throw new CannotRun(`${path} is a link or a device, not a file: name another one.`);
  // Compares inodes, because a file can have several hard links.
  if (found.dev === input.dev && found.ino === input.ino) {
    throw new CannotRun('The result would overwrite the input: choose another --out.');
  }
};

/** A file that the command may overwrite. */
export interface Replaceable {
  readonly input: BigIntStats;
  /** Whether a file with this header is an earlier result. */
  readonly isOwn: (header: readonly string[]) => boolean;
  readonly force: boolean;
}

/** @throws CannotRun when the file exists and is neither empty nor an earlier result, unless `force` */
export const assertReplaceable = async (path: string, { input, isOwn, force }: Replaceable): Promise<void> => {
  await assertWritable(path, input);
  const found = await lstat(path).catch(() => undefined);
  if (force || !found?.size || isOwn(await readColumnNames({ path, encoding: 'utf-8' }))) return;
  throw new CannotRun(`${path} exists and is not an earlier result: name another file, or overwrite it with --force.`);
};

/** Writes a file whole, or leaves what was there. @throws CannotRun when it cannot be written, or what `texts` throws */
export const writeFileWhole = async (
  path: string,
  replaceable: Replaceable,
  texts: AsyncIterable<string>,
): Promise<void> => {
  const part = `${path}.part`;
  await assertWritable(part, replaceable.input);
  const file = await writing(path, async () => {
    await rm(part, { force: true });
    return open(part, 'wx', OWNER_ONLY);
  });
  try {
    let pending = '';
    for await (const text of texts) {
      pending += text;
      if (pending.length < BUFFER_LENGTH) continue;
      await writing(path, () => file.appendFile(pending));
      pending = '';
    }
    await writing(path, () => file.appendFile(pending));
    await writing(path, () => file.sync());
    // Windows cannot rename an open file.
    await file.close();
    await assertReplaceable(path, replaceable);
    await writing(path, () => rename(part, path));
  } catch (error) {
    await file.close();
    await rm(part, { force: true });
    throw error;
  }
};
