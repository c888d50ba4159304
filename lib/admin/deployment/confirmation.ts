import { CommandFailure } from '../command/command-failure.ts';
import type { CommandRun } from './command-run.ts';

/**
 * Asks for the name of the stack, or of a table without a stack, before something is done that cannot be undone, where data
 * is kept for good. A script gives the name with --yes; elsewhere nothing is asked.
 * @throws CommandFailure when the name was not given, or another one
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
    throw new CommandFailure(`${consequence}: say that you mean it with --yes ${guard.name}`);
  }
  const answer = await ask(`${consequence}. Type ${guard.name} to go on: `);
  if (answer.trim() !== guard.name) throw new CommandFailure(`that is not ${guard.name}: nothing was done`);
};
