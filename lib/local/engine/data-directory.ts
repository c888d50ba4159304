/** The data folder of an embedded engine. Only its owner may access it, and its data is verified before use. */
import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { PRIVATE_FILE } from '../../private-file.ts';
import { CHECKSUMS_FILE, deleteChecksums, describeMismatch } from './data-checksums.ts';

const OWNER_ONLY_FOLDER = 0o700;

/** The files of LevelDB and of this service. */
const DATA_FILE = /^(\d+\.(ldb|sst|log)|MANIFEST-\d+|CURRENT|LOCK|LOG(\.old)?|demo-keys\.json|checksums\.json)$/;
/** Files in a folder that counts as empty: hidden files and those of the file system. */
const IGNORED_FILE = /^(\..*|lost\+found)$/;

/** The folder cannot be used. The message is one sentence for the person who named it. */
export class UnusableDataDirectory extends Error {
  override readonly name = 'UnusableDataDirectory';
  /** True when the folder could be used but its data is damaged. */
  readonly isDamage: boolean;

  constructor(message: string, { isDamage = false, ...options }: ErrorOptions & { readonly isDamage?: boolean } = {}) {
    super(message, options);
    this.isDamage = isDamage;
  }
}

/** LevelDB reports system errors only as text. */
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
  ENOENT: 'cannot be created there',
  LEVEL_LOCKED: 'cannot be used; is another service running on it?',
};

/** The code of the innermost error, which is the most specific. */
const codeOf = (error: unknown): string | undefined => {
  const { cause, code, message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  const text = Object.keys(SYSTEM_ERRORS).find((part) => message.includes(part));
  return (cause === undefined ? undefined : codeOf(cause)) ?? SYSTEM_ERRORS[text ?? ''] ?? code;
};

const damaged = (directory: string, what: string, cause?: unknown): UnusableDataDirectory =>
  new UnusableDataDirectory(
    `The data in ${directory} is damaged (${what}): restore a copy, or start with --force to keep what can be read.`,
    { cause, isDamage: true },
  );

/** Explains why the folder cannot be used. An unknown reason counts as damage. */
export const explainDataDirectory = (directory: string, error: unknown): UnusableDataDirectory => {
  if (error instanceof UnusableDataDirectory) return error;
  const code = codeOf(error) ?? 'unknown error';
  const reason = REASONS[code];
  if (reason !== undefined)
    return new UnusableDataDirectory(`The data folder ${directory} ${reason}.`.replace('?.', '?'), { cause: error });
  return damaged(directory, code, error);
};

/** Like a recursive `mkdir`, which never returns below a folder in which none can be created, such as `/proc`. */
const createFolder = async (directory: string): Promise<void> => {
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
    await createFolder(parent);
    await mkdir(directory, { mode: OWNER_ONLY_FOLDER });
  }
};

/** Checks that a file can be written, because LevelDB reports this late and unclearly. @throws the error of the file system */
export const requireWritable = async (directory: string): Promise<void> => {
  const probe = join(directory, `.probe-${process.pid}`);
  try {
    await writeFile(probe, Buffer.alloc(4_096), PRIVATE_FILE);
  } finally {
    await rm(probe, { force: true });
  }
};

/** Describes the damage of the files; undefined when there is none, or when only reading the data can show it. */
const damageIn = async (directory: string, files: readonly string[]): Promise<string | undefined> => {
  if (!files.includes('CURRENT')) return files.some((file) => DATA_FILE.test(file)) ? 'CURRENT is missing' : undefined;
  if (files.includes(CHECKSUMS_FILE)) return describeMismatch(directory);
  return files.some((file) => file.endsWith('.log')) ? undefined : 'its log is missing';
};

/** The state of a folder before it is opened. */
export interface DataState {
  /** Describes known damage. */
  readonly damage: string | undefined;
  /** The last service was killed while it used the folder: only reading all data shows whether it is complete. */
  readonly needsReading: boolean;
}

/**
 * Creates the folder if it is missing, restricts it and its data to the owner, and verifies the files.
 * @throws UnusableDataDirectory
 */
export const prepareDataDirectory = async (directory: string): Promise<DataState> => {
  try {
    await createFolder(resolve(directory));
    const files = (await readdir(directory)).filter((file) => !IGNORED_FILE.test(file));
    const dataFiles = files.filter((file) => DATA_FILE.test(file));
    if (files.length > 0 && dataFiles.length === 0) {
      throw new UnusableDataDirectory(`The folder ${directory} contains other files: name a new or an empty folder.`);
    }
    await requireWritable(directory);
    await chmod(directory, OWNER_ONLY_FOLDER);
    for (const file of dataFiles) await chmod(join(directory, file), PRIVATE_FILE.mode);
    const damage = await damageIn(directory, files);
    return { damage, needsReading: files.includes('CURRENT') && !files.includes(CHECKSUMS_FILE) };
  } catch (error) {
    throw explainDataDirectory(directory, error);
  }
};

/** Rejects damaged data unless `force` is set. After it the files may change. @throws UnusableDataDirectory */
export const allowDamage = async (directory: string, { damage }: DataState, force: boolean): Promise<void> => {
  if (damage !== undefined && !force) throw damaged(directory, damage);
  await deleteChecksums(directory);
};
