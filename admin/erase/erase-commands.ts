import type { Command } from 'commander';
import type { Erasure } from '../../core/vehicles/erasure.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { exampleOf } from '../command/format.ts';
import { readCaller } from '../deployment/aws-requests.ts';
import type { CommandContext, Runner } from '../deployment/deployment.ts';
import { erasures, findErasures } from '../file-command/erasures.ts';
import type { FileKind } from '../file-command/file-kind.ts';
import { addFileOptions, type FileOptions } from '../file-command/file-options.ts';
import { runFile } from '../file-command/run-file.ts';
import { REGISTRATION_FORMATS, REGISTRATION_ROWS } from '../file-command/stage-file.ts';
import { parseRegistrations } from '../registrations-option.ts';
import { WHOLE_VEHICLES } from '../vehicle-parts.ts';
import { runEach } from './run-each.ts';

const CONSEQUENCE = 'This erases vehicles and their compliance records for good, also from files that come later';
const NOTE = 'The registrations stay in both tables, so that nothing brings these vehicles back.';

const eraseKind = (erasure: Erasure['erased']): FileKind => ({
  ...REGISTRATION_ROWS,
  verb: 'erase',
  noun: 'vehicles',
  consequence: CONSEQUENCE,
  formats: REGISTRATION_FORMATS,
  outcomes: ['erased', 'notThere', 'unchanged'],
  note: NOTE,
  writing: {
    form: WHOLE_VEHICLES,
    // A registration may be in the file more than once: it is erased and counted once.
    read: (_rows, registration) => ({ change: { registration, erasure }, rejected: [], repeated: 0 }),
  },
});

interface EraseOptions extends Partial<FileOptions> {
  readonly registration?: readonly string[];
  readonly from?: string;
  readonly undo?: boolean;
}

/** Copies the erasures of another table, such as the one that a restored table replaces. */
const eraseFrom = async (table: string, dryRun: boolean, context: CommandContext): Promise<CommandResult> => {
  const there = await findErasures(table, context);
  if (there === undefined) {
    throw new CommandFailure(`${context.deployment.address} has no table ${table}, or it is not ready yet`);
  }
  const found = there.map(({ registration, erased }) => [registration, erased] as const);
  const { erase } = erasures(context);
  const copy = async (registration: string, erased: Erasure['erased']) =>
    (await erase(registration, erased, dryRun)) === 'unchanged' ? 'unchanged' : 'erased';
  const job = { consequence: CONSEQUENCE, outcomes: ['erased', 'unchanged'] as const, note: NOTE };
  return runEach(found, { ...job, work: ([registration, erased]) => copy(registration, erased) }, dryRun, context);
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
  if (from !== undefined) return eraseFrom(from, dryRun, context);
  const erasure = { at: context.now().toISOString(), by: await readCaller(context.deployment) };
  if (file !== undefined) return runFile(eraseKind(erasure), file, { ...options, dryRun }, context);
  const registrations = parseRegistrations(registration ?? [], nothing);
  const { erase, undo: undoOne } = erasures(context);
  if (undo) {
    const consequence = 'This lets vehicles come back with the next file that has them';
    const outcomes = ['undone', 'notThere'] as const;
    return runEach(registrations, { consequence, outcomes, work: (one) => undoOne(one, dryRun) }, dryRun, context);
  }
  const outcomes = ['erased', 'notThere', 'unchanged'] as const;
  const job = { consequence: CONSEQUENCE, outcomes, note: NOTE };
  return runEach(registrations, { ...job, work: (one) => erase(one, erasure, dryRun) }, dryRun, context);
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
