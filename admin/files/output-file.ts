import { createWriteStream } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandFailure } from '../command/command-result.ts';
import { asFileFailure } from './file-failure.ts';

/** Only the owner may read files with personal data. The mode applies to a new file: delete an older one first. */
export const PRIVATE_FILE = { mode: 0o600 };

interface OutputOptions {
  /** The name of the file until it is complete, so that nobody loads an incomplete one. */
  readonly part: string;
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

/**
 * Writes a file that only its owner may read; it gets its name when it is complete. Replaces an earlier file without
 * `nextName`. @returns its name @throws CommandFailure when it cannot be written; AbortError when the signal ends it
 */
export const writeOutput = async (
  path: string,
  texts: Iterable<string> | AsyncIterable<string>,
  { part, nextName, ...options }: OutputOptions,
): Promise<string> => {
  try {
    // A killed process may have left one that others can read.
    await rm(part, { force: true });
    await pipeline(Readable.from(texts), createWriteStream(part, { ...PRIVATE_FILE, flags: 'wx' }), options);
    const name = nextName ? await reserveName(path, nextName) : path;
    await rename(part, name);
    return name;
  } catch (error) {
    await rm(part, { force: true });
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw asFileFailure(error, path);
    throw new CommandFailure(`there is no such folder: ${dirname(path)}`, { cause: error });
  }
};

/** Writes registrations to a file beside `path`, which `remove` can read. @returns its name @throws CommandFailure */
export const writeRegistrations = (
  path: string,
  what: 'missing' | 'removed' | 'damaged',
  registrations: Iterable<string>,
): Promise<string> =>
  writeOutput(
    `${path}.${what}.txt`,
    Iterator.from(registrations).map((registration) => `${registration}\n`),
    {
      part: `${path}.${what}.${process.pid}.part`,
      nextName: (nth) => `${path}.${what}-${nth}.txt`,
    },
  );
