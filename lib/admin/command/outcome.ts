/** Exit codes of every command. */
export const EXIT = {
  done: 0,
  /** The command is complete, but rows were rejected or inconsistencies remain. */
  someRejected: 1,
  /** Failed: invalid arguments, no such file, column, key or database, or an error during the command. */
  notDone: 2,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The result of a command, for people and for scripts. */
export interface CommandResult {
  /** For standard output, with its line feed. */
  readonly text: string;
  /** For standard error, after the text. */
  readonly notes?: string;
  /** The same as one JSON document, which `--json` writes instead of both. */
  readonly data: unknown;
  /** 0 if absent. */
  readonly exitCode?: ExitCode;
}

/** A command failed. The message is one sentence for the operator, shown without a stack trace. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'access to the file is denied',
  EPERM: 'access to the file is denied',
  EISDIR: 'that is a folder, not a file',
  // Node's code when `rm` is called on a folder.
  ERR_FS_EISDIR: 'that is a folder, not a file',
  ENOSPC: 'the disk is full',
  EFBIG: 'the file would be too large for the disk or its limit',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk cannot be written to',
};

/** An error of the file system as a message for operators; any other error is returned unchanged. */
export const asFileFailure = (error: unknown, path: string): unknown => {
  const reason = FILE_ERRORS[(error as NodeJS.ErrnoException | undefined)?.code ?? ''];
  return reason === undefined ? error : new CommandFailure(`${reason}: ${path}`, { cause: error });
};
