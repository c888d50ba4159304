export const EXIT = {
  done: 0,
  /** The whole command ran, but rows were rejected, or damaged records or inconsistencies remain. */
  incomplete: 1,
  /** Failed: invalid arguments, no such file, column, key or database, or an error during the command. */
  notDone: 2,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The result of a command, for people and for scripts. */
export interface CommandResult {
  /** The text for standard output, with its final line feed. */
  readonly text: string;
  /** The text for standard error, written after `text`. */
  readonly notes?: string;
  /** The same as one JSON document, which `--json` writes instead of both. */
  readonly data: unknown;
  /** When absent, the exit code is 0. */
  readonly exitCode?: ExitCode;
}

/** A command failed. The message is one sentence for the operator, shown without a stack trace. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}

/** A file is refused, by its content or a guard, before any change: the same file will be refused again. */
export class FileRefused extends CommandFailure {}

/** A file would change more of what is stored than a limit permits. Its message has figures of that. */
export class LimitExceeded extends FileRefused {
  /** The same for whoever sent the file, who must not learn what others have supplied, or what was erased. */
  readonly publicReason: string;

  constructor(message: string, publicReason: string) {
    super(message);
    this.publicReason = publicReason;
  }
}
