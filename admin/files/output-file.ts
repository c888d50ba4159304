import { randomBytes } from 'node:crypto';
import { lstat, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandFailure } from '../command/command-result.ts';
import { asFileFailure } from './file-failure.ts';

/** Only the owner may read files with personal data. The mode applies to a new file: delete an older one first. */
export const PRIVATE_FILE = { mode: 0o600 };

interface OutputOptions {
  readonly signal?: AbortSignal;
  /** The nth name, from 2, when files have the others: none is replaced. */
  readonly nextName?: (nth: number) => string;
}

/** Creates an empty file with the first name that is free, which a rename then replaces. */
const reserveName = async (path: string, nextName: (nth: number) => string): Promise<string> => {
  for (let [name, nth] = [path, 2]; ; [name, nth] = [nextName(nth), nth + 1]) {
    try {
      await writeFile(name, '', { ...PRIVATE_FILE, flag: 'wx' });
      return name;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
};

/** Fills a new file. @throws CommandFailure when another program has put something in its place meanwhile */
const fill = async (
  path: string,
  texts: Iterable<string> | AsyncIterable<string>,
  options: Pick<OutputOptions, 'signal'>,
): Promise<void> => {
  const file = await open(path, 'wx', PRIVATE_FILE.mode);
  const opened = await file.stat({ bigint: true });
  await pipeline(Readable.from(texts), file.createWriteStream(), options);
  const found = await lstat(path, { bigint: true });
  if (found.dev === opened.dev && found.ino === opened.ino) return;
  throw new CommandFailure(`another program has replaced the temporary file ${path}: run this again`);
};

/**
 * Writes a file that only its owner may read; it gets its name when it is complete. Replaces an earlier file without
 * `nextName`. @returns its name @throws CommandFailure when it cannot be written; AbortError when the signal ends it
 */
export const writeOutput = async (
  path: string,
  texts: Iterable<string> | AsyncIterable<string>,
  { nextName, ...options }: OutputOptions = {},
): Promise<string> => {
  // A name of its own, so that two commands that write one file do not write into each other's.
  const temporary = join(dirname(path), `admin-${randomBytes(16).toString('hex')}.tmp`);
  try {
    await fill(temporary, texts, options);
    const name = nextName ? await reserveName(path, nextName) : path;
    await rename(temporary, name);
    return name;
  } catch (error) {
    await rm(temporary, { force: true });
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw asFileFailure(error, path);
    throw new CommandFailure(`there is no such folder: ${dirname(path)}`, { cause: error });
  }
};

/** Writes registrations to a file beside `path`, which `remove` can read. @returns its name @throws CommandFailure */
export const writeRegistrations = (
  path: string,
  what: 'missing' | 'removed' | 'damaged' | 'not-there',
  registrations: Iterable<string>,
): Promise<string> =>
  writeOutput(
    `${path}.${what}.txt`,
    Iterator.from(registrations).map((registration) => `${registration}\n`),
    { nextName: (nth) => `${path}.${what}-${nth}.txt` },
  );
