import type { AdminContext } from '../command/context.ts';
import type { ExitCode } from '../command/exit-codes.ts';
import type { Deployment } from './deployment.ts';

/** What a command uses: the deployment that its options name, and its process. */
export interface CommandRun {
  readonly deployment: Deployment;
  readonly context: AdminContext;
}

/** Runs one command on the deployment that the options name. */
export type Runner = (command: (run: CommandRun) => Promise<ExitCode>) => Promise<void>;
