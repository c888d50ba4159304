import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as T from 'typebox';
import { faultsIn } from '../../../../functions/schemas/validation-issues.ts';
import type { Output } from '../../command/context.ts';
import { PRIVATE_FILE } from '../../command/private-file.ts';
import { NotResumable } from './not-resumable.ts';
import type { ResumePoint } from './resume-point.ts';
import { differenceOf, Subject } from './subject.ts';

/** Open lines that are written down. With more, the journal stays as it was: still true, only more is written again. */
const MAX_OPEN = 2_000;

const Journal = T.Object({
  subject: Subject,
  /** When the import began, ISO 8601 UTC: the moment that its records get, however often it is resumed. */
  began: T.String(),
  point: T.Object({
    line: T.Integer({ minimum: 1 }),
    open: T.Array(T.Integer({ minimum: 1 })),
    sound: T.Integer({ minimum: 0 }),
  }),
});

/** What is kept beside a file while it is imported, as `FILE.import.json`, so that another run can go on. */
export type Journal = T.Static<typeof Journal>;

const journalOf = (path: string): string => `${path}.import.json`;

/** Written to a temporary file per process, then renamed: two processes may import the same file into different tables. */
const partOf = (path: string): string => `${journalOf(path)}.${process.pid}.part`;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Removes the temporary files of killed imports; one that has this process's id is about to be replaced. */
export const removeAbandonedParts = async (path: string): Promise<void> => {
  const beginning = `${basename(journalOf(path))}.`;
  for (const name of await readdir(dirname(path))) {
    const [, pid] = name.startsWith(beginning) ? (/^(\d+)\.part$/.exec(name.slice(beginning.length)) ?? []) : [];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(dirname(path), name), { force: true });
  }
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The journal beside a file, of whichever import, or why it is of no use; undefined when there is none. */
export const readJournal = async (path: string): Promise<Journal | NotResumable | undefined> => {
  try {
    const journal = parsed(await readFile(journalOf(path), 'utf8'));
    if (faultsIn(Journal, journal).length === 0) return journal as Journal;
    // Not flushed to the disk, it may be empty after a power cut.
    return new NotResumable(`${journalOf(path)} is damaged`);
  } catch (error) {
    const { code = 'unknown fault' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? undefined : new NotResumable(`${journalOf(path)} cannot be read (${code})`);
  }
};

/**
 * Keeps the journal of an import beside its file, `kept` being what an earlier run of this import has left there. A folder
 * that cannot be written to does not stop the import: it is said once that it cannot be resumed, or only from further back.
 */
export const openJournal = (
  path: string,
  { kept: left, ...facts }: Omit<Journal, 'point'> & { readonly kept: ResumePoint | undefined },
  now: () => ResumePoint,
  stderr: Output,
) => {
  let kept = left;
  let isPossible = true;

  const tellImpossible = ({ code = 'unknown fault' }: NodeJS.ErrnoException): void => {
    const consequence = kept === undefined ? 'no --resume' : `--resume goes on at line ${kept.line}`;
    stderr.write(
      `The progress cannot be kept in ${journalOf(path)} (${code}): ${consequence} should this import stop.\n`,
    );
  };

  const write = async (point: ResumePoint): Promise<void> => {
    try {
      await writeFile(partOf(path), `${JSON.stringify({ ...facts, point })}\n`, PRIVATE_FILE);
      await rename(partOf(path), journalOf(path));
      kept = point;
    } catch (error) {
      isPossible = false;
      tellImpossible(error as NodeJS.ErrnoException);
    }
  };

  /** Whether the journal on the disk is of this import: another one of the same file may have put its own there. */
  const isOwn = async (): Promise<boolean> => {
    const journal = await readJournal(path);
    if (journal === undefined || journal instanceof NotResumable) return false;
    return journal.began === facts.began && differenceOf(journal.subject, facts.subject) === undefined;
  };

  return {
    /** Writes down how far the import has come, if it has come further. */
    keep: async (): Promise<void> => {
      const point = now();
      const isFurther = point.line !== kept?.line || point.open.length < kept.open.length;
      if (isPossible && isFurther && point.open.length <= MAX_OPEN) await write(point);
    },
    isOwn,
    /** The import has come to its end: there is nothing to resume. */
    remove: async (): Promise<void> => {
      await rm(partOf(path), { force: true });
      if (await isOwn()) await rm(journalOf(path), { force: true });
    },
  };
};
