import type { Command } from 'commander';
import { CommandFailure, type CommandResult, EXIT } from './command/command-result.ts';
import { exampleOf, formatNumber, toLines } from './command/format.ts';
import { readCaller } from './deployment/aws-requests.ts';
import type { CommandContext, Runner } from './deployment/deployment.ts';
import { type FileCommand, REGISTRATION_FILE } from './files/file-command.ts';
import { addRegistrationFile, type FileOptions } from './files/file-options.ts';
import type { Row } from './files/rows.ts';
import { runFile } from './files/run-file.ts';
import { registrationSource, sourceOf } from './files/source-file.ts';
import { type ErasureChange, type ErasureState, findErasures } from './records/erasures.ts';
import { WHOLE_VEHICLES } from './records/vehicle-parts.ts';

const ERASES = {
  consequence: 'This erases vehicles and their compliance records for good, also from files that come later',
  note: 'The registrations stay in both tables, so that nothing brings these vehicles back.',
};

const UNDOES = {
  consequence: 'This lets vehicles come back with the next file that has them',
  outcomes: ['undone', 'notThere'],
} as const;

/** A command on erasures. A registration may be in the file more than once: it is changed and counted once. */
const erasureCommand = (
  changeOf: (registration: string, fields: Row['fields']) => ErasureChange,
  about: Pick<FileCommand, 'consequence' | 'outcomes' | 'note'>,
): FileCommand => ({
  ...REGISTRATION_FILE,
  ...about,
  verb: 'erase',
  noun: 'vehicles',
  rowHandling: {
    kind: 'records',
    target: WHOLE_VEHICLES,
    read: ([row], registration) => ({ change: changeOf(registration, row?.fields ?? {}) }),
  },
});

/** Copies erasures, and that some were undone, from lines that each have a registration and a state. */
const COPY = erasureCommand(
  (registration, { state }) => ({ kind: 'copyErasure', registration, state: state as ErasureState }),
  { consequence: ERASES.consequence, outcomes: ['erased', 'unchanged', 'undone', 'kept'] },
);

interface EraseOptions extends Partial<FileOptions> {
  readonly registration?: readonly string[];
  readonly from?: string;
  readonly undo?: boolean;
}

const MAX_COPIES_SHOWN = 20;

/** Adds which objects of the intake still have the vehicles, as what a load has changed. */
const addCopies = async (
  { notes = '', data, ...result }: CommandResult,
  erased: ReadonlySet<string>,
  context: CommandContext,
): Promise<CommandResult> => {
  // The client of S3 takes long to load.
  const { findCopies } = await import('./intake/find-copies.ts');
  const copies = await findCopies(erased, context);
  if (copies === undefined) {
    const interrupted = context.signal.aborted;
    const exitCode = interrupted ? EXIT.interrupted : EXIT.incomplete;
    return { ...result, notes, data: { ...Object(data), interrupted, copies: null }, exitCode };
  }
  if (copies.length === 0) return { ...result, notes, data: { ...Object(data), copies } };
  const more = copies.length - MAX_COPIES_SHOWN;
  const lines = [
    'What loads have changed still has these vehicles, until it expires 14 days after the load, in',
    ...copies.slice(0, MAX_COPIES_SHOWN),
    more > 0 && `… and ${formatNumber(more)} more`,
  ];
  return { ...result, notes: notes + toLines(lines), data: { ...Object(data), copies } };
};

const runErase = async (
  file: string | undefined,
  { registration, from, undo = false, ...options }: EraseOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  const nothing = 'nothing was changed';
  if ([file, registration, from].filter((one) => one !== undefined).length !== 1) {
    throw new CommandFailure(`name one of FILE, --registration R… and --from TABLE: ${nothing}`);
  }
  if (undo && registration === undefined) throw new CommandFailure(`--undo needs --registration R…: ${nothing}`);
  if (from !== undefined) {
    const found = await findErasures(from, context);
    if (found === undefined) {
      throw new CommandFailure(`${context.deployment.address} has no table ${from}, or it is not ready yet`);
    }
    const lines = Array.from(found, ([one, state]) => JSON.stringify({ registration: one, state }));
    return runFile(COPY, sourceOf(lines), options, context);
  }
  const source = file ?? registrationSource(registration ?? []);
  const at = context.now().toISOString();
  if (undo) {
    const command = erasureCommand((one) => ({ kind: 'undoErasure', registration: one, at }), UNDOES);
    return runFile(command, source, options, context);
  }
  const erasure = { at, by: await readCaller(context.deployment) };
  const erased = new Set<string>();
  const changeOf = (one: string): ErasureChange => {
    erased.add(one);
    return { kind: 'erase', registration: one, erasure };
  };
  const outcomes = ['erased', 'notThere', 'unchanged'] as const;
  const result = await runFile(erasureCommand(changeOf, { ...ERASES, outcomes }), source, options, context);
  return context.deployment.intake === undefined ? result : addCopies(result, erased, context);
};

export const addEraseCommand = (program: Command, run: Runner): void => {
  addRegistrationFile(program.command('erase'))
    .description('erase vehicles that must not come back, in both tables; a file with an unreadable row is refused')
    .option('--from <table>', 'instead of a file: the erasures in another table, such as the one before a restore')
    .option('--undo', 'with --registration: take erasures back, which brings no data back')
    .addHelpText('after', exampleOf('erase --registration AB12CDE'))
    .action((file: string | undefined, options: EraseOptions) => run((context) => runErase(file, options, context)));
};
