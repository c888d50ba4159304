import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { LOCAL_TABLE_NAMES, type TableNames } from '../../core/tables.ts';

/** The parts of the process that the CLI uses. Tests pass their own. */
export interface AdminContext {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Whether standard error is a terminal that can redraw a line. */
  readonly showsProgress: boolean;
  readonly now: () => Date;
  /** The tables to use when no option names others. */
  readonly tableNames: TableNames;
  readonly env: NodeJS.ProcessEnv;
  readonly stagesFolder: string;
  /** Where a command without a file writes one. */
  readonly folder: string;
  /** Aborted by Ctrl-C: writes in flight are finished, no new one is started. */
  readonly signal: AbortSignal;
  /** Asks a question at the terminal; absent without a terminal. */
  readonly ask?: (question: string) => Promise<string>;
}

const STAGES = fileURLToPath(new URL('../../stages', import.meta.url));

/** Questions go to standard error, so that output can be piped. */
const askAtTerminal = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
};

/** The context of this process. CI shows no progress, because a log cannot redraw a line. */
export const processContext = (signal: AbortSignal, env: NodeJS.ProcessEnv): AdminContext => ({
  stdout: process.stdout,
  stderr: process.stderr,
  showsProgress: process.stderr.isTTY && !env.CI && env.TERM !== 'dumb',
  now: () => new Date(),
  tableNames: LOCAL_TABLE_NAMES,
  env,
  stagesFolder: STAGES,
  folder: process.cwd(),
  signal,
  ...(process.stdin.isTTY && process.stderr.isTTY && { ask: askAtTerminal }),
});
