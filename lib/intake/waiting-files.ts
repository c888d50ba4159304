import { createHash } from 'node:crypto';
import type { StoredFile } from './bucket.ts';

/** Days; the bucket deletes files after 30. */
const MAX_AGE_DAYS = 29;
const MS_PER_DAY = 86_400_000;
/** Hexadecimal digits in place of the name: name and key of the report may have 1,024 bytes each. */
const HASH_LENGTH = 32;

/** The part of a report that is written last: without it the load was not finished. */
export const SUMMARY = 'summary.json';

/** The folder of the report on a file. @param prefix of its entry */
export const reportFolder = (prefix: string, { name, version }: StoredFile): string =>
  `reports/${prefix}${createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)}@${version}/`;

/** Oldest first; within the same second by name. */
const byTime = (a: StoredFile, b: StoredFile): number =>
  a.lastModified.getTime() - b.lastModified.getTime() || (a.name < b.name ? -1 : 1);

/** The files without a report, oldest first. @param reports the keys of all reports of the prefix */
export const waitingFiles = (
  prefix: string,
  files: readonly StoredFile[],
  reports: ReadonlySet<string>,
  now: Date,
): StoredFile[] =>
  files
    // The console creates an object for each folder.
    .filter(({ name }) => !name.endsWith('/'))
    .filter(({ lastModified }) => now.getTime() - lastModified.getTime() < MAX_AGE_DAYS * MS_PER_DAY)
    .filter((file) => !reports.has(reportFolder(prefix, file) + SUMMARY))
    .toSorted(byTime);

/** Of complete files only the newest is loaded, unless it is older than the last loaded one. */
export const withoutSuperseded = (waiting: readonly StoredFile[], lastLoaded: Date | undefined) => {
  const next = waiting.slice(-1).find(({ lastModified }) => lastLoaded === undefined || lastModified >= lastLoaded);
  return { next, superseded: waiting.filter((file) => file !== next) };
};
