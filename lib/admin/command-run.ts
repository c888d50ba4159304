import type { AdminContext } from './context.ts';
import type { Deployment } from './deployment.ts';

/** What a command works with: the deployment that its options name, and the process around it. */
export interface CommandRun {
  readonly deployment: Deployment;
  readonly context: AdminContext;
}
