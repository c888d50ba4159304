import type { Command } from 'commander';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { exampleOf } from '../command/format.ts';
import type { CommandContext, Runner } from '../deployment/deployment.ts';
import { type FileCommand, REGISTRATION_FILE } from '../files/file-command.ts';
import type { FileOptions } from '../files/file-options.ts';
import { addRegistrationFile, registrationLines } from '../files/registration-option.ts';
import { runFile } from '../files/run-file.ts';
import { COMPLIANCE_RECORDS } from '../import/compliance.ts';
import { WHOLE_VEHICLES } from '../records/vehicle-parts.ts';
import { addSupplierOption } from '../supplier-option.ts';
import { removeSupplied } from './remove-supplied.ts';

const RECORD_NAMES = { vehicles: 'vehicles', compliance: 'compliance records' } as const;
const OTHER_TABLE = { vehicles: 'compliance', compliance: 'vehicles' } as const;

/** Removes the records of the registrations in a file from one of the two tables. */
const removeCommand = (noun: keyof typeof RECORD_NAMES): FileCommand => ({
  ...REGISTRATION_FILE,
  verb: 'remove',
  noun,
  consequence: `This removes ${RECORD_NAMES[noun]} for good`,
  outcomes: ['removed', 'notThere', 'erased'],
  note: `Only ${RECORD_NAMES[noun]} were removed; "remove ${OTHER_TABLE[noun]}" removes ${RECORD_NAMES[OTHER_TABLE[noun]]}.`,
  rowHandling: {
    target: noun === 'vehicles' ? WHOLE_VEHICLES : COMPLIANCE_RECORDS,
    // A registration may be in the file more than once, as in a vehicles CSV: it is removed and counted once.
    read: (_rows, registration) => ({ change: { registration } }),
  },
});

interface RemoveOptions extends Partial<FileOptions> {
  readonly registration?: readonly string[];
  readonly all?: boolean;
  readonly supplier?: string;
}

const runRemove = async (
  noun: keyof typeof RECORD_NAMES,
  file: string | undefined,
  { registration, all, supplier, ...options }: RemoveOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  const nothing = 'nothing was removed';
  if (!all && supplier !== undefined) {
    throw new CommandFailure(`--supplier is for --all, and ${nothing}: add that, or leave this out`);
  }
  if ([file, registration, all].filter((one) => one !== undefined).length !== 1) {
    throw new CommandFailure(`name one of FILE, --registration R… and --all: ${nothing}`);
  }
  if (all) return removeSupplied(supplier, options.dryRun ?? false, context);
  return runFile(removeCommand(noun), file ?? registrationLines(registration ?? []), options, context);
};

/** Adds `remove vehicles` and `remove compliance`. */
export const addRemoveCommands = (program: Command, run: Runner): void => {
  const removals = program
    .command('remove')
    .description('remove records for good, which later files may bring back; what is not there is counted');
  for (const noun of ['vehicles', 'compliance'] as const) {
    const command = addSupplierOption(addRegistrationFile(removals.command(noun)), noun, 'with --all: the supplier')
      .description(
        `remove ${RECORD_NAMES[noun]}, not ${RECORD_NAMES[OTHER_TABLE[noun]]}; a file with a row that has no valid registration is refused`,
      )
      .addHelpText('after', exampleOf(`remove ${noun} --registration "AB12 CDE" KR08NIL`))
      .action((file: string | undefined, options: RemoveOptions) =>
        run((context) => runRemove(noun, file, options, context)),
      );
    if (noun === 'vehicles') {
      command.option('--all', 'instead of a file: everything of --supplier, or of the supplier without a name');
    }
  }
};
