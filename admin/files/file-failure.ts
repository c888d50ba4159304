import { UnreadableFile } from '../../csv/text.ts';
import { CommandFailure, FileRefused } from '../command/command-result.ts';

/** The primary result code of SQLite for a full disk. */
const SQLITE_FULL = 13;

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'access to the file is denied',
  EPERM: 'access to the file is denied',
  EISDIR: 'that is a folder, not a file',
  // Node's code when `rm` is called on a folder.
  ERR_FS_EISDIR: 'that is a folder, not a file',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the name is too long, so give the file that is read a shorter one',
  EFBIG: 'the file would be too large for the disk or its limit',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk cannot be written to',
};

/** An error of the file system or a file's content as a message; any other error is returned unchanged. */
export const asFileFailure = (error: unknown, path: string): unknown => {
  if (error instanceof UnreadableFile) {
    return new FileRefused(`${error.message}; nothing was changed: ${path}`, { cause: error });
  }
  const reason = FILE_ERRORS[(error as NodeJS.ErrnoException | undefined)?.code ?? ''];
  return reason === undefined ? error : new CommandFailure(`${reason}: ${path}`, { cause: error });
};

/** An error of SQLite as a message; any other error is returned unchanged. */
export const asStagingFailure = (error: unknown, folder: string, remedy: string): unknown => {
  const { errcode } = error as { readonly errcode?: unknown };
  if (typeof errcode !== 'number') return error;
  // The low byte of an extended code is the primary one.
  const what = (errcode & 0xff) === SQLITE_FULL ? 'there is no room left' : 'temporary files cannot be written or read';
  return new CommandFailure(`${what} in ${folder}; ${remedy}`, { cause: error });
};
