import { join } from 'node:path';
import type { Command } from 'commander';
import type { RecordKind } from '../core/stage/outputs.ts';
import { CommandFailure, type CommandResult, EXIT } from './command/command-result.ts';
import { exampleOf, formatNumber, toLines } from './command/format.ts';
import { type CommandContext, type Runner, requireConfirmation, tableName } from './deployment/deployment.ts';
import { beginChanges } from './files/changes-file.ts';
import { type FileCommand, REGISTRATION_FILE } from './files/file-command.ts';
import {
  addRegistrationFile,
  addSupplierOption,
  type FileOptions,
  limitOf,
  registrationLines,
} from './files/file-options.ts';
import { finishLoad } from './files/finish-load.ts';
import { BEGINS_AGAIN } from './files/report.ts';
import { runFile } from './files/run-file.ts';
import { partTarget, WHOLE_COMPLIANCE } from './records/compliance-parts.ts';
import { recordChanges } from './records/record-changes.ts';
import { NAMELESS, type Parts, type RecordTarget } from './records/record-target.ts';
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

/** A removal without a file, of what a scan finds. */
interface Removal {
  readonly target: RecordTarget;
  readonly supplier?: string;
  readonly isTaken: (parts: Parts) => boolean;
  readonly what: string;
  /** How many may go of all vehicles that are stored; no limit when absent. */
  readonly removeAtMost?: string | undefined;
  readonly note?: string;
}

const suppliedBy = (supplier: string | undefined): Removal => {
  const what = supplier === undefined ? 'was supplied without a name' : `${supplier} has supplied`;
  const name = supplier ?? NAMELESS;
  return { target: supplierTarget(supplier), supplier: name, isTaken: (parts) => parts.has(name), what };
};

/** Refuses a removal of more vehicles than its limit permits. */
const requireFewTaken = async ({ target, isTaken, removeAtMost }: Removal, context: CommandContext): Promise<void> => {
  if (removeAtMost === undefined) return;
  let [stored, taken] = [0, 0];
  await storedRecords(target, context).scan((page) => {
    for (const [, { parts }] of page) {
      if (parts === undefined || parts.size === 0) continue;
      stored += 1;
      if (isTaken(parts)) taken += 1;
    }
  });
  const most = limitOf(removeAtMost, stored);
  if (context.signal.aborted || taken <= most) return;
  throw new CommandFailure(
    `${formatNumber(taken)} of ${formatNumber(stored)} vehicles would go, more than the ${formatNumber(most)} of --remove-at-most ${removeAtMost}: nothing was changed; when this is right, raise --remove-at-most to ${taken}`,
  );
};

/** Damaged records stay, because they may be other suppliers'. */
const removeFound = async (removal: Removal, dryRun: boolean, context: CommandContext): Promise<CommandResult> => {
  const { target, supplier, isTaken, what, note } = removal;
  if (!dryRun) await requireConfirmation(`This removes everything that ${what} for good`, context);
  await requireFewTaken(removal, context);
  const facts = { kind: 'vehicles', table: tableName(context.deployment, target.table), supplier, dryRun };
  const changes = await beginChanges(join(context.folder, 'remove-vehicles'), facts, undefined, context);
  const remove = recordChanges(target, { dryRun, keepLines: changes.keepLines }, context);
  let [removed, damaged] = [0, 0];
  try {
    await storedRecords(target, context).scan(async (page) => {
      damaged += page.filter(([, { parts }]) => parts === undefined).length;
      const taken = page.filter(([, { parts }]) => parts !== undefined && isTaken(parts));
      await remove(
        taken.map(([registration]) => ({ kind: 'remove', registration, isTaken })),
        (_, result) => {
          if (result === 'removed') removed += 1;
        },
      );
    });
  } finally {
    await changes.close();
  }
  const interrupted = context.signal.aborted;
  if (removed > 0 && !interrupted && !dryRun) await finishLoad(changes.load, target.table, context);
  const notes = [
    interrupted && `Stopped by Ctrl-C; ${BEGINS_AGAIN}.`,
    !interrupted && removed + damaged === 0 && `There was nothing that ${what}.`,
    damaged > 0 && `Damaged records, which may be anyone’s, stay: ${formatNumber(damaged)}.`,
    dryRun ? 'Dry run: nothing was changed.' : note,
  ];
  const named = supplier === NAMELESS ? null : (supplier ?? null);
  const data = { kind: 'vehicles', supplier: named, removed, damaged, interrupted };
  return {
    text: toLines([
      `${dryRun ? 'would be removed' : 'removed'}: ${formatNumber(removed)}`,
      removed > 0 && `What ${dryRun ? 'would change' : 'was changed'} is in ${changes.name}`,
    ]),
    notes: toLines(notes),
    data: { ...data, changesFile: changes.name, ...(dryRun && { dryRun }) },
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
  if (all) return removeFound(suppliedBy(supplier), options.dryRun ?? false, context);
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
