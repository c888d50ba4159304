import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { CommandFailure, FileRefused } from '../admin/command/command-result.ts';
import type { Deployment } from '../admin/deployment/deployment.ts';
import type { IntakeEntry } from '../cloud/stage-schema.ts';
import type { IntakeBucket, StoredFile } from './bucket.ts';
import { importArguments, importFile } from './import-file.ts';
import { reportFolder, SUMMARY } from './waiting-files.ts';

/** The registrations that are never loaded. */
export const ERASED = 'control/erased.txt';

/** `failed` gets no report: the file is loaded again by the next build. */
export type Outcome = 'loaded' | 'refused' | 'superseded' | 'failed';

/** What every load uses. */
export interface LoadContext {
  readonly bucket: IntakeBucket;
  readonly deployment: Deployment;
  /** Writes a line of the log, which has counts, and neither names of files nor anything in them. */
  readonly log: (line: object) => void;
}

/** Where an entry's last loaded complete file is named. */
export const loadedKey = (prefix: string): string => `control/loaded/${prefix}`;

/**
 * The files beside the one that was imported, by the name that they get in the report: `rejected.csv`. Damaged records may be those
 * of another supplier, and whoever put the file reads its report.
 */
const outputsIn = async (
  folder: string,
  local: string,
): Promise<readonly (readonly [part: string, path: string])[]> => {
  const isForReport = (name: string) => name.startsWith(`${local}.`) && !name.startsWith(`${local}.damaged.`);
  const names = (await readdir(folder)).filter(isForReport);
  return names.map((name) => [name.slice(local.length + 1), join(folder, name)]);
};

/** The result without the names of files of this machine. */
const countsOf = ({
  file,
  rejectedFile,
  removedFile,
  damagedFile,
  interrupted,
  dryRun,
  ...counts
}: Readonly<Record<string, unknown>>) => counts;

/** A message without names of files of this machine. */
const withoutFolder = (message: string, folder: string): string =>
  message.replaceAll(join(folder, 'erased.txt'), ERASED).replaceAll(`${folder}/`, '');

const sentenceFor = (error: unknown, folder: string): string =>
  // Any other message may quote a name or a value.
  error instanceof CommandFailure
    ? withoutFolder(error.message, folder)
    : `unexpected error (${error instanceof Error ? error.name : typeof error})`;

/** Imports what is in a local file. @returns what its report says */
const importLocal = async (entry: IntakeEntry, path: string, erased: string, deployment: Deployment) => {
  try {
    const { data, notices } = await importFile(importArguments(entry, path, erased), deployment);
    return { outcome: 'loaded' as const, ...countsOf(data), notices };
  } catch (error) {
    if (!(error instanceof FileRefused)) throw error;
    const reason = withoutFolder(error.message.replaceAll(`${path}.`, ''), dirname(path));
    return { outcome: 'refused' as const, reason };
  }
};

/** Writes the summary of a report, its last part. */
const writeSummary = (bucket: IntakeBucket, entry: IntakeEntry, file: StoredFile, result: object): Promise<void> => {
  const { name, version, lastModified } = file;
  const summary = { name, version, lastModified: lastModified.toISOString(), ...result };
  return bucket.put(reportFolder(entry.prefix, file) + SUMMARY, `${JSON.stringify(summary, undefined, 2)}\n`);
};

/** Reports a complete file that is not loaded, because a newer one waits or was loaded. */
export const reportSuperseded = async (entry: IntakeEntry, file: StoredFile, context: LoadContext): Promise<void> => {
  await writeSummary(context.bucket, entry, file, { outcome: 'superseded', reason: 'there is a newer complete file' });
  context.log({ report: reportFolder(entry.prefix, file), outcome: 'superseded' });
};

const loadIn = async (folder: string, entry: IntakeEntry, file: StoredFile, context: LoadContext): Promise<Outcome> => {
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
  if (result.outcome === 'loaded' && entry.complete) {
    await bucket.put(loadedKey(entry.prefix), JSON.stringify({ name, version, lastModified }));
  }
  const report = reportFolder(entry.prefix, file);
  for (const [part, output] of await outputsIn(folder, local)) await bucket.putFile(report + part, output);
  await writeSummary(bucket, entry, file, result);
  const counts = Object.entries(result).filter(([, value]) => typeof value === 'number');
  log({ report, outcome: result.outcome, ...Object.fromEntries(counts) });
  return result.outcome;
};

/** Loads one file and writes its report, unless something else than its content or its guard ended the load. */
export const loadFile = async (entry: IntakeEntry, file: StoredFile, context: LoadContext): Promise<Outcome> => {
  const folder = await mkdtemp(join(tmpdir(), 'load-'));
  try {
    return await loadIn(folder, entry, file, context);
  } catch (error) {
    context.log({ report: reportFolder(entry.prefix, file), outcome: 'failed', error: sentenceFor(error, folder) });
    return 'failed';
  } finally {
    await rm(folder, { recursive: true });
  }
};
