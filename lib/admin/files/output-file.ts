import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PRIVATE_FILE } from '../../private-file.ts';
import { asFileFailure, CommandFailure } from '../command/outcome.ts';

interface OutputOptions {
  /** The name of the file until it is complete, so that nobody loads an incomplete one. */
  readonly part: string;
  readonly signal?: AbortSignal;
}

/**
 * Writes a file that only its owner may read. When it is complete it gets its name and replaces an earlier file.
 * @throws CommandFailure when it cannot be written; AbortError when the signal ends it
 */
export const writeOutput = async (
  path: string,
  texts: Iterable<string> | AsyncIterable<string>,
  { part, ...options }: OutputOptions,
): Promise<void> => {
  try {
    // A killed process may have left one that others can read.
    await rm(part, { force: true });
    await pipeline(Readable.from(texts), createWriteStream(part, { ...PRIVATE_FILE, flags: 'wx' }), options);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw asFileFailure(error, path);
    throw new CommandFailure(`there is no such folder: ${dirname(path)}`, { cause: error });
  }
};
