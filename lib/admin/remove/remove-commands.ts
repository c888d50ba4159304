import { type Command, Option } from 'commander';
import { CommandFailure } from '../command/outcome.ts';
import type { Runner } from '../deployment/deployment.ts';
import { runFileCommand } from '../file-command/run-file-command.ts';
import { removeRegistrations } from './remove-registrations.ts';
import { RECORDS, type RemoveKind, removeCommand } from './remove-rows.ts';

const KINDS: readonly RemoveKind[] = [
  { noun: 'vehicles', other: 'compliance' },
  { noun: 'compliance', other: 'vehicles' },
];

interface RemoveOptions {
  readonly restart?: boolean;
  readonly staging?: string;
  readonly registration?: readonly string[];
}

/** @throws CommandFailure unless there is either a file or registrations */
const requireEither = (file: string | undefined, { restart, staging, registration }: RemoveOptions): void => {
  if (registration === undefined) {
    if (file === undefined) throw new CommandFailure('name a FILE, or registrations with --registration R…');
  } else if (file !== undefined) {
    throw new CommandFailure('give either a FILE or --registration, not both');
  } else if (restart || staging !== undefined) {
    throw new CommandFailure('--restart and --staging are for a FILE: leave them out with --registration');
  }
};

/** Adds `remove vehicles` and `remove compliance`. */
export const addRemoveCommands = (program: Command, run: Runner): void => {
  const removals = program.command('remove').description('erase records for good; what is not there is counted');
  for (const kind of KINDS) {
    removals
      .command(kind.noun)
      .description(`erase ${RECORDS[kind.noun]}, not ${RECORDS[kind.other]}; rejected rows go to FILE.rejected.ndjson`)
      .argument(
        '[file]',
        'a .csv or .ndjson file with a registration column or field, or a .txt with one a line; UTF-8',
      )
      .addOption(new Option('--registration <registrations...>', 'one or more registrations instead of a file'))
      .option('--restart', 'begin with the first row, not where this removal was stopped')
      .option('--staging <folder>', 'folder for FILE.….sqlite, in which rows are staged (default: that of the file)')
      .action((file: string | undefined, options: RemoveOptions) =>
        run((commandRun) => {
          requireEither(file, options);
          const { restart = false, staging, registration = [] } = options;
          if (file === undefined) return removeRegistrations(kind, registration, commandRun);
          return runFileCommand(
            removeCommand(kind),
            file,
            { restart, staging, dates: 'iso', ifNewer: false },
            commandRun,
          );
        }),
      );
  }
};
