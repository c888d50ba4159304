import type { Command } from 'commander';
import { normaliseRegistration, registrationIssue } from '../../core/vehicles/registration.ts';
import { CommandFailure } from '../command/command-result.ts';
import { addFileOptions } from './file-options.ts';

/** Adds a file of registrations with its options, and `--registration` in its place. */
export const addRegistrationFile = (command: Command): Command =>
  addFileOptions(command)
    .argument('[file]', 'a .csv or .ndjson file with a registration column or field, or a .txt with one a line')
    .option('--registration <registrations...>', 'one or more registrations instead of a file');

/** The values of `--registration`, as lines of a file. @throws CommandFailure for an invalid one */
export const registrationLines = (registrations: readonly string[]): readonly string[] =>
  registrations.map((registration, index) => {
    if (normaliseRegistration(registration) !== undefined) return JSON.stringify({ registration });
    throw new CommandFailure(`registration ${index + 1} ${registrationIssue(registration)}; nothing was changed`);
  });
