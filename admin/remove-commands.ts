import type { Command } from 'commander';
import type { LondonDate } from '../core/runtime/clock.ts';
import type { RecordKind } from '../core/stage/outputs.ts';
import { CommandFailure, type CommandResult } from './command/command-result.ts';
import { exampleOf, parseDay } from './command/format.ts';
import type { CommandContext, Runner } from './deployment/deployment.ts';
import { type FileCommand, REGISTRATION_FILE } from './files/file-command.ts';
import { addRegistrationFile, addSupplierOption, type FileOptions, parseLimit } from './files/file-options.ts';
import { runFile } from './files/run-file.ts';
import { registrationSource } from './files/source-file.ts';
import { partTarget, WHOLE_COMPLIANCE } from './records/compliance-parts.ts';
import type { RecordTarget } from './records/record-target.ts';
import { WHOLE_VEHICLES } from './records/vehicle-parts.ts';
import { endedVehicles, removeFound, suppliedBy } from './remove-found.ts';

/** What a removal takes, in words, and the command that takes what it leaves. */
const REMOVALS: Readonly<Record<RecordKind, { target: RecordTarget; name: string; other: RecordKind }>> = {
  vehicles: { target: WHOLE_VEHICLES, name: 'vehicles', other: 'compliance' },
  mot: { target: partTarget('mot'), name: 'MOT dates', other: 'compliance' },
  tax: { target: partTarget('tax'), name: 'entries of road tax', other: 'compliance' },
  fines: { target: partTarget('fines'), name: 'fines', other: 'compliance' },
  compliance: { target: WHOLE_COMPLIANCE, name: 'compliance records', other: 'vehicles' },
};

const removeCommand = (noun: RecordKind): FileCommand => {
  const { target, name, other } = REMOVALS[noun];
  return {
    ...REGISTRATION_FILE,
    verb: 'remove',
    noun,
    consequence: `This removes ${name} for good`,
    outcomes: ['removed', 'notThere', 'erased'],
    note: `Only ${name} were removed; "remove ${other}" removes ${REMOVALS[other].name}.`,
    // A registration may be in the file more than once, as in a vehicles CSV: it is removed and counted once.
    rowHandling: {
      kind: 'records',
      target,
      read: (_rows, registration) => ({ change: { kind: 'remove', registration } }),
    },
  };
};

interface RemoveOptions extends Partial<FileOptions> {
  readonly registration?: readonly string[];
  readonly endedBefore?: LondonDate;
  readonly all?: boolean;
  readonly supplier?: string;
}

const runRemove = async (
  noun: RecordKind,
  file: string | undefined,
  { registration, all, supplier, endedBefore, ...options }: RemoveOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  const nothing = 'nothing was removed';
  if (!all && supplier !== undefined) {
    throw new CommandFailure(`--supplier is for --all, and ${nothing}: add that, or leave this out`);
  }
  if (endedBefore === undefined && options.removeAtMost !== undefined) {
    throw new CommandFailure(`--remove-at-most is for --ended-before, and ${nothing}: add that, or leave this out`);
  }
  if ([file, registration, all, endedBefore].filter((one) => one !== undefined).length !== 1) {
    const found = endedBefore === undefined ? '' : ', or --ended-before alone';
    throw new CommandFailure(`name one of FILE, --registration R… and --all${found}: ${nothing}`);
  }
  const { dryRun = false, removeAtMost } = options;
  if (endedBefore !== undefined) return removeFound(endedVehicles(endedBefore, removeAtMost), dryRun, context);
  if (all) return removeFound(suppliedBy(supplier), dryRun, context);
  return runFile(removeCommand(noun), file ?? registrationSource(registration ?? []), options, context);
};

export const addRemoveCommands = (program: Command, run: Runner): void => {
  const removals = program
    .command('remove')
    .description('remove records for good, which later files may bring back; what is not there is counted');
  for (const [noun, { name, other }] of Object.entries(REMOVALS) as [RecordKind, (typeof REMOVALS)[RecordKind]][]) {
    const command = addSupplierOption(addRegistrationFile(removals.command(noun)), noun, 'with --all: the supplier')
      .description(
        `remove ${name}, not ${REMOVALS[other].name}; a file with a row that has no valid registration is refused`,
      )
      .addHelpText('after', exampleOf(`remove ${noun} --registration "AB12 CDE" KR08NIL`))
      .action((file: string | undefined, options: RemoveOptions) =>
        run((context) => runRemove(noun, file, options, context)),
      );
    if (noun === 'vehicles') {
      command
        .option('--all', 'instead of a file: everything of --supplier, or of the supplier without a name')
        .option(
          '--ended-before <day>',
          'instead of a file: vehicles whose last policy ended before this day, and which nobody has updated since',
          parseDay,
        )
        .option(
          '--remove-at-most <n>',
          'with --ended-before, change nothing when more than N or N% of the vehicles would go (default: 5%)',
          parseLimit,
        );
    }
  }
};
