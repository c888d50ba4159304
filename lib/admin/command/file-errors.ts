import { CommandFailure } from './command-failure.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'access to the file is denied',
  EPERM: 'access to the file is denied',
  EISDIR: 'that is a folder, not a file',
  // What Node says of a folder that is to be removed as a file.
  ERR_FS_EISDIR: 'that is a folder, not a file',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk cannot be written to',
};

/** What a fault of the file system means to an operator; any other error is given back as it is. */
export const asFileFailure = (error: unknown, path: string): unknown => {
  const reason = REASONS[(error as NodeJS.ErrnoException | undefined)?.code ?? ''];
  return reason === undefined ? error : new CommandFailure(`${reason}: ${path}`, { cause: error });
};
