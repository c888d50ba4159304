import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { UnreadableRecord } from '../core/schemas/record-schema.ts';
import packageJson from '../package.json' with { type: 'json' };
import { addChangesCommand } from './changes-command.ts';
import { CommandFailure, type CommandResult, EXIT, type ExitCode } from './command/command-result.ts';
import type { AdminContext } from './command/context.ts';
import { escapeControls, printable } from './command/format.ts';
import { asCommandFailure } from './deployment/database.ts';
import type { Runner } from './deployment/deployment.ts';
import { type DeploymentOptions, openDeployment } from './deployment/open-deployment.ts';
import { addEraseCommand } from './erase-command.ts';
import { addExportCommands } from './export-commands.ts';
import { addImportCommands } from './import/import-commands.ts';
import { addIntakeCommands } from './intake/intake-commands.ts';
import { addKeysCommands } from './keys/keys-commands.ts';
import { addLookupCommand } from './lookup-command.ts';
import { addLookupsCommand } from './lookups/lookups-command.ts';
import { addRemoveCommands } from './remove-commands.ts';
import { addTablesCommands } from './tables-commands.ts';
import { addUndoCommand } from './undo-command.ts';

const EXIT_CODES = `
Exit codes:
  ${EXIT.done}    done
  ${EXIT.incomplete}    done, but rows were rejected, or damaged records or inconsistencies remain
  ${EXIT.notDone}    not done, or not to the end: invalid arguments, no such file, column, key or database, an error on the way
  ${EXIT.interrupted}  ended by Ctrl-C`;

const parseReadUnits = (text: string): number => {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write a whole number from 1, such as 500.');
};

const newProgram = ({ stdout }: AdminContext): Command =>
  new Command('admin')
    .description('Operator commands of the vehicle verification service.')
    .version(packageJson.version, '--version', 'the version of this service')
    .option(
      '--dynamodb <url>',
      'address of the DynamoDB engine (default: http://127.0.0.1:8000, or port DYNAMODB_PORT)',
    )
    .option(
      '--tables <names>',
      'prefix of the table names, or single tables: keys=NAME,content=NAME (default: local-, or the stack’s)',
    )
    .addOption(
      new Option('--stack <name>', 'work on a deployed stack instead, with your AWS credentials').conflicts('dynamodb'),
    )
    .option(
      '--region <region>',
      'region of the stack (default: in stages/STAGE.json, otherwise AWS_REGION or AWS_DEFAULT_REGION, otherwise the profile’s), or of the tables',
    )
    .option('--profile <profile>', 'AWS profile to use')
    .option(
      '--read-units <number>',
      'most read units a second that a command takes from a table (default: 500 on AWS, otherwise without a limit)',
      parseReadUnits,
    )
    .option('--yes <name>', 'name of a production stack, or of the first table without a stack: confirms changes to it')
    .option('--json', 'one JSON document on standard output, and errors as JSON on standard error')
    // Errors are reported by runAdmin, in one sentence: without the help page that commander would write.
    .configureOutput({ writeOut: (text) => void stdout.write(text), writeErr: () => undefined })
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', EXIT_CODES)
    .exitOverride();

/** Maximum number of characters in a usage sentence, which may quote an argument. */
const MAX_USAGE_LENGTH = 1_000;

/** Escapes more than JSON itself, which escapes only the control characters of C0. */
const jsonLine = (value: unknown): string => `${escapeControls(JSON.stringify(value))}\n`;

const namedCommand = (program: Command, args: readonly string[]): Command =>
  args.reduce((command, arg) => command.commands.find((one) => one.name() === arg) ?? command, program);

/** A wrong command line as one sentence, with the nearest command or option. It may quote arguments. */
const usageSentence = ({ code, message }: CommanderError, command: Command): string => {
  if (code === 'commander.help') {
    return `a command is missing, one of ${command.commands.map((one) => one.name()).join(', ')}; see --help`;
  }
  if (command.name() === 'keys' && /unknown command '(delete|remove)'/.test(message)) {
    return 'keys are kept for the record of what they have used: end one at once with "keys revoke ID"; see --help';
  }
  const what = message.replace(/^error: /, '').replace('\n', ' ');
  return `${printable(what, MAX_USAGE_LENGTH).replace(/\.$/, '')}; see --help`;
};

const sentenceFor = (error: unknown): string => {
  if (error instanceof CommandFailure) return error.message;
  if (error instanceof UnreadableRecord && error.message !== '') {
    return `the stored record of ${error.message} is damaged: docs/runbook.md#errorrate says how to replace it`;
  }
  // The message might quote content of a file.
  if (!(error instanceof Error)) return `unexpected error (${typeof error})`;
  const [, place] = /^ +(at .+)$/m.exec(error.stack ?? '') ?? [];
  return `unexpected error (${[error.name, place].join(' ')})`;
};

/** The result after Ctrl-C, for a command that then returns none of its own. */
const INTERRUPTED: CommandResult = { text: '', data: { interrupted: true }, exitCode: EXIT.interrupted };

/** Runs one command line (without `node` and the script). Every outcome is reported as messages and an exit code. */
export const runAdmin = async (args: readonly string[], context: AdminContext): Promise<ExitCode> => {
  const { stdout, stderr, signal } = context;
  const json = args.includes('--json');
  const notice = (sentence: string) => void stderr.write(json ? jsonLine({ notice: sentence }) : `${sentence}\n`);
  const program = newProgram(context);
  let exitCode: ExitCode = EXIT.done;
  const run: Runner = async (command) => {
    const deployment = await openDeployment(program.opts<DeploymentOptions>(), context);
    const showsProgress = context.showsProgress && !json;
    try {
      const result = await command({ ...context, showsProgress, notice, deployment }).catch((error: unknown) => {
        if (signal.aborted && (error as Error).name === 'AbortError') return INTERRUPTED;
        throw asCommandFailure(error, deployment);
      });
      stdout.write(json ? jsonLine(result.data) : result.text);
      if (!json && result.notes !== undefined) stderr.write(result.notes);
      exitCode = result.exitCode ?? EXIT.done;
    } finally {
      deployment.db.destroy();
    }
  };
  addKeysCommands(program, run);
  addImportCommands(program, run);
  addIntakeCommands(program, run);
  addRemoveCommands(program, run);
  addChangesCommand(program, run);
  addUndoCommand(program, run);
  addEraseCommand(program, run);
  addExportCommands(program, run);
  addLookupCommand(program, run);
  addLookupsCommand(program, run);
  addTablesCommands(program, run);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    const sentence =
      error instanceof CommanderError ? usageSentence(error, namedCommand(program, args)) : sentenceFor(error);
    stderr.write(json ? jsonLine({ error: sentence, exitCode: EXIT.notDone }) : `error: ${sentence}\n`);
    return EXIT.notDone;
  }
};
