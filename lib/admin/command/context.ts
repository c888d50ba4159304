import { createInterface } from 'node:readline/promises';
import { LOCAL_TABLE_NAMES, type TableNames } from '../../../functions/tables.ts';

/** A stream to write to; `isTTY` is set for a terminal. */
export type Output = NodeJS.WritableStream & { readonly isTTY?: boolean };

/** What the CLI uses of its process; tests pass their own. */
export interface AdminContext {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly now: () => Date;
  /** The tables to use when no option names others. */
  readonly tableNames: TableNames;
  /** Aborted by Ctrl-C: writes in flight are finished, no new one is started. */
  readonly signal: AbortSignal;
  /** Asks a question at the terminal; absent when there is none. */
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
