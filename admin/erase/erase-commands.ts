import type { Command } from 'commander';
import type { Erasure } from '../../core/vehicles/erasure.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { exampleOf } from '../command/format.ts';
import { readCaller } from '../deployment/aws-requests.ts';
import type { CommandContext, Runner } from '../deployment/deployment.ts';
import { type FileKind, REGISTRATION_FILE } from '../files/file-kind.ts';
import { addFileOptions, type FileOptions } from '../files/file-options.ts';
import { runFile } from '../files/run-file.ts';
import { changeRegistrations, parseRegistrations } from '../records/change-registrations.ts';
import { erasures, findErasures } from '../records/erasures.ts';
import { type RecordChange, recordChanges } from '../records/record-changes.ts';
import { runConcurrently } from '../records/run-concurrently.ts';
import { WHOLE_VEHICLES } from '../records/vehicle-parts.ts';

/** Erasures that are taken back at a time. */
const UNDONE_IN_FLIGHT = 32;

const ERASE = {
  noun: 'vehicles',
  consequence: 'This erases vehicles and their compliance records for good, also from files that come later',
  outcomes: ['erased', 'notThere', 'unchanged'],
  note: 'The registrations stay in both tables, so that nothing brings these vehicles back.',
} as const;

const eraseKind = (erasure: Erasure['erased']): FileKind => ({
  ...REGISTRATION_FILE,
  ...ERASE,
  verb: 'erase',
  writing: {
    form: WHOLE_VEHICLES,
    // A registration may be in the file more than once: it is erased and counted once.
    read: (_rows, registration) => ({ change: { registration, erasure } }),
  },
});

interface EraseOptions extends Partial<FileOptions> {
  readonly registration?: readonly string[];
  readonly from?: string;
  readonly undo?: boolean;
}

/** @param isCopy whether erasures are copied, so that it does not matter what they replace */
const eraseThese = (changes: readonly RecordChange[], dryRun: boolean, isCopy: boolean, context: CommandContext) => {
  const erase = recordChanges(WHOLE_VEHICLES, { dryRun }, context);
  const outcomes = ERASE.outcomes.filter((outcome) => !isCopy || outcome !== 'notThere');
  const job = { ...ERASE, outcomes };
  return changeRegistrations(
    changes.length,
    {
      ...job,
      work: (settle) =>
        erase(changes, ({ registration }, result) =>
          settle(registration, result === 'unchanged' || (result === 'notThere' && !isCopy) ? result : 'erased'),
        ),
    },
    dryRun,
    context,
  );
};

const undoThese = (registrations: readonly string[], dryRun: boolean, context: CommandContext) => {
  const { undo } = erasures(context);
  const isStopped = () => context.signal.aborted;
  return changeRegistrations(
    registrations.length,
    {
      noun: 'vehicles',
      consequence: 'This lets vehicles come back with the next file that has them',
      outcomes: ['undone', 'notThere'],
      work: (settle) =>
        runConcurrently(registrations, UNDONE_IN_FLIGHT, isStopped, async (registration) =>
          settle(registration, await undo(registration, dryRun)),
        ),
    },
    dryRun,
    context,
  );
};

/** The erasures of another table, such as the one that a restored table replaces. */
const erasuresOf = async (table: string, context: CommandContext): Promise<RecordChange[]> => {
  const found = await findErasures(table, context);
  if (found !== undefined) return found.map(({ registration, erased }) => ({ registration, erasure: erased }));
  throw new CommandFailure(`${context.deployment.address} has no table ${table}, or it is not ready yet`);
};

const runErase = async (
  file: string | undefined,
  { registration, from, undo = false, dryRun = false, ...options }: EraseOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  const nothing = 'nothing was changed';
  if ([file, registration, from].filter((one) => one !== undefined).length !== 1) {
    throw new CommandFailure(`name one of FILE, --registration R… and --from TABLE: ${nothing}`);
  }
  if (undo && registration === undefined) throw new CommandFailure(`--undo needs --registration R…: ${nothing}`);
  if (file === undefined && Object.keys(options).length > 0) {
    throw new CommandFailure(`--map, --encoding and --staging are for a FILE: ${nothing}`);
  }
  if (from !== undefined) return eraseThese(await erasuresOf(from, context), dryRun, true, context);
  const erasure = { at: context.now().toISOString(), by: await readCaller(context.deployment) };
  if (file !== undefined) return runFile(eraseKind(erasure), file, { ...options, dryRun }, context);
  const registrations = parseRegistrations(registration ?? []);
  if (undo) return undoThese(registrations, dryRun, context);
  const changes = registrations.map((one) => ({ registration: one, erasure }));
  return eraseThese(changes, dryRun, false, context);
};

/** Adds `erase`. */
export const addEraseCommand = (program: Command, run: Runner): void => {
  addFileOptions(program.command('erase'))
    .description('erase vehicles that must not come back, in both tables; a file with an unreadable row is refused')
    .argument('[file]', 'a .csv or .ndjson file with a registration column or field, or a .txt with one a line')
    .option('--registration <registrations...>', 'one or more registrations instead of a file')
    .option('--from <table>', 'instead of a file: the erasures in another table, such as the one before a restore')
    .option('--undo', 'with --registration: take erasures back, which brings no data back')
    .addHelpText('after', exampleOf('erase --registration AB12CDE'))
    .action((file: string | undefined, options: EraseOptions) => run((context) => runErase(file, options, context)));
};
