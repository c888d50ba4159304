/** Exit codes of every command. */
export const EXIT = {
  /** Done. */
  done: 0,
  /** The command is complete, but rows were rejected or inconsistencies remain. */
  someRejected: 1,
  /** Failed: invalid arguments, no such file, column, key or database, or an error on the way. */
  notDone: 2,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
