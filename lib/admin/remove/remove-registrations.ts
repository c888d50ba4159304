import { normaliseRegistration } from '../../../core/vehicles/registration.ts';
import { CommandFailure, type CommandResult } from '../command/outcome.ts';
import { type CommandRun, requireConfirmation } from '../deployment/deployment.ts';
import { recordWriter } from '../file-command/record-writer.ts';
import { registrationIssue } from '../import/records/field-checks.ts';
import { consequenceOf, deletions, noteOf, type RemoveKind } from './remove-rows.ts';

const requireRegistration = (raw: string, index: number): string => {
  const registration = normaliseRegistration(raw);
  if (registration !== undefined) return registration;
  throw new CommandFailure(`registration ${index + 1} ${registrationIssue(raw)}; nothing was removed`);
};

/**
 * Removes the records of these registrations, in any spelling.
 * @throws CommandFailure when one is invalid; nothing is removed then
 */
export const removeRegistrations = async (
  kind: RemoveKind,
  raw: readonly string[],
  run: CommandRun,
): Promise<CommandResult> => {
  const registrations = new Set(raw.map(requireRegistration));
  await requireConfirmation(consequenceOf(kind), run);
  const { db, tableNames } = run.deployment;
  const counts = { removed: 0, notThere: 0 };
  const writer = recordWriter(deletions(db, tableNames[kind.noun]), (_registration: string, outcome) => {
    if (outcome === 'removed') counts.removed += 1;
    else counts.notThere += 1;
  });
  for (const registration of registrations) await writer.put(registration, registration);
  await writer.finish();
  return {
    text: `removed: ${counts.removed}, not there: ${counts.notThere}\n`,
    notes: `${noteOf(kind)}\n`,
    data: { kind: kind.noun, ...counts },
  };
};
