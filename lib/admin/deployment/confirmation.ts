import { CommandFailure } from '../command/command-failure.ts';
import type { CommandRun } from './command-run.ts';

/**
 * Asks for the name of the stack, or of a table without a stack, before a command changes production data. A script passes
 * the name with --yes. Other deployments need no confirmation.
 * @throws CommandFailure when the name is missing or different
 */
export const requireConfirmation = async (
  consequence: string,
  { deployment: { guard }, context: { ask } }: CommandRun,
): Promise<void> => {
  if (guard === undefined || guard.given === guard.name) return;
  if (guard.given !== undefined) {
    throw new CommandFailure(`--yes ${guard.given} is not ${guard.name}: nothing was done`);
  }
  if (ask === undefined) {
    throw new CommandFailure(`${consequence}: confirm it with --yes ${guard.name}`);
  }
  const answer = await ask(`${consequence}. Type ${guard.name} to go on: `);
  if (answer.trim() !== guard.name) throw new CommandFailure(`that is not ${guard.name}: nothing was done`);
};
