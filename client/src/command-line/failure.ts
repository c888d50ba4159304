import { stat } from 'node:fs/promises';
import { UnreadableFile } from '../../../csv/text.ts';

/** Ends the command. The message is a sentence for the user, with the problem and the remedy. */
export class CannotRun extends Error {}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EBUSY: 'another program has it open',
  EDQUOT: 'the disk quota is used up',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'there is no such folder',
  ENOSPC: 'the disk is full',
  EPERM: 'no permission, or another program has it open',
  EPIPE: 'nobody reads it any more',
};

/** The reason why a file operation failed: in words for usual codes, otherwise the code. */
export const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : (REASONS[code] ?? code);
};

export const unreadable = (path: string, error: unknown): CannotRun => {
  if (error instanceof UnreadableFile) return new CannotRun(`${path} cannot be read: ${error.message}.`);
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  return new CannotRun(isMissing ? `There is no file ${path}.` : `${path} cannot be read (${reasonOf(error)}).`);
};

/** Names from which the user chooses. */
export const quoted = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(', ');

/** Refuses what can be read only once, such as a pipe. @throws CannotRun */
export const requireFile = async (path: string): Promise<void> => {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (found.isFile() || found.isDirectory()) return;
  throw new CannotRun(`${path} is a pipe or a device, which cannot be read twice: write it to a file, and name that.`);
};
