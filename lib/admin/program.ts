import { Command, CommanderError } from 'commander';
import { UnknownKey } from '../../functions/access/keys-table.ts';
import { CommandFailure } from './command/command-failure.ts';
import type { AdminContext } from './command/context.ts';
import { EXIT, type ExitCode } from './command/exit-codes.ts';
import { addContentCommands } from './content/check-content.ts';
import type { Runner } from './deployment/command-run.ts';
import { asCommandFailure } from './deployment/database-errors.ts';
import { LOCAL_ADDRESS } from './deployment/local-deployment.ts';
import { type DeploymentOptions, openDeployment } from './deployment/open-deployment.ts';
import { addExportCommands } from './export/export-content.ts';
import { addImportCommands } from './import/import-commands.ts';
import { addKeysCommands } from './keys/keys-commands.ts';

const EXIT_CODES = `
Exit codes:
  ${EXIT.done}    done
  ${EXIT.someRejected}    done, but rows of the file were rejected or inconsistencies remain
  ${EXIT.notDone}    not done: bad arguments, no such file, column, key or database
  ${EXIT.interrupted}  ended by Ctrl-C`;

const newProgram = ({ stdout, stderr }: AdminContext): Command =>
  new Command('admin')
    .description('Operator commands of the vehicle verification service.')
    .option('--dynamodb <url>', `address of the DynamoDB engine (default: ${LOCAL_ADDRESS})`)
    .option(
      '--tables <names>',
      'prefix of the table names, or single tables: keys=NAME,content=NAME (default: local-, or the stack’s)',
    )
    .option('--stack <name>', 'work on a deployed stack instead, with your AWS credentials')
    .option('--region <region>', 'region of the stack, or of tables without a stack that --tables names')
    .option('--profile <profile>', 'AWS profile to use')
    .option('--yes <name>', 'name of a production stack, or of the first table without a stack: confirms changes to it')
    .configureOutput({ writeOut: (text) => void stdout.write(text), writeErr: (text) => void stderr.write(text) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError(true)
    .addHelpText('after', EXIT_CODES)
    .exitOverride();

/** The CLI as a program, and the exit code of the command that it has run. */
export const createProgram = (context: AdminContext) => {
  const program = newProgram(context);
  let exitCode: ExitCode = EXIT.done;
  const run: Runner = async (command) => {
    const deployment = await openDeployment(program.opts<DeploymentOptions>(), context.tableNames);
    try {
      exitCode = await command({ deployment, context });
    } catch (error) {
      throw asCommandFailure(error, deployment);
    } finally {
      deployment.db.destroy();
    }
  };
  addKeysCommands(program, run);
  addImportCommands(program, run);
  addExportCommands(program, run);
  addContentCommands(program, run);
  return { program, exitCode: () => exitCode };
};

const sentenceFor = (error: unknown): string => {
  if (error instanceof CommandFailure || error instanceof UnknownKey) return error.message;
  // The message might quote content of a file.
  return `unexpected error (${error instanceof Error ? error.name : typeof error})`;
};

/** Runs one command line (without `node` and the script). Every outcome is reported as messages and an exit code. */
export const runAdmin = async (args: readonly string[], context: AdminContext): Promise<ExitCode> => {
  const { program, exitCode } = createProgram(context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode();
  } catch (error) {
    if (error instanceof CommanderError && error.code === 'commander.help') {
      context.stderr.write('\nerror: a command is missing\n');
    }
    // commander has written its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.notDone;
    context.stderr.write(`error: ${sentenceFor(error)}\n`);
    return error instanceof CommandFailure ? error.exitCode : EXIT.notDone;
  }
};
