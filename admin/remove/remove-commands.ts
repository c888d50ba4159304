import { type Command, Option } from 'commander';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { exampleOf } from '../command/format.ts';
import type { CommandContext, Runner } from '../deployment/deployment.ts';
import { type FileKind, REGISTRATION_FILE } from '../files/file-kind.ts';
import { addFileOptions, type FileOptions } from '../files/file-options.ts';
import { runFile } from '../files/run-file.ts';
import { COMPLIANCE } from '../import/compliance.ts';
import { changeRegistrations, parseRegistrations } from '../records/change-registrations.ts';
import { recordChanges } from '../records/record-changes.ts';
import { WHOLE_VEHICLES } from '../records/vehicle-parts.ts';
import { addSupplierOption, requireSuppliers } from '../supplier-option.ts';
import { removeSupplied } from './remove-supplied.ts';

const RECORDS = { vehicles: 'vehicles', compliance: 'compliance records' } as const;
const OTHER = { vehicles: 'compliance', compliance: 'vehicles' } as const;

/** Removes the records of the registrations in a file from one of the two tables. */
const removeKind = (noun: keyof typeof RECORDS) =>
  ({
    ...REGISTRATION_FILE,
    verb: 'remove',
    noun,
    consequence: `This removes ${RECORDS[noun]} for good`,
    outcomes: ['removed', 'notThere', 'erased'],
    note: `Only ${RECORDS[noun]} were removed; "remove ${OTHER[noun]}" removes ${RECORDS[OTHER[noun]]}.`,
    writing: {
      form: noun === 'vehicles' ? WHOLE_VEHICLES : COMPLIANCE,
      // A registration may be in the file more than once, as in a vehicles CSV: it is removed and counted once.
      read: (_rows, registration) => ({ change: { registration } }),
    },
  }) as const satisfies FileKind;

interface RemoveOptions extends Partial<FileOptions> {
  readonly registration?: readonly string[];
  readonly all?: boolean;
  readonly supplier?: string;
}

const removeThese = (
  kind: ReturnType<typeof removeKind>,
  registrations: readonly string[],
  dryRun: boolean,
  context: CommandContext,
): Promise<CommandResult> => {
  const remove = recordChanges(kind.writing.form, { dryRun }, context);
  const changes = registrations.map((registration) => ({ registration }));
  const work = (settle: (registration: string, outcome: 'removed' | 'notThere' | 'erased') => void) =>
    remove(changes, ({ registration }, result) =>
      settle(registration, result === 'notThere' || result === 'erased' ? result : 'removed'),
    );
  return changeRegistrations(changes.length, { ...kind, work }, dryRun, context);
};

const runRemove = async (
  noun: keyof typeof RECORDS,
  file: string | undefined,
  { registration, all, supplier, dryRun = false, ...options }: RemoveOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  const kind = removeKind(noun);
  requireSuppliers(noun, supplier);
  if (all && noun !== 'vehicles') throw new CommandFailure('--all is for vehicles, and nothing was removed');
  if (!all && supplier !== undefined) {
    throw new CommandFailure('--supplier is for --all, and nothing was removed: add that, or leave this out');
  }
  if ([file, registration, all].filter((one) => one !== undefined).length !== 1) {
    throw new CommandFailure('name one of FILE, --registration R… and --all: nothing was removed');
  }
  if (file !== undefined) return runFile(kind, file, { ...options, dryRun }, context);
  if (Object.keys(options).length > 0) {
    throw new CommandFailure('--map, --encoding and --staging are for a FILE: nothing was removed');
  }
  if (all) return removeSupplied(supplier, dryRun, context);
  return removeThese(kind, parseRegistrations(registration ?? []), dryRun, context);
};

/** Adds `remove vehicles` and `remove compliance`. */
export const addRemoveCommands = (program: Command, run: Runner): void => {
  const removals = program
    .command('remove')
    .description('remove records for good, which later files may bring back; what is not there is counted');
  for (const noun of ['vehicles', 'compliance'] as const) {
    addSupplierOption(addFileOptions(removals.command(noun)), noun, 'with --all: the supplier')
      .description(
        `remove ${RECORDS[noun]}, not ${RECORDS[OTHER[noun]]}; a file with a row that has no valid registration is refused`,
      )
      .argument('[file]', 'a .csv or .ndjson file with a registration column or field, or a .txt with one a line')
      .option('--registration <registrations...>', 'one or more registrations instead of a file')
      .addOption(
        new Option('--all', 'instead of a file: everything of --supplier, or of the supplier without a name').hideHelp(
          noun !== 'vehicles',
        ),
      )
      .addHelpText('after', exampleOf(`remove ${noun} --registration "AB12 CDE" KR08NIL`))
      .action((file: string | undefined, options: RemoveOptions) =>
        run((context) => runRemove(noun, file, options, context)),
      );
  }
};
