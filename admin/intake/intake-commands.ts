import { type Command, Option } from 'commander';
import { buildName, type IntakeEntry } from '../../core/stage/intake-entry.ts';
import { IMPORT_METRICS, type RecordKind } from '../../core/stage/outputs.ts';
import { CommandFailure, type CommandResult } from '../command/command-result.ts';
import { exampleOf, formatNumber, printable, readableTable } from '../command/format.ts';
import { type CommandContext, type Runner, requireConfirmation } from '../deployment/deployment.ts';
import { addSupplierOption } from '../files/file-options.ts';
import type { FileDecision } from './waiting-files.ts';

interface IntakeOptions {
  readonly supplier?: string;
  readonly dryRun?: boolean;
  readonly inBuild?: boolean;
}

const listResult = (decisions: readonly FileDecision[], ignored: number): CommandResult => {
  const rows = decisions.map(({ file, action, reason = '' }) => {
    const { name, lastModified, bytes } = file;
    return [printable(name), lastModified, formatNumber(bytes), action, reason];
  });
  return {
    text: readableTable(['file', 'put', 'bytes', 'decision', 'reason'], rows),
    notes: `Other objects, which are ignored: ${formatNumber(ignored)}.\n`,
    data: {
      files: decisions.map(({ file: { entry, ...file }, ...decision }) => ({ ...decision, ...file })),
      ignored,
    },
  };
};

const runIntake = async (
  kind: RecordKind,
  { supplier, dryRun, inBuild }: IntakeOptions,
  context: CommandContext,
): Promise<CommandResult> => {
  const { intake } = context.deployment;
  if (intake === undefined) {
    throw new CommandFailure('there is no intake: name a stack with the setting "intake" with --stack');
  }
  const isAsked = (entry: IntakeEntry) => entry.import === kind && entry.supplier === supplier;
  const asked = intake.entries.find(isAsked);
  const whose = supplier === undefined ? kind : `${kind} of ${supplier}`;
  if (asked === undefined) throw new CommandFailure(`the setting "intake" of the stack has no entry for ${whose}`);
  const nameOf = (entry: IntakeEntry) => buildName(entry, intake.entries);
  const entries = intake.entries.filter((entry) => nameOf(entry) === nameOf(asked));
  if (!dryRun) await requireConfirmation(`This loads the files of ${whose} that wait in the bucket`, context);
  // The clients of S3 and SNS take long to load.
  const { loadWaiting, openIntake, startBuild } = await import('./load-waiting.ts');
  const { findWaiting } = await import('./waiting-files.ts');
  const loadContext = openIntake(intake, context);
  if (dryRun) {
    const { decisions, ignored } = await findWaiting(entries, loadContext.bucket, context.now());
    return listResult(decisions, ignored);
  }
  if (!inBuild) {
    await startBuild(asked, loadContext);
    return { text: `A build loads the waiting files of ${whose}: a new one, unless one runs.\n`, data: {} };
  }
  const counts = await loadWaiting(entries, loadContext);
  const { loaded, refused, superseded, ignored } = counts;
  return {
    text: `Files loaded: ${loaded}, refused: ${refused}, superseded: ${superseded}; other objects ignored: ${ignored}\n`,
    data: counts,
  };
};

export const addIntakeCommands = (program: Command, run: Runner): void => {
  const intake = program.command('intake').description('start loading the files that wait in the bucket of a stack');
  for (const kind of Object.keys(IMPORT_METRICS) as RecordKind[]) {
    addSupplierOption(intake.command(kind), kind, 'whose files they are (default: the supplier without a name)')
      .description(`start a build that loads the waiting files of ${kind}`)
      .option('--dry-run', 'list the files and what would be done with them')
      // Only the builds load, because AWS runs one of a supplier at a time.
      .addOption(new Option('--in-build').hideHelp())
      .addHelpText('after', exampleOf(`intake ${kind} --dry-run --stack vehicle-verification-prod`))
      .action((options: IntakeOptions) => run((context) => runIntake(kind, options, context)));
  }
};
