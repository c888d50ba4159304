import { Readable } from 'node:stream';
import { DeleteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Command } from 'commander';
import { normaliseRegistration, registrationIssue } from '../../../core/vehicles/registration.ts';
import { recordKey } from '../../../core/vehicles/vehicles-table.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { type CommandContext, type Runner, requireConfirmation, tableName } from '../deployment/deployment.ts';
import type { FileCommand, FileOptions, Outcome, RowContext, Writing } from '../file-command/file-command.ts';
import { addFileOptions } from '../file-command/file-options.ts';
import { oneByOne } from '../file-command/record-writer.ts';
import { runFileCommand } from '../file-command/run-file-command.ts';
import { type Row, registrationOf } from '../files/row.ts';
import { fieldChecks } from '../import/field-checks.ts';

/** The records of each table, in a sentence. */
const RECORDS = { vehicles: 'vehicles', compliance: 'compliance records' } as const;

/**
 * Deletes records by their normalised registration. After a lost response the next attempt finds nothing: the record counts
 * as not there.
 */
const deletions = (db: DynamoDBDocumentClient, table: string): Writing<string> =>
  oneByOne(async (registration) => {
    const { Attributes } = await db.send(
      new DeleteCommand({ TableName: table, Key: recordKey(registration), ReturnValues: 'ALL_OLD' }),
    );
    return Attributes === undefined ? 'notThere' : 'removed';
  });

const reasonsOf = (row: Row, context: RowContext): readonly string[] => {
  if (row.issues.length > 0) return row.issues;
  const check = fieldChecks(context);
  check.invalidRegistration('registration', row.fields.registration);
  return check.reasons;
};

/**
 * Removes the records of the registrations in a file from one table, whatever else its rows have. The same vehicles may have
 * others in the other table.
 */
const removeCommand = (noun: keyof typeof RECORDS, other: keyof typeof RECORDS) =>
  ({
    verb: 'remove',
    noun,
    consequence: `This erases ${RECORDS[noun]} for good`,
    formats: ['csv', 'ndjson', 'txt'],
    columns: { required: ['registration'], optional: [], others: true },
    outcomes: ['removed', 'notThere'],
    note: `Only ${RECORDS[noun]} were removed; "remove ${other}" removes ${RECORDS[other]}.`,
    keyOf: registrationOf,
    // A registration may be in the file more than once, as in a vehicles CSV: it is removed and counted once.
    read: ({ key, rows, firstLine }, context) => {
      const isReadable = (row: Row) => key !== undefined && row.issues.length === 0;
      const rejected = rows.filter((row) => !isReadable(row)).map((row) => ({ row, reasons: reasonsOf(row, context) }));
      const isFirst = rows[0]?.line === firstLine;
      return key !== undefined && isFirst && rows.some(isReadable) ? { record: key, rejected } : { rejected };
    },
    writing: ({ deployment: { db }, table }) => deletions(db, table),
  }) satisfies FileCommand<string>;

interface RemoveOptions extends Partial<FileOptions> {
  readonly registration?: readonly string[];
}

const parseRegistration = (raw: string, index: number): string => {
  const registration = normaliseRegistration(raw);
  if (registration !== undefined) return registration;
  throw new CommandFailure(`registration ${index + 1} ${registrationIssue(raw)}; nothing was removed`);
};

/** Removes the records of these registrations, in any spelling. @throws CommandFailure when one is invalid; nothing is removed then */
const removeRegistrations = async (
  { noun, consequence, note }: ReturnType<typeof removeCommand>,
  raw: readonly string[],
  context: CommandContext,
): Promise<CommandResult> => {
  const registrations = new Set(raw.map(parseRegistration));
  await requireConfirmation(consequence, context);
  const { deployment } = context;
  const { requestsInFlight, write } = deletions(deployment.db, tableName(deployment, noun));
  const outcomes: Outcome[] = await Readable.from(registrations)
    .flatMap((registration: string) => write([registration]), { concurrency: requestsInFlight })
    .toArray();
  const removed = outcomes.filter((outcome) => outcome === 'removed').length;
  const counts = { removed, notThere: outcomes.length - removed };
  return {
    text: `removed: ${counts.removed}, not there: ${counts.notThere}\n`,
    notes: `${note}\n`,
    data: { kind: noun, ...counts },
  };
};

/** Adds `remove vehicles` and `remove compliance`. */
export const addRemoveCommands = (program: Command, run: Runner): void => {
  const removals = program.command('remove').description('erase records for good; what is not there is counted');
  for (const [noun, other] of [
    ['vehicles', 'compliance'],
    ['compliance', 'vehicles'],
  ] as const) {
    const command = removeCommand(noun, other);
    addFileOptions(removals.command(noun))
      .description(`erase ${RECORDS[noun]}, not ${RECORDS[other]}; rejected rows go to FILE.rejected.csv or .ndjson`)
      .argument('[file]', 'a .csv or .ndjson file with a registration column or field, or a .txt with one a line')
      .option('--registration <registrations...>', 'one or more registrations instead of a file')
      .action((file: string | undefined, { registration, ...options }: RemoveOptions) =>
        run((context) => {
          if (registration === undefined) {
            if (file === undefined) throw new CommandFailure('name a FILE, or registrations with --registration R…');
            return runFileCommand(command, file, options, context);
          }
          if (file !== undefined) throw new CommandFailure('give either a FILE or --registration, not both');
          if (Object.keys(options).length > 0) {
            throw new CommandFailure(
              '--restart, --staging and --map are for a FILE: leave them out with --registration',
            );
          }
          return removeRegistrations(command, registration, context);
        }),
      );
  }
};
