import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { CommandFailure } from '../../command/command-failure.ts';
import { asFileFailure } from '../../command/file-errors.ts';
import { type FileFormat, formatOf } from '../../files/file-format.ts';

/** The file that is imported. */
export interface SourceFile {
  readonly path: string;
  readonly format: FileFormat;
  readonly bytes: number;
  /** ISO 8601 UTC. */
  readonly changed: string;
}

/** @throws CommandFailure when the file does not exist, is not readable or has another format */
export const openSource = async (path: string): Promise<SourceFile> => {
  const format = formatOf(path);
  try {
    await access(path, constants.R_OK);
    const facts = await stat(path);
    if (facts.isDirectory()) throw new CommandFailure(`that is a folder, not a file: ${path}`);
    if (!facts.isFile())
      throw new CommandFailure(`it is read more than once, so it must be a file, not a pipe: ${path}`);
    return { path, format, bytes: facts.size, changed: facts.mtime.toISOString() };
  } catch (error) {
    throw asFileFailure(error, path);
  }
};

/** @throws CommandFailure when the file has changed since it was opened */
export const requireUnchanged = async ({ path, bytes, changed }: SourceFile): Promise<void> => {
  const now = await openSource(path);
  if (now.bytes !== bytes || now.changed !== changed) {
    throw new CommandFailure(`the file has changed while it was read; load it again: ${path}`);
  }
};
