import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import type { IntakeEntry, IntakeOutput } from '../../core/stage/intake-entry.ts';
import { CommandFailure, FileRefused, LimitExceeded } from '../command/command-result.ts';
import { nameErrors, OTHER_SERVICE_TIMEOUTS } from '../deployment/database.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { newLoadId } from '../files/changes-file.ts';
import { type Counts, type DataKind, isRejectedWhole } from '../files/file-command.ts';
import { addMapping } from '../files/file-options.ts';
import { type ImportOptions, importFile } from '../import/import-commands.ts';
import { changesFolder, type IntakeBucket, intakeBucket, reportFolder, startKey, summaryKey } from './bucket.ts';
import { DEFAULT_GIGABYTES, findEnding, findWaiting, markLoaded, type WaitingFile } from './waiting-files.ts';

interface LoadContext extends CommandContext {
  readonly intake: IntakeOutput;
  readonly bucket: IntakeBucket;
  readonly notify: (message: string) => Promise<void>;
}

interface LoadResult {
  readonly outcome: 'loaded' | 'refused' | 'superseded';
  readonly reason?: string | undefined;
  /** Replaces `reason`, which may quote the file, in the log and in the message. */
  readonly publicReason?: string;
  /** For operators, in the log: the id of the load, and its counts, in which what is unchanged or erased is loaded. */
  readonly logged?: object;
  /** For the report: figures of the file alone. */
  readonly reported?: object;
  /** The object with the figures of a refusal, which no supplier may read. */
  readonly details?: string;
}

/**
 * What depends on the file alone. Anything else could tell a supplier what others have supplied, or what was erased.
 */
const REPORTED = ['kind', 'read', 'repeated', 'rejected', 'unknownFormat', 'reasons'];

const withoutFolder = (message: string, folder: string): string => message.replaceAll(`${folder}/`, '');

/** Read units a second of all loads of a table together, of the 12,000 that DynamoDB gives a table at first. */
const READ_UNITS_OF_LOADS = 3_000;

/** Of the entries that fill one table, the complete ones scan it, perhaps at the same time. */
const shareOf = (own: IntakeEntry, { entries }: IntakeOutput): number => {
  const isSameTable = (entry: IntakeEntry) => (entry.import === 'vehicles') === (own.import === 'vehicles');
  const scanning = entries.filter((entry) => entry.complete && isSameTable(entry)).length;
  return Math.floor(READ_UNITS_OF_LOADS / Math.max(1, scanning));
};

/** The result of a load that came to its end. */
const describeLoad = (
  { unchanged, erased, ...others }: Counts,
  load: string,
  notices: readonly string[],
  { format }: IntakeEntry,
): LoadResult => {
  const isOfSource = format !== undefined;
  const present = others.loaded + unchanged + erased;
  const counts = Object.entries({ ...others, loaded: present }).filter(([, one]) => typeof one === 'number');
  // Of a source's file, lines of vehicles that are not stored are not checked.
  const fields = isOfSource ? ['kind', 'read'] : REPORTED;
  const ofFile = Object.entries(others).filter(([field]) => fields.includes(field));
  const loaded = isOfSource ? others.read - others.withoutValue : present + others.kept + others.notLoaded;
  const figures = {
    logged: { load, ...Object.fromEntries(counts) },
    reported: { ...Object.fromEntries(ofFile), loaded, notices },
  };
  return !isOfSource && isRejectedWhole(others)
    ? { outcome: 'refused', reason: 'every row was rejected', ...figures }
    : { outcome: 'loaded', ...figures };
};

const importLocal = async (
  path: string,
  entry: IntakeEntry,
  load: string,
  context: LoadContext,
): Promise<LoadResult> => {
  const { intake, deployment } = context;
  const notices: string[] = [];
  try {
    // An entry has the options of the command line, of which these two are for CSV alone.
    const { map = [], encoding, maxGigabytes = DEFAULT_GIGABYTES, ...given } = entry;
    const forCsv = { encoding, map: map.reduce<ImportOptions['map']>((all, text) => addMapping(text, all), []) };
    const options = {
      ...given,
      maxGigabytes,
      ...(/\.csv(\.gz)?$/.test(path) && forCsv),
      load: { id: load, openChanges: context.bucket.openChanges },
    } as ImportOptions;
    const { data } = await importFile(entry.import as DataKind, path, options, {
      ...context,
      showsProgress: false,
      notice: (sentence) => void notices.push(sentence),
      noticeOperators: context.notice,
      deployment: { ...deployment, readUnits: shareOf(entry, intake), importMetrics: intake.namespace },
    });
    context.signal.throwIfAborted();
    return describeLoad(data as Counts, load, notices, entry);
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    const reason = withoutFolder(error.message.replaceAll(`${path}.`, ''), dirname(path));
    if (!(error instanceof LimitExceeded)) {
      return { outcome: 'refused', reason, publicReason: 'its content is not accepted; the report says why' };
    }
    const details = `${changesFolder(load)}refused.txt`;
    await context.bucket.put(details, `${reason}\n`);
    return { outcome: 'refused', reason: error.publicReason, details };
  }
};

