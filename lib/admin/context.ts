import { LOCAL_TABLE_NAMES, type TableNames } from '../../functions/tables.ts';

/** A place to write to; a terminal says so. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** What the CLI takes from the process around it, so that tests bring their own. */
export interface AdminContext {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly now: () => Date;
  /** The tables that are worked on when no option names others. */
  readonly tableNames: TableNames;
  /** Aborted by Ctrl-C: what has begun is finished, nothing new is begun. */
  readonly signal: AbortSignal;
}

/** The context of a real process. */
export const processContext = (signal: AbortSignal): AdminContext => ({
  stdout: process.stdout,
  stderr: process.stderr,
  now: () => new Date(),
  tableNames: LOCAL_TABLE_NAMES,
  signal,
});
