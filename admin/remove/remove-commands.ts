import { type Command, Option } from 'commander';
import { CommandFailure, type CommandResult, EXIT } from '../command/command-result.ts';
import { exampleOf } from '../command/format.ts';
import { type CommandContext, type Runner, requireConfirmation } from '../deployment/deployment.ts';
import type { FileKind } from '../file-command/file-kind.ts';
import { addFileOptions, type FileOptions } from '../file-command/file-options.ts';
import { recordChanges } from '../file-command/record-changes.ts';
import { runFile } from '../file-command/run-file.ts';
import { REGISTRATION_FORMATS, REGISTRATION_ROWS } from '../file-command/stage-file.ts';
import { COMPLIANCE } from '../import/compliance.ts';
import { parseRegistrations } from '../registrations-option.ts';
import { addSupplierOption, requireSuppliers } from '../supplier-option.ts';
import { WHOLE_VEHICLES } from '../vehicle-parts.ts';
import { removeSupplied } from './remove-supplied.ts';

const FORMS = { vehicles: WHOLE_VEHICLES, compliance: COMPLIANCE } as const;

const RECORDS = { vehicles: 'vehicles', compliance: 'compliance records' } as const;

/** Removes the records of the registrations in a file from one of the two tables. */
const removeKind = (noun: keyof typeof RECORDS, other: keyof typeof RECORDS) =>
  ({
    ...REGISTRATION_ROWS,
    verb: 'remove',
    noun,
    consequence: `This removes ${RECORDS[noun]} for good`,
    formats: REGISTRATION_FORMATS,
    outcomes: ['removed', 'notThere', 'erased'],
    note: `Only ${RECORDS[noun]} were removed; "remove ${other}" removes ${RECORDS[other]}.`,
    writing: {
      form: FORMS[noun],
      // A registration may be in the file more than once, as in a vehicles CSV: it is removed and counted once.
      read: (_rows, registration) => ({ change: { registration, removesWhole: true }, rejected: [], repeated: 0 }),
    },
  }) satisfies FileKind;

interface RemoveOptions extends Partial<FileOptions> {
  readonly registration?: readonly string[];
  readonly all?: boolean;
}

/** Removes nothing when one of the registrations is invalid. @throws CommandFailure */
const removeRegistrations = async (
  { noun, consequence, note }: ReturnType<typeof removeKind>,
  raw: readonly string[],
  dryRun: boolean,
  context: CommandContext,
): Promise<CommandResult> => {
  const changes = parseRegistrations(raw, 'nothing was removed').map((registration) => ({
    registration,
    removesWhole: true,
  }));
  if (!dryRun) await requireConfirmation(consequence, context);
  const { writeAll } = recordChanges(FORMS[noun], { ...context, dryRun, ifNewer: false });
  const counts = { removed: 0, notThere: 0, erased: 0 };
  const notThere: string[] = [];
  await writeAll(
    changes,
    () => context.signal.aborted,
    (result, { registration }) => {
      if (result === 'removed' || result === 'notThere' || result === 'erased') counts[result] += 1;
      if (result === 'notThere') notThere.push(registration);
    },
  );
  const left = changes.length - counts.removed - counts.notThere - counts.erased;
  return {
    text: `${dryRun ? 'would be removed' : 'removed'}: ${counts.removed}, not there: ${counts.notThere}, erased: ${counts.erased}\n`,
    notes:
      (notThere.length > 0 ? `Not there: ${notThere.join(', ')}.\n` : '') +
      (left > 0 ? `Stopped by Ctrl-C; not done: ${left}.\n` : dryRun ? 'Dry run: nothing was removed.\n' : `${note}\n`),
    data: { kind: noun, ...counts, registrationsNotThere: notThere, interrupted: left > 0, ...(dryRun && { dryRun }) },
    exitCode: left > 0 ? EXIT.interrupted : EXIT.done,
  };
};

/** Adds `remove vehicles` and `remove compliance`. */
export const addRemoveCommands = (program: Command, run: Runner): void => {
  const removals = program
    .command('remove')
    .description('remove records for good, which later files may bring back; what is not there is counted');
  for (const [noun, other] of [
    ['vehicles', 'compliance'],
    ['compliance', 'vehicles'],
  ] as const) {
    const kind = removeKind(noun, other);
    addSupplierOption(addFileOptions(removals.command(noun)), noun, 'with --all: the supplier')
      .description(
        `remove ${RECORDS[noun]}, not ${RECORDS[other]}; a file with a row that has no valid registration is refused`,
      )
      .argument('[file]', 'a .csv or .ndjson file with a registration column or field, or a .txt with one a line')
      .option('--registration <registrations...>', 'one or more registrations instead of a file')
      .addOption(
        new Option('--all', 'instead of a file: everything of --supplier, or of the supplier without a name').hideHelp(
          noun !== 'vehicles',
        ),
      )
      .addHelpText('after', exampleOf(`remove ${noun} --registration "AB12 CDE" KR08NIL`))
      .action((file: string | undefined, { registration, all, supplier, dryRun = false, ...options }: RemoveOptions) =>
        run((context) => {
          requireSuppliers(noun, supplier);
          if (all) {
            if (noun !== 'vehicles') throw new CommandFailure('--all is for vehicles, and nothing was removed');
            if (file !== undefined || registration !== undefined || Object.keys(options).length > 0) {
              throw new CommandFailure('--all is given alone, with --supplier or with --dry-run: nothing was removed');
            }
            return removeSupplied(supplier, dryRun, context);
          }
          if (supplier !== undefined) {
            throw new CommandFailure('--supplier is for --all, and nothing was removed: add that, or leave this out');
          }
          if (registration === undefined) {
            if (file === undefined) throw new CommandFailure('name a FILE, or registrations with --registration R…');
            return runFile(kind, file, { ...options, dryRun }, context);
          }
          if (file !== undefined) throw new CommandFailure('give either a FILE or --registration, not both');
          if (Object.keys(options).length > 0) {
            throw new CommandFailure(
              '--map, --encoding and --staging are for a FILE: leave them out with --registration',
            );
          }
          return removeRegistrations(kind, registration, dryRun, context);
        }),
      );
  }
};
