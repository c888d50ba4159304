import { createInterface } from 'node:readline/promises';
import { LOCAL_TABLE_NAMES, type TableNames } from '../../../functions/tables.ts';

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
  /** Asks the person at the terminal; absent where nobody could answer. */
  readonly ask?: (question: string) => Promise<string>;
}

/** Questions go to standard error, so that output can be piped. */
const askAtTerminal = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
};

/** The context of a real process. */
export const processContext = (signal: AbortSignal): AdminContext => ({
  stdout: process.stdout,
  stderr: process.stderr,
  now: () => new Date(),
  tableNames: LOCAL_TABLE_NAMES,
  signal,
  ...(process.stdin.isTTY && process.stderr.isTTY && { ask: askAtTerminal }),
});
