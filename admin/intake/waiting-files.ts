import type { IntakeEntry } from '../../core/stage/intake-entry.ts';
import { CommandFailure } from '../command/command-result.ts';
import { BYTES_PER_GIGABYTE } from '../files/source-file.ts';
import { type IntakeBucket, type StoredFile, startKey, summaryKey } from './bucket.ts';

/** A file that waits, and the entry under whose prefix it is. */
export interface WaitingFile extends StoredFile {
  readonly entry: IntakeEntry;
}

/** What is done with a waiting file now. A file with `wait` is decided about when the file with `load` is done. */
export interface FileDecision {
  readonly file: WaitingFile;
  readonly action: 'load' | 'wait' | 'superseded' | 'refused';
  readonly reason?: string;
}

/** The place of a file in the order of its kind and supplier. */
type Place = Pick<StoredFile, 'lastModified' | 'name'>;

/** The last file of a part and supplier from which a record was written, and the last complete one. */
export interface LastLoaded extends Place {
  readonly lastComplete?: Place | undefined;
}

/** 29 days; the bucket deletes files after 30. */
const MAX_AGE_MS = 29 * 86_400_000;

/** Other objects are companions of files: checksums, markers, archives. The console creates an object for a folder. */
const FILE_ENDING = /\.(csv|ndjson|jsonl)(\.gz)?$/i;

/** The ending of a file's name; undefined for other objects. With a format, compressed files may have any name. */
export const findEnding = (name: string, { format }: Pick<IntakeEntry, 'format'>): string | undefined =>
  (FILE_ENDING.exec(name) ?? (format && /\.gz$/i.exec(name)))?.[0].toLowerCase();

export const DEFAULT_GIGABYTES = 5;

/** Oldest first; within the same second by name. */
const byTime = (a: Place, b: Place): number =>
  a.lastModified === b.lastModified ? (a.name < b.name ? -1 : 1) : a.lastModified < b.lastModified ? -1 : 1;

/** A new version of the file itself is not before it, even within the same second. */
const isBefore = (file: Place, other: Place): boolean => file.name !== other.name && byTime(file, other) < 0;

/** Lists the files without a report, oldest first, and counts the objects that are not files to load. */
export const listWaiting = async (entries: readonly IntakeEntry[], bucket: IntakeBucket, now: Date) => {
  const oldest = new Date(now.getTime() - MAX_AGE_MS).toISOString();
  const objects = await Promise.all(
    entries.map(async (entry): Promise<readonly WaitingFile[]> => {
      // Files are listed before reports: a file that another build finishes in between then has its report in the list,
      // so it is not loaded twice.
      const stored = await bucket.list(entry.prefix);
      const reports = new Set((await bucket.list(`reports/${entry.prefix}`)).map(({ name }) => name));
      return stored
        .filter((file) => file.name !== startKey(entry))
        .filter((file) => file.lastModified > oldest && !reports.has(summaryKey(entry.prefix, file)))
        .map((file) => ({ ...file, entry }));
    }),
  );
  const waiting = objects.flat().toSorted(byTime);
  const files = waiting.filter(({ name, entry }) => findEnding(name, entry) !== undefined);
  return { files, ignored: waiting.length - files.length };
};

const readPlace = ({ lastModified, name }: Record<string, unknown>): Place => ({
  lastModified: new Date(String(lastModified)).toISOString(),
  name: String(name),
});

/** @throws CommandFailure when the object that names the last loaded file is damaged */
const readMark = async (key: string, bucket: IntakeBucket): Promise<LastLoaded | undefined> => {
  const text = await bucket.text(key);
  if (text === undefined) return undefined;
  try {
    const { lastComplete, ...last } = JSON.parse(text);
    return { ...readPlace(last), ...(lastComplete !== undefined && { lastComplete: readPlace(lastComplete) }) };
  } catch {
    throw new CommandFailure(`${key} in the bucket is damaged: nothing was loaded; docs/runbook.md#intakefailed`);
  }
};

/** The last loaded file of these parts, and the complete one since which none of them needs an older complete file. */
export const readLastLoaded = async (
  keys: readonly string[],
  bucket: IntakeBucket,
): Promise<LastLoaded | undefined> => {
  const marks = await Promise.all(keys.map((key) => readMark(key, bucket)));
  const last = marks
    .flatMap((mark) => mark ?? [])
    .toSorted(byTime)
    .at(-1);
  const complete = marks.flatMap((mark) => mark?.lastComplete ?? []).toSorted(byTime);
  return last && { ...last, lastComplete: complete.length === keys.length ? complete[0] : undefined };
};

const decideAlone = (file: WaitingFile, last: LastLoaded | undefined): FileDecision => {
  const { entry, lastModified, bytes } = file;
  const { complete, maxGigabytes = DEFAULT_GIGABYTES } = entry;
  if (complete && last?.lastComplete !== undefined && isBefore(file, last.lastComplete)) {
    return { file, action: 'superseded', reason: 'a newer complete file was loaded' };
  }
  // Two files of one second, of which one is not complete, are in no order, so none is older.
  if (last !== undefined && lastModified < last.lastModified) {
    return { file, action: 'refused', reason: 'it is older than the last loaded file of its kind and supplier' };
  }
  if (bytes > maxGigabytes * BYTES_PER_GIGABYTE) {
    return { file, action: 'refused', reason: `it has more than ${maxGigabytes} GB, the maxGigabytes of its entry` };
  }
  return { file, action: 'wait' };
};

/**
 * Decides about the waiting files of one kind and supplier. The newest complete file is loaded first; when it is
 * refused, the one before it is next. Without a complete file the oldest file is loaded first.
 * @param files oldest first
 */
export const decide = (files: readonly WaitingFile[], last: LastLoaded | undefined): FileDecision[] => {
  const decisions = files.map((file) => decideAlone(file, last));
  const candidates = decisions.filter(({ action }) => action === 'wait');
  const next = candidates.findLast(({ file }) => file.entry.complete) ?? candidates[0];
  return decisions.map((decision) => (decision === next ? { ...decision, action: 'load' } : decision));
};

/** Of files of several kinds that are due, the oldest is loaded first: a file of compliance counts for each part. */
export const oneAtATime = (decisions: readonly FileDecision[]): FileDecision[] => {
  const [next] = decisions.filter(({ action }) => action === 'load').toSorted((a, b) => byTime(a.file, b.file));
  return decisions.map((one) => (one.action === 'load' && one !== next ? { ...one, action: 'wait' } : one));
};
