import type { Command } from 'commander';
import { normaliseRegistration } from '../../../core/vehicles/registration.ts';
import { CommandFailure, type CommandResult } from '../command/outcome.ts';
import { type CommandContext, type Runner, requireConfirmation } from '../deployment/deployment.ts';
import type { FileCommand } from '../file-command/file-command.ts';
import { recordWriter } from '../file-command/record-writer.ts';
import { runFileCommand } from '../file-command/run-file-command.ts';
import { registrationIssue } from '../import/records/field-checks.ts';
import { deletions, RECORDS, removeCommand } from './remove-rows.ts';

interface RemoveOptions {
  readonly restart?: boolean;
  readonly staging?: string;
  readonly registration?: readonly string[];
}

const requireRegistration = (raw: string, index: number): string => {
  const registration = normaliseRegistration(raw);
  if (registration !== undefined) return registration;
  throw new CommandFailure(`registration ${index + 1} ${registrationIssue(raw)}; nothing was removed`);
};

/** Removes the records of these registrations, in any spelling. @throws CommandFailure when one is invalid; nothing is removed then */
const removeRegistrations = async (
  { noun, consequence, note }: FileCommand<string>,
  raw: readonly string[],
  context: CommandContext,
): Promise<CommandResult> => {
  const registrations = new Set(raw.map(requireRegistration));
  await requireConfirmation(consequence, context);
  const { db, tableNames } = context.deployment;
  const counts = { removed: 0, notThere: 0 };
  const writer = recordWriter(deletions(db, tableNames[noun]), (_registration: string, outcome) => {
    counts[outcome === 'removed' ? outcome : 'notThere'] += 1;
  });
  for (const registration of registrations) await writer.put(registration, registration);
  await writer.finish();
  return {
    text: `removed: ${counts.removed}, not there: ${counts.notThere}\n`,
    notes: `${note}\n`,
    data: { kind: noun, ...counts },
  };
};

/** Adds `remove vehicles` and `remove compliance`. */
export const addRemoveCommands = (program: Command, run: Runner): void => {
  const removals = program.command('remove').description('erase records for good; what is not there is counted');
  for (const [noun, other] of [
    ['vehicles', 'compliance'],
    ['compliance', 'vehicles'],
  ] as const) {
    const command = removeCommand(noun, other);
    removals
      .command(noun)
      .description(`erase ${RECORDS[noun]}, not ${RECORDS[other]}; rejected rows go to FILE.rejected.ndjson`)
      .argument(
        '[file]',
        'a .csv or .ndjson file with a registration column or field, or a .txt with one a line; UTF-8',
      )
      .option('--registration <registrations...>', 'one or more registrations instead of a file')
      .option('--restart', 'begin with the first row, not where this removal was stopped')
      .option('--staging <folder>', 'folder for FILE.….sqlite, in which rows are staged (default: that of the file)')
      .action((file: string | undefined, { restart = false, staging, registration }: RemoveOptions) =>
        run((context) => {
          if (registration === undefined) {
            if (file === undefined) throw new CommandFailure('name a FILE, or registrations with --registration R…');
            return runFileCommand(command, file, { restart, staging, dates: 'iso', ifNewer: false }, context);
          }
          if (file !== undefined) throw new CommandFailure('give either a FILE or --registration, not both');
          if (restart || staging !== undefined) {
            throw new CommandFailure('--restart and --staging are for a FILE: leave them out with --registration');
          }
          return removeRegistrations(command, registration, context);
        }),
      );
  }
};
