import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { LOCAL_TABLE_NAMES, type TableNames } from '../../../core/tables.ts';

/** What the CLI uses of its process; tests pass their own. */
export interface AdminContext {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  /** Whether standard error is a terminal on which a line can be drawn again. */
  readonly showsProgress: boolean;
  readonly now: () => Date;
  /** The tables to use when no option names others. */
  readonly tableNames: TableNames;
  /** `DYNAMODB_PORT`, as `npm start` reads it: the port of the local engine. */
  readonly dynamodbPort?: string | undefined;
  /** `AWS_PROFILE`, `AWS_REGION` and `AWS_DEFAULT_REGION`. */
  readonly aws: {
    readonly profile?: string | undefined;
    readonly region?: string | undefined;
    readonly defaultRegion?: string | undefined;
  };
  /** The folder of the settings of the stages. */
  readonly stagesFolder: string;
  /** Aborted by Ctrl-C: writes in flight are finished, no new one is started. */
  readonly signal: AbortSignal;
  /** Asks a question at the terminal; absent when there is none. */
  readonly ask?: (question: string) => Promise<string>;
}

const STAGES = fileURLToPath(new URL('../../../stages', import.meta.url));

/** Questions go to standard error, so that output can be piped. */
const askAtTerminal = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
};

/** The context of a real process. A CI runner's terminal is a log file in the end: no line is drawn again there. */
export const processContext = (signal: AbortSignal, env: NodeJS.ProcessEnv): AdminContext => ({
  stdout: process.stdout,
  stderr: process.stderr,
  showsProgress: process.stderr.isTTY && !env.CI && env.TERM !== 'dumb',
  now: () => new Date(),
  tableNames: LOCAL_TABLE_NAMES,
  dynamodbPort: env.DYNAMODB_PORT,
  aws: {
    profile: env.AWS_PROFILE || undefined,
    region: env.AWS_REGION || undefined,
    defaultRegion: env.AWS_DEFAULT_REGION || undefined,
  },
  stagesFolder: STAGES,
  signal,
  ...(process.stdin.isTTY && process.stderr.isTTY && { ask: askAtTerminal }),
});