/** Without the slash at its end, so that it fits into the commands of docs/runbook.md#a-refused-file. */
const reportName = (file: WaitingFile): string => reportFolder(file.entry.prefix, file).slice(0, -1);

/** A line of the build's log, which has no names of files. */
const logLine = (file: WaitingFile, line: object, { stderr }: LoadContext): void =>
  void stderr.write(`${JSON.stringify({ entry: file.entry.prefix, report: reportName(file), ...line })}\n`);

/**
 * Writes the summary, the last part of a report. The message about a refused file is sent first: a file with a summary
 * is never looked at again, so its message would be lost if this process ended in between.
 */
const writeReport = async (
  waiting: WaitingFile,
  { outcome, reason, publicReason = reason, reported, details, logged }: LoadResult,
  context: LoadContext,
): Promise<LoadResult['outcome']> => {
  const { bucket, notify } = context;
  const { entry, ...file } = waiting;
  const folder = reportName(waiting);
  const message = [`A file under ${entry.prefix} was refused: ${publicReason}.`, `Report: ${folder}`];
  if (outcome === 'refused') await notify([...message, ...(details ? [`Figures: ${details}`] : [])].join('\n'));
  const summary = { ...file, outcome, reason, ...reported };
  await bucket.put(summaryKey(entry.prefix, file), `${JSON.stringify(summary, undefined, 2)}\n`);
  logLine(waiting, { outcome, reason: publicReason, ...logged }, context);
  return outcome;
};

const loadIn = async (folder: string, file: WaitingFile, context: LoadContext): Promise<LoadResult> => {
  const { bucket, now } = context;
  const { entry, name, lastModified } = file;
  // The name of the file is not used on disk: it may be too long, or lead out of the folder.
  const local = `file${findEnding(name, entry)}`;
  const path = join(folder, local);
  if (!(await bucket.download(path, file))) {
    const reason = 'it cannot be read: it was deleted, is encrypted with a key of its own, or is archived';
    return { outcome: 'refused', reason };
  }
  await utimes(path, new Date(lastModified), new Date(lastModified));
  // Before the first write: after a crash in the middle of the file no older one is loaded over it.
  let marked: Promise<void> | undefined;
  const mark = (): Promise<void> => {
    if (marked === undefined) {
      // A build that is killed after this leaves no other trace of the load, which `undo` needs.
      logLine(file, { load }, context);
      marked = markLoaded(file, bucket);
    }
    return marked;
  };
  const load = newLoadId(now());
  const result = await importLocal(path, entry, load, { ...context, beforeWrite: mark });
  if (result.outcome === 'loaded') await mark();
  // The import writes `file.csv.rejected.csv`, which is `rejected.csv` in the report. Whoever put the file reads its
  // report, and the other lists are of what is stored.
  const outputs = (await readdir(folder)).filter((output) => output.startsWith(`${local}.`));
  for (const output of outputs) {
    const name = output.slice(local.length + 1);
    const isReported = name.startsWith('rejected') && !entry.format;
    const key = (isReported ? reportFolder(entry.prefix, file) : changesFolder(load)) + name;
    await bucket.put(key, createReadStream(join(folder, output)));
  }
  return result;
};

/** @throws CommandFailure for an error that the file did not cause; it then waits for the next run */
const loadFile = async (file: WaitingFile, context: LoadContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'load-'));
  try {
    return await writeReport(file, await loadIn(folder, file, context), context);
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    throw new CommandFailure(`${file.entry.prefix}: ${withoutFolder(error.message, folder)}`, { cause: error });
  } finally {
    await rm(folder, { recursive: true });
  }
};

export const openIntake = (intake: IntakeOutput, context: CommandContext): LoadContext => {
  const { deployment } = context;
  const sns = new SNSClient({ ...deployment.account, requestHandler: OTHER_SERVICE_TIMEOUTS });
  sns.middlewareStack.add(nameErrors('SNS'), { step: 'initialize' });
  return {
    ...context,
    intake,
    bucket: intakeBucket(intake, deployment),
    notify: async (Message) => {
      await sns.send(new PublishCommand({ TopicArn: intake.topic, Subject: 'Intake: a file was refused', Message }));
    },
  };
};

/** Starts the build of an entry; one that runs already loads what waits. */
export const startBuild = (entry: IntakeEntry, { bucket }: LoadContext): Promise<void> =>
  bucket.put(startKey(entry), 'start\n');

/** @throws CommandFailure when a load fails: a later file must not be loaded before an earlier one */
export const loadWaiting = async (entries: readonly IntakeEntry[], context: LoadContext) => {
  const counts = { loaded: 0, refused: 0, superseded: 0 };
  for (;;) {
    const { decisions, ignored } = await findWaiting(entries, context.bucket, context.now());
    if (decisions.length === 0) return { ...counts, ignored };
    for (const { file, action, reason } of decisions) {
      if (action === 'wait') continue;
      const outcome =
        action === 'load'
          ? await loadFile(file, context)
          : await writeReport(file, { outcome: action, reason }, context);
      counts[outcome] += 1;
    }
  }
};
