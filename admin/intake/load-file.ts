import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { Command } from 'commander';
import type { IntakeSource } from '../../core/stage/stage-schema.ts';
import { CommandFailure, type CommandResult, FileRefused } from '../command/command-result.ts';
import { processContext } from '../command/context.ts';
import type { Deployment } from '../deployment/deployment.ts';
import type { Counts } from '../file-command/counts.ts';
import { addImportCommands } from '../import/import-commands.ts';
import type { IntakeBucket, StoredFile } from './bucket.ts';

/** The registrations that are never loaded. */
const ERASED = 'control/erased.txt';

/** `failed` gets no report: the next build loads the file again. */
type LoadOutcome = 'loaded' | 'refused' | 'superseded' | 'failed';

/** What every load uses. */
export interface LoadContext {
  readonly bucket: IntakeBucket;
  readonly deployment: Deployment;
  /** Writes a line of the log: counts, but no file names or contents. */
  readonly log: (line: object) => void;
}

/** Hexadecimal digits in place of the name: name and key of the report may have 1,024 bytes each. */
const HASH_LENGTH = 32;

const reportFolder = (prefix: string, { name, version }: StoredFile): string =>
  `reports/${prefix}${createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)}@${version}/`;

/** The part of a report that is written last: without it the load did not finish. @param prefix of its entry */
export const summaryKey = (prefix: string, file: StoredFile): string => `${reportFolder(prefix, file)}summary.json`;

/** The key of the object that names an entry's last loaded complete file. */
export const loadedKey = (prefix: string): string => `control/loaded/${prefix}`;

/** The command line of a load. */
export const importArguments = (
  { import: kind, supplier, complete, removeAtMost, unreadableAtMost, encoding, dates }: IntakeSource,
  path: string,
  erased: string,
): string[] => [
  ...['import', kind, path, '--except', erased],
  ...(supplier === undefined ? [] : ['--supplier', supplier]),
  ...(complete ? ['--complete'] : []),
  ...(removeAtMost === undefined ? [] : ['--remove-at-most', removeAtMost]),
  ...(unreadableAtMost === undefined ? [] : ['--unreadable-at-most', unreadableAtMost]),
  ...(encoding === undefined ? [] : ['--encoding', encoding]),
  ...(dates === undefined ? [] : ['--dates', dates]),
];

/** Fields of an import's result that a report lacks: names of files of this machine, and what no load has. */
const UNREPORTED = ['file', 'rejectedFile', 'removedFile', 'damagedFile', 'interrupted', 'dryRun'];

/** Runs the CLI's import in this process. @throws what the command throws */
const runImport = async (
  args: readonly string[],
  deployment: Deployment,
): Promise<Partial<Counts> & { readonly notices: readonly string[] }> => {
  const notices: string[] = [];
  const context = {
    ...processContext(new AbortController().signal, {}),
    showsProgress: false,
    notice: (sentence: string) => void notices.push(sentence),
    deployment,
  };
  const results: CommandResult[] = [];
  // Otherwise a wrong option would end the process, and print itself.
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  addImportCommands(program, async (command) => void results.push(await command(context)));
  await program.parseAsync(args, { from: 'user' });
  const counts = Object.entries(results[0]?.data as object).filter(([field]) => !UNREPORTED.includes(field));
  return { ...Object.fromEntries(counts), notices };
};

/** Whether the file has changed nothing because every row was rejected, as when its dates are written another way. */
const isAllRejected = ({ read, rejected, removed }: Partial<Counts>): boolean =>
  rejected !== 0 && rejected === read && removed === 0;

/** A message without names of files of this machine. */
const withoutFolder = (message: string, folder: string): string =>
  message.replaceAll(join(folder, 'erased.txt'), ERASED).replaceAll(`${folder}/`, '');

/** Imports a local file. @returns what its report says */
const importLocal = async (entry: IntakeSource, path: string, erased: string, deployment: Deployment) => {
  try {
    const counts = await runImport(importArguments(entry, path, erased), deployment);
    if (!isAllRejected(counts)) return { outcome: 'loaded' as const, ...counts };
    return { outcome: 'refused' as const, reason: 'every row was rejected', ...counts };
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    const reason = withoutFolder(error.message.replaceAll(`${path}.`, ''), dirname(path));
    return { outcome: 'refused' as const, reason };
  }
};

/** Writes the summary of a report, its last part. */
const writeSummary = (bucket: IntakeBucket, entry: IntakeSource, file: StoredFile, result: object): Promise<void> => {
  const summary = { ...file, lastModified: file.lastModified.toISOString(), ...result };
  return bucket.put(summaryKey(entry.prefix, file), `${JSON.stringify(summary, undefined, 2)}\n`);
};

/** Reports a complete file that is not loaded, because a newer one waits or was loaded. */
export const reportSuperseded = async (entry: IntakeSource, file: StoredFile, context: LoadContext): Promise<void> => {
  await writeSummary(context.bucket, entry, file, { outcome: 'superseded', reason: 'there is a newer complete file' });
  context.log({ report: reportFolder(entry.prefix, file), outcome: 'superseded' });
};

const loadIn = async (
  folder: string,
  entry: IntakeSource,
  file: StoredFile,
  context: LoadContext,
): Promise<LoadOutcome> => {
  const { bucket, deployment, log } = context;
  const { name, version, lastModified } = file;
  // A name may be too long for a disk, or lead out of the folder.
  const local = `file${/^\.\w{1,10}$/.exec(extname(name))?.[0] ?? ''}`;
  const [path, erased] = [join(folder, local), join(folder, 'erased.txt')];
  if (!(await bucket.download(erased, ERASED))) {
    throw new CommandFailure(`there is no ${ERASED} in the bucket: nothing was loaded; put it there, empty or not`);
  }
  if (!(await bucket.download(path, name, version))) throw new CommandFailure('the file was deleted before its load');
  await utimes(path, lastModified, lastModified);
  const result = await importLocal(entry, path, erased, deployment);
  if (result.outcome === 'loaded' && entry.complete) await bucket.put(loadedKey(entry.prefix), JSON.stringify(file));
  const report = reportFolder(entry.prefix, file);
  // The import writes `file.csv.rejected.csv`, which is `rejected.csv` in the report. Damaged records may be another
  // supplier's, and whoever put the file reads its report.
  const outputs = (await readdir(folder)).filter((output) => output.startsWith(`${local}.`));
  for (const output of outputs.filter((one) => !one.startsWith(`${local}.damaged.`))) {
    await bucket.putFile(report + output.slice(local.length + 1), join(folder, output));
  }
  await writeSummary(bucket, entry, file, result);
  const counts = Object.entries(result).filter(([, value]) => typeof value === 'number');
  log({ report, outcome: result.outcome, ...Object.fromEntries(counts) });
  return result.outcome;
};

/** Loads one file and writes its report. `failed` when the cause is neither its content nor its guard. */
export const loadFile = async (entry: IntakeSource, file: StoredFile, context: LoadContext): Promise<LoadOutcome> => {
  const folder = await mkdtemp(join(tmpdir(), 'load-'));
  try {
    return await loadIn(folder, entry, file, context);
  } catch (error) {
    // Any other message may quote a name or a value.
    const sentence =
      error instanceof CommandFailure
        ? withoutFolder(error.message, folder)
        : `unexpected error (${error instanceof Error ? error.name : typeof error})`;
    context.log({ report: reportFolder(entry.prefix, file), outcome: 'failed', error: sentence });
    return 'failed';
  } finally {
    await rm(folder, { recursive: true });
  }
};
