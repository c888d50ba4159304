/** What the operator CLI tells its caller, in every command alike. */
export const EXIT = {
  /** All of it was done. */
  done: 0,
  /** The command ran to its end, but rows of the file were rejected. */
  someRejected: 1,
  /** It could not be done: bad arguments, no such file, column, key or database, or it stopped on the way. */
  notDone: 2,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
