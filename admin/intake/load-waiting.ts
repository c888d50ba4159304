import type { IntakeSource } from '../../core/stage/stage-schema.ts';
import { CommandFailure } from '../command/command-result.ts';
import type { IntakeBucket, StoredFile } from './bucket.ts';
import { type LoadContext, loadedKey, loadFile, reportSuperseded, summaryKey } from './load-file.ts';

/** 29 days; the bucket deletes files after 30. */
const MAX_AGE_MS = 29 * 86_400_000;

interface IntakeContext extends LoadContext {
  readonly entries: readonly IntakeSource[];
  readonly now: () => Date;
}

/** When the last loaded complete file was put. @throws CommandFailure when that is damaged */
const lastLoadedTime = async (bucket: IntakeBucket, prefix: string): Promise<Date | undefined> => {
  const text = await bucket.text(loadedKey(prefix));
  if (text === undefined) return undefined;
  try {
    const { lastModified } = JSON.parse(text) as Partial<StoredFile>;
    // Throws when it is no time.
    return new Date(new Date(String(lastModified)).toISOString());
  } catch {
    throw new CommandFailure(`${loadedKey(prefix)} is damaged: nothing was loaded from ${prefix}`);
  }
};

/** Oldest first; within the same second by name. */
const byTime = (a: StoredFile, b: StoredFile): number =>
  a.lastModified.getTime() - b.lastModified.getTime() || (a.name < b.name ? -1 : 1);

/** What waits under a prefix: the file to load next, and superseded complete files. */
const findWaiting = async ({ prefix, complete }: IntakeSource, { bucket, now }: IntakeContext) => {
  // Files before reports, so that none is loaded twice.
  const files = await bucket.list(prefix);
  const reports = new Set((await bucket.list(`reports/${prefix}`)).map(({ name }) => name));
  const oldest = now().getTime() - MAX_AGE_MS;
  const waiting = files
    // The console creates an object for each folder.
    .filter(({ name, lastModified }) => !name.endsWith('/') && lastModified.getTime() > oldest)
    .filter((file) => !reports.has(summaryKey(prefix, file)))
    .toSorted(byTime);
  if (!complete) return { next: waiting[0], superseded: [] };
  // Of complete files only the newest is loaded, unless it is older than the last loaded one.
  const lastLoaded = await lastLoadedTime(bucket, prefix);
  const next = waiting.slice(-1).find(({ lastModified }) => lastLoaded === undefined || lastModified >= lastLoaded);
  return { next, superseded: waiting.filter((file) => file !== next) };
};

/**
 * Loads every waiting file, until none is left. After a failed load its prefix waits for the next build: a later file
 * must not be loaded before an earlier one.
 * @returns whether all were loaded or superseded
 */
export const loadWaitingFiles = async (context: IntakeContext): Promise<boolean> => {
  const failed = new Set<string>();
  let allLoaded = true;
  let isDone: boolean;
  do {
    isDone = true;
    for (const entry of context.entries.filter(({ prefix }) => !failed.has(prefix))) {
      const found = await findWaiting(entry, context).catch((error: unknown) => {
        if (!(error instanceof CommandFailure)) throw error;
        context.log({ outcome: 'failed', error: error.message });
      });
      if (found === undefined) {
        allLoaded = false;
        failed.add(entry.prefix);
        continue;
      }
      const { next, superseded } = found;
      for (const file of superseded) await reportSuperseded(entry, file, context);
      if (next === undefined) continue;
      isDone = false;
      const outcome = await loadFile(entry, next, context);
      if (outcome !== 'loaded') allLoaded = false;
      if (outcome === 'failed') failed.add(entry.prefix);
    }
  } while (!isDone);
  return allLoaded;
};
