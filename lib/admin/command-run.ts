import type { AdminContext } from './context.ts';
import type { Deployment } from './deployment.ts';
import type { ExitCode } from './exit-codes.ts';

/** What a command works with: the deployment that its options name, and the process around it. */
export interface CommandRun {
  readonly deployment: Deployment;
  readonly context: AdminContext;
}

/** Runs one command on the deployment that the options name. */
export type Runner = (command: (run: CommandRun) => Promise<ExitCode>) => Promise<void>;
