/** The folder that keeps an embedded engine's data: made for its owner alone, verified before its data is used. */
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { breakSeal, SEAL_FILE, sealedDifference } from './data-seal.ts';

const OWNER_ONLY_FOLDER = 0o700;
const OWNER_ONLY_FILE = 0o600;

/** The files of LevelDB, and ours. */
const DATA_FILE = /^(\d+\.(ldb|sst|log)|MANIFEST-\d+|CURRENT|LOCK|LOG(\.old)?|demo-keys\.json|checksums\.json)$/;
/** What is in a folder that counts as empty: hidden files, and what a file system puts there itself. */
const NEUTRAL_FILE = /^(\..*|lost\+found)$/;

/** Data cannot be kept in the folder. The message is one sentence for the person who named it. */
export class UnusableDataDirectory extends Error {
  override readonly name = 'UnusableDataDirectory';
  /** The folder can be used, but not all of its data. */
  readonly isDamage: boolean;

  constructor(message: string, { isDamage = false, ...options }: ErrorOptions & { readonly isDamage?: boolean } = {}) {
    super(message, options);
    this.isDamage = isDamage;
  }
}

/** LevelDB reports what the system said only as text. */
const SYSTEM_ERRORS: Readonly<Record<string, string>> = {
  'No space left on device': 'ENOSPC',
  'Disk quota exceeded': 'EDQUOT',
  'Read-only file system': 'EROFS',
  'Permission denied': 'EACCES',
};

const REASONS: Readonly<Record<string, string>> = {
  EEXIST: 'is a file, not a folder',
  ENOTDIR: 'is or lies below a file, not a folder',
  EACCES: 'cannot be used: access is denied',
  EPERM: 'cannot be used: access is denied',
  EROFS: 'cannot be used: its disk is read-only',
  ENOSPC: 'cannot be used: its disk is full',
  EDQUOT: 'cannot be used: the disk quota is used up',
  ENOENT: 'cannot be made there',
  LEVEL_LOCKED: 'cannot be used; is another service running on it?',
};

/** The innermost error tells most. */
const codeOf = (error: unknown): string | undefined => {
  const { cause, code, message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  const text = Object.keys(SYSTEM_ERRORS).find((part) => message.includes(part));
  return (cause === undefined ? undefined : codeOf(cause)) ?? SYSTEM_ERRORS[text ?? ''] ?? code;
};

const damaged = (directory: string, what: string, cause?: unknown): UnusableDataDirectory =>
  new UnusableDataDirectory(
    `The data in ${directory} is damaged (${what}): put back a copy, or start with --force to keep what can be read.`,
    { cause, isDamage: true },
  );

/** Why the folder cannot be used. What no reason is known for counts as damage. */
export const explainDataDirectory = (directory: string, error: unknown): UnusableDataDirectory => {
  if (error instanceof UnusableDataDirectory) return error;
  const code = codeOf(error) ?? 'unknown error';
  const reason = REASONS[code];
  if (reason !== undefined)
    return new UnusableDataDirectory(`The data folder ${directory} ${reason}.`.replace('?.', '?'), { cause: error });
  return damaged(directory, code, error);
};

/** Like a recursive `mkdir`, which never returns below a folder that takes none, such as `/proc`. */
const makeFolder = async (directory: string): Promise<void> => {
  try {
    await mkdir(directory, { mode: OWNER_ONLY_FOLDER });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(directory)).isDirectory()) return;
    const parent = dirname(directory);
    const parentIsMissing =
      code === 'ENOENT' &&
      !(await stat(parent).then(
        () => true,
        () => false,
      ));
    if (!parentIsMissing) throw error;
    await makeFolder(parent);
    await mkdir(directory, { mode: OWNER_ONLY_FOLDER });
  }
};

/** Makes sure that a file can be written, which LevelDB reports late and unclearly. @throws the error of the file system */
export const requireWritable = async (directory: string): Promise<void> => {
  const probe = join(directory, `.probe-${process.pid}`);
  try {
    await writeFile(probe, Buffer.alloc(4_096), { mode: OWNER_ONLY_FILE });
  } finally {
    await rm(probe, { force: true });
  }
};

/** What is wrong with the files; undefined when nothing is, or when only reading the data can tell. */
const differenceIn = async (directory: string, files: readonly string[]): Promise<string | undefined> => {
  if (!files.includes('CURRENT')) return files.some((file) => DATA_FILE.test(file)) ? 'CURRENT is missing' : undefined;
  if (files.includes(SEAL_FILE)) return sealedDifference(directory);
  return files.some((file) => file.endsWith('.log')) ? undefined : 'its log is missing';
};

/** What a folder holds before it is opened. */
export interface DataState {
  /** What is damaged, where that is known already. */
  readonly damage: string | undefined;
  /** The service that used it last was killed: only reading all of it shows whether it is whole. */
  readonly needsReading: boolean;
}

/**
 * Makes the folder if it is missing, gives it and the data in it to its owner alone, and verifies the files.
 * @throws UnusableDataDirectory
 */
export const prepareDataDirectory = async (directory: string): Promise<DataState> => {
  try {
    await makeFolder(resolve(directory));
    const files = (await readdir(directory)).filter((file) => !NEUTRAL_FILE.test(file));
    const ours = files.filter((file) => DATA_FILE.test(file));
    if (files.length > 0 && ours.length === 0) {
      throw new UnusableDataDirectory(`The folder ${directory} holds other files: give a new or an empty one.`);
    }
    await requireWritable(directory);
    await chmod(directory, OWNER_ONLY_FOLDER);
    for (const file of ours) await chmod(join(directory, file), OWNER_ONLY_FILE);
    const damage = await differenceIn(directory, files);
    return { damage, needsReading: files.includes('CURRENT') && !files.includes(SEAL_FILE) };
  } catch (error) {
    throw explainDataDirectory(directory, error);
  }
};

/** Lets damaged data be used only when that was asked for. From then on the files may change. @throws UnusableDataDirectory */
export const admitDamage = async (directory: string, { damage }: DataState, force: boolean): Promise<void> => {
  if (damage !== undefined && !force) throw damaged(directory, damage);
  await breakSeal(directory);
};
