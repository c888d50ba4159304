import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { CommandFailure } from '../command-failure.ts';
import { type FileFormat, formatOf } from '../rows/file-format.ts';

/** The file that is imported. */
export interface SourceFile {
  readonly path: string;
  readonly format: FileFormat;
  readonly bytes: number;
  /** ISO 8601 UTC. */
  readonly changed: string;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'the file may not be read',
  EISDIR: 'that is a folder, not a file',
};

/** What a fault of the file system means to an operator; any other error is given back as it is. */
export const asFileFailure = (error: unknown, path: string): unknown => {
  const reason = REASONS[(error as NodeJS.ErrnoException | undefined)?.code ?? ''];
  return reason === undefined ? error : new CommandFailure(`${reason}: ${path}`, { cause: error });
};

/** @throws CommandFailure when the file is not there, may not be read, or is of no form that is understood */
export const openSource = async (path: string): Promise<SourceFile> => {
  const format = formatOf(path);
  try {
    await access(path, constants.R_OK);
    const facts = await stat(path);
    if (facts.isDirectory()) throw new CommandFailure(`that is a folder, not a file: ${path}`);
    return { path, format, bytes: facts.size, changed: facts.mtime.toISOString() };
  } catch (error) {
    throw asFileFailure(error, path);
  }
};
