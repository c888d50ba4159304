import type { IntakeEntry } from '../../core/stage/intake-entry.ts';
import { BUCKET_FOLDERS } from '../../core/stage/outputs.ts';
import { CommandFailure } from '../command/command-result.ts';
import { BYTES_PER_GIGABYTE } from '../files/source-file.ts';
import { type IntakeBucket, loadedKeys, type StoredFile, startKey, summaryKey } from './bucket.ts';

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
interface LastLoaded extends Place {
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
const listWaiting = async (entries: readonly IntakeEntry[], bucket: IntakeBucket, now: Date) => {
  const oldest = new Date(now.getTime() - MAX_AGE_MS).toISOString();
  const objects = await Promise.all(
    entries.map(async (entry): Promise<readonly WaitingFile[]> => {
      // Files are listed before reports: a file that another build finishes in between then has its report in the list,
      // so it is not loaded twice.
      const stored = await bucket.list(entry.prefix);
      const reports = new Set((await bucket.list(`${BUCKET_FOLDERS.reports}${entry.prefix}`)).map(({ name }) => name));
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

/**
 * The last loaded file of the parts that an entry fills, and the complete one since which none of them needs an older
 * complete file.
 */
const readLastLoaded = async (entry: IntakeEntry, bucket: IntakeBucket): Promise<LastLoaded | undefined> => {
  const keys = loadedKeys(entry);
  const marks = await Promise.all(keys.map((key) => readMark(key, bucket)));
  const last = marks
    .flatMap((mark) => mark ?? [])
    .toSorted(byTime)
    .at(-1);
  const complete = marks.flatMap((mark) => mark?.lastComplete ?? []).toSorted(byTime);
  return last && { ...last, lastComplete: complete.length === keys.length ? complete[0] : undefined };
};

/** Names the file in the bucket as the last loaded one of each part that it fills. */
export const markLoaded = async ({ entry, name, version, lastModified }: WaitingFile, bucket: IntakeBucket) => {
  for (const key of loadedKeys(entry)) {
    const lastComplete = entry.complete ? { name, lastModified } : (await readMark(key, bucket))?.lastComplete;
    await bucket.put(key, JSON.stringify({ name, version, lastModified, lastComplete }));
  }
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

/** Of each kind the newest complete file; when it is refused, the one before it. Without one the oldest file. */
const findDue = (decisions: readonly FileDecision[]): ReadonlySet<FileDecision | undefined> => {
  const candidates = decisions.filter(({ action }) => action === 'wait');
  const ofKinds = [...Map.groupBy(candidates, ({ file }) => file.entry.import).values()];
  return new Set(ofKinds.map((ofKind) => ofKind.findLast(({ file }) => file.entry.complete) ?? ofKind[0]));
};

/**
 * The waiting files, oldest first, with the decision about each. Of files of several kinds that are due, the oldest is
 * loaded first: a file of compliance counts for each part.
 * @param entries those of one build
 */
export const findWaiting = async (entries: readonly IntakeEntry[], bucket: IntakeBucket, now: Date) => {
  const { files, ignored } = await listWaiting(entries, bucket, now);
  const last = new Map<string, LastLoaded | undefined>();
  for (const { entry } of files) {
    if (!last.has(entry.import)) last.set(entry.import, await readLastLoaded(entry, bucket));
  }
  const decisions = files.map((file) => decideAlone(file, last.get(file.entry.import)));
  const due = findDue(decisions);
  const next = decisions.find((decision) => due.has(decision));
  return {
    decisions: decisions.map((one): FileDecision => (one === next ? { ...one, action: 'load' } : one)),
    ignored,
  };
};
