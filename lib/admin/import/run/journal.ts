import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as T from 'typebox';
import { validationIssues } from '../../../../functions/schemas/validation-issues.ts';
import { PRIVATE_FILE } from '../../../private-file.ts';
import { CommandFailure } from '../../command/outcome.ts';
import type { CommandRun } from '../../deployment/deployment.ts';
import { differenceOf, ImportIdentity } from './import-identity.ts';
import { FROM_THE_START, NotResumable, type ResumePoint } from './resume-point.ts';

/** Maximum number of pending lines in the journal. Beyond it the journal is not updated; a resumed import then repeats more writes. */
const MAX_PENDING = 2_000;

const Journal = T.Object({
  identity: ImportIdentity,
  /** When the import was started first, ISO 8601 UTC: its records get this time, however often it is resumed. */
  startedAt: T.String(),
  point: T.Object({
    line: T.Integer({ minimum: 1 }),
    pending: T.Array(T.Integer({ minimum: 1 })),
    validHash: T.Integer({ minimum: 0 }),
  }),
});

/** The content of `FILE.import.json`, written beside a file while it is imported, so that another run can resume. */
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

/** Removes the temporary files of killed imports. One with this process's id is about to be replaced. */
export const removeAbandonedParts = async (path: string): Promise<void> => {
  const prefix = `${basename(journalOf(path))}.`;
  for (const name of await readdir(dirname(path))) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)\.part$/.exec(name.slice(prefix.length)) ?? []) : [];
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

/** The journal beside a file, of any import, or why it cannot be used; undefined when there is none. */
export const readJournal = async (path: string): Promise<Journal | NotResumable | undefined> => {
  try {
    const journal = parsed(await readFile(journalOf(path), 'utf8'));
    if (validationIssues(Journal, journal).length === 0) return journal as Journal;
    // The file is not flushed to disk: it may be empty after a power cut.
    return new NotResumable(`${journalOf(path)} is damaged or was written by another version`);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? undefined : new NotResumable(`${journalOf(path)} cannot be read (${code})`);
  }
};

/** Where an import begins. */
export interface ResumeState {
  readonly point: ResumePoint;
  /** When the import was started; for a resumed one, when it was started first. */
  readonly startedAt: Date;
  readonly isResumed: boolean;
}

/** The import to which a journal belongs. */
interface JournalOwner extends Pick<CommandRun, 'notice'> {
  readonly source: { readonly path: string };
  readonly identity: ImportIdentity;
  readonly resumeState: ResumeState;
}

/**
 * Writes the journal of an import beside its file. A folder that cannot be written to does not stop the import: one message
 * reports what it means for `--resume`.
 */
export const openJournal = (
  { source: { path }, identity, resumeState, notice }: JournalOwner,
  now: () => ResumePoint,
) => {
  const facts = { identity, startedAt: resumeState.startedAt.toISOString() };
  let written = resumeState.isResumed ? resumeState.point : undefined;
  let isWritable = true;

  const reportNotWritable = ({ code = 'unknown error' }: NodeJS.ErrnoException): void => {
    const consequence = written === undefined ? 'cannot be resumed' : `can be resumed at line ${written.line} only`;
    notice(`The progress cannot be saved in ${journalOf(path)} (${code}): if this import stops, it ${consequence}.`);
  };

  const write = async (point: ResumePoint): Promise<void> => {
    try {
      await writeFile(partOf(path), `${JSON.stringify({ ...facts, point })}\n`, PRIVATE_FILE);
      await rename(partOf(path), journalOf(path));
      written = point;
    } catch (error) {
      isWritable = false;
      reportNotWritable(error as NodeJS.ErrnoException);
    }
  };

  /** Whether the journal on disk is of this import: another import of the same file may have replaced it. */
  const isOwn = async (): Promise<boolean> => {
    const journal = await readJournal(path);
    if (journal === undefined || journal instanceof NotResumable) return false;
    return journal.startedAt === facts.startedAt && differenceOf(journal.identity, facts.identity) === undefined;
  };

  return {
    /** Writes the present resume point when it is further than the written one. */
    save: async (): Promise<void> => {
      const point = now();
      const isFurther = point.line !== written?.line || point.pending.length < written.pending.length;
      if (isWritable && isFurther && point.pending.length <= MAX_PENDING) await write(point);
    },
    isOwn,
    /** Removes the journal of a finished import. */
    remove: async (): Promise<void> => {
      await rm(partOf(path), { force: true });
      if (await isOwn()) await rm(journalOf(path), { force: true });
    },
  };
};

/** The journal of a stopped import of the same file, or why it cannot be resumed; undefined when there is none. */
const findStopped = async (path: string, identity: ImportIdentity): Promise<Journal | NotResumable | undefined> => {
  const stopped = await readJournal(path);
  if (stopped === undefined || stopped instanceof NotResumable) return stopped;
  const difference = differenceOf(stopped.identity, identity);
  return difference === undefined ? stopped : new NotResumable(difference);
};

const resumed = (path: string, stopped: Journal | NotResumable | undefined): ResumeState => {
  if (stopped === undefined) {
    throw new CommandFailure(`there is nothing to resume: no import of ${path} has left a journal; leave out --resume`);
  }
  if (stopped instanceof NotResumable) throw stopped;
  return { point: stopped.point, startedAt: new Date(stopped.startedAt), isResumed: true };
};

/**
 * The start of the file, or with `resume` the point at which an import of the same file into the same table was stopped.
 * Without `resume` a stopped import is discarded, with a message on standard error.
 * @throws CommandFailure when there is nothing to resume, or file or table have changed
 */
export const resumeStateOf = async (
  path: string,
  identity: ImportIdentity,
  resume: boolean,
  { now, notice }: CommandRun,
): Promise<ResumeState> => {
  const stopped = await findStopped(path, identity);
  if (resume) return resumed(path, stopped);
  if (stopped instanceof NotResumable) {
    notice(`This replaces the journal of a stopped import, which --resume can no longer use: ${stopped.reason}.`);
  } else if (stopped !== undefined) {
    notice(`Loading the whole file again; --resume would have continued at line ${stopped.point.line}.`);
  }
  return { point: FROM_THE_START, startedAt: now(), isResumed: false };
};
