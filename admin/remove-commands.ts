import type { Command } from 'commander';
import type { RecordKind } from '../core/stage/outputs.ts';
import { CommandFailure, type CommandResult, EXIT } from './command/command-result.ts';
import { exampleOf, formatNumber, toLines } from './command/format.ts';
import { type CommandContext, type Runner, requireConfirmation } from './deployment/deployment.ts';
import { type FileCommand, REGISTRATION_FILE } from './files/file-command.ts';
import { addRegistrationFile, addSupplierOption, type FileOptions, registrationLines } from './files/file-options.ts';
import { BEGINS_AGAIN } from './files/report.ts';
import { runFile } from './files/run-file.ts';
import { partTarget, WHOLE_COMPLIANCE } from './records/compliance-parts.ts';
import { recordChanges } from './records/record-changes.ts';
import type { RecordTarget } from './records/record-target.ts';
import { storedRecords } from './records/stored-records.ts';
import { supplierTarget, WHOLE_VEHICLES } from './records/vehicle-parts.ts';

/** What a removal takes, in words, and the command that takes what it leaves. */
const REMOVALS: Readonly<Record<RecordKind, { target: RecordTarget; name: string; other: RecordKind }>> = {
  vehicles: { target: WHOLE_VEHICLES, name: 'vehicles', other: 'compliance' },
  mot: { target: partTarget('mot'), name: 'MOT dates', other: 'compliance' },
  tax: { target: partTarget('tax'), name: 'road tax', other: 'compliance' },
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

/** Damaged records stay, because they may be other suppliers'. */
const removeSupplied = async (
  supplier: string | undefined,
  dryRun: boolean,
  context: CommandContext,
): Promise<CommandResult> => {
  const what = `everything that ${supplier === undefined ? 'was supplied without a name' : `${supplier} has supplied`}`;
  if (!dryRun) await requireConfirmation(`This removes ${what} for good`, context);
  const target = supplierTarget(supplier);
  const remove = recordChanges(target, { dryRun }, context);
  let [removed, damaged] = [0, 0];
  await storedRecords(target, context).scan(async (page) => {
    damaged += page.filter(([, { parts }]) => parts === undefined).length;
    const supplied = page.filter(([, { parts }]) => [...(parts ?? [])].some(([name]) => target.replaces(name)));
    await remove(
      supplied.map(([registration]) => ({ kind: 'remove', registration })),
      (_, result) => {
        if (result === 'removed') removed += 1;
      },
    );
  });
  const interrupted = context.signal.aborted;
  const notes = [
    interrupted && `Stopped by Ctrl-C; ${BEGINS_AGAIN}.`,
    !interrupted &&
      removed + damaged === 0 &&
      `There was nothing that ${supplier ?? 'a supplier without a name'} has supplied.`,
    damaged > 0 && `Damaged records, which may be anyone’s, stay: ${formatNumber(damaged)}.`,
    dryRun && 'Dry run: nothing was changed.',
  ];
  return {
    text: `${dryRun ? 'would be removed' : 'removed'}: ${formatNumber(removed)}\n`,
    notes: toLines(notes),
    data: { kind: 'vehicles', supplier: supplier ?? null, removed, damaged, interrupted, ...(dryRun && { dryRun }) },
    exitCode: interrupted ? EXIT.interrupted : damaged > 0 ? EXIT.incomplete : EXIT.done,
  };
};

interface RemoveOptions extends Partial<FileOptions> {
  readonly registration?: readonly string[];
  readonly all?: boolean;
  readonly supplier?: string;
}

const runRemove = async (
  noun: RecordKind,
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
      command.option('--all', 'instead of a file: everything of --supplier, or of the supplier without a name');
    }
  }
};
