import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as T from 'typebox';
import { validationIssues } from '../../../core/schemas/validation-issues.ts';
import { PRIVATE_FILE } from '../../private-file.ts';
import { CommandFailure } from '../command/outcome.ts';
import type { CommandRun } from '../deployment/deployment.ts';
import { FROM_THE_START, NotResumable, type ResumePoint } from './resume-point.ts';
import { differenceOf, RUN_NAMES, RunIdentity } from './run-identity.ts';

/** Maximum number of pending lines in the journal. Beyond it the journal is not updated; a resumed run then repeats more writes. */
const MAX_PENDING = 2_000;

const Journal = T.Object({
  identity: RunIdentity,
  /** When the command was started first, ISO 8601 UTC: records get this time, however often it is resumed. */
  startedAt: T.String(),
  point: T.Object({
    line: T.Integer({ minimum: 1 }),
    pending: T.Array(T.Integer({ minimum: 1 })),
    validHash: T.Integer({ minimum: 0 }),
  }),
});

/** The content of `FILE.import.json` or `FILE.remove.json`, written beside a file while the command runs, so that another run can resume. */
export type Journal = T.Static<typeof Journal>;

type Command = RunIdentity['command'];

const journalOf = (path: string, command: Command): string => `${path}.${command}.json`;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Removes the temporary files of killed processes. One with this process's id is about to be replaced. */
export const removeAbandonedParts = async (path: string, command: Command): Promise<void> => {
  const prefix = `${basename(journalOf(path, command))}.`;
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

/** The journal beside a file, of any run of this command, or why it cannot be used; undefined when there is none. */
export const readJournal = async (path: string, command: Command): Promise<Journal | NotResumable | undefined> => {
  const name = journalOf(path, command);
  try {
    const journal = parsed(await readFile(name, 'utf8'));
    if (validationIssues(Journal, journal).length === 0) return journal as Journal;
    // The file is not flushed to disk: it may be empty after a power cut.
    return new NotResumable(`${name} is damaged or was written by another version`);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? undefined : new NotResumable(`${name} cannot be read (${code})`);
  }
};

/** Where a command begins. */
export interface ResumeState {
  readonly point: ResumePoint;
  /** When the command was started; for a resumed one, when it was started first. */
  readonly startedAt: Date;
  readonly isResumed: boolean;
}

/** The run to which a journal belongs. */
interface JournalOwner extends Pick<CommandRun, 'notice'> {
  readonly source: { readonly path: string };
  readonly identity: RunIdentity;
  readonly resumeState: ResumeState;
}

/**
 * Writes the journal of a run beside its file. A folder that cannot be written to does not stop the command: one message
 * reports what it means for `--resume`.
 */
export const openJournal = (
  { source: { path }, identity, resumeState, notice }: JournalOwner,
  now: () => ResumePoint,
) => {
  const { command } = identity;
  const journalPath = journalOf(path, command);
  /** Written to a temporary file per process, then renamed: two processes may use the same file for different tables. */
  const part = `${journalPath}.${process.pid}.part`;
  const facts = { identity, startedAt: resumeState.startedAt.toISOString() };
  let written = resumeState.isResumed ? resumeState.point : undefined;
  let isWritable = true;

  const reportNotWritable = ({ code = 'unknown error' }: NodeJS.ErrnoException): void => {
    const consequence = written === undefined ? 'cannot be resumed' : `can be resumed at line ${written.line} only`;
    notice(
      `The progress cannot be saved in ${journalPath} (${code}): if this ${RUN_NAMES[command]} stops, it ${consequence}.`,
    );
  };

  const write = async (point: ResumePoint): Promise<void> => {
    try {
      await writeFile(part, `${JSON.stringify({ ...facts, point })}\n`, PRIVATE_FILE);
      await rename(part, journalPath);
      written = point;
    } catch (error) {
      isWritable = false;
      reportNotWritable(error as NodeJS.ErrnoException);
    }
  };

  /** Whether the journal on disk is of this run: another one with the same file may have replaced it. */
  const isOwn = async (): Promise<boolean> => {
    const journal = await readJournal(path, command);
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
    /** Removes the journal of a finished run. */
    remove: async (): Promise<void> => {
      await rm(part, { force: true });
      if (await isOwn()) await rm(journalPath, { force: true });
    },
  };
};

/** The journal of a stopped run with the same file, or why it cannot be resumed; undefined when there is none. */
const findStopped = async (path: string, identity: RunIdentity): Promise<Journal | NotResumable | undefined> => {
  const stopped = await readJournal(path, identity.command);
  if (stopped === undefined || stopped instanceof NotResumable) return stopped;
  const difference = differenceOf(stopped.identity, identity);
  return difference === undefined ? stopped : new NotResumable(difference);
};

const resumed = (path: string, command: Command, stopped: Journal | NotResumable | undefined): ResumeState => {
  if (stopped === undefined) {
    const sentence = `there is nothing to resume: no ${RUN_NAMES[command]} of ${path} has left a journal; leave out --resume`;
    throw new CommandFailure(sentence);
  }
  if (stopped instanceof NotResumable) throw stopped;
  return { point: stopped.point, startedAt: new Date(stopped.startedAt), isResumed: true };
};

/**
 * The start of the file, or with `resume` the point at which a run of the same command with this file and table was stopped.
 * Without `resume` a stopped run is discarded, with a message on standard error.
 * @throws CommandFailure when there is nothing to resume, or file, table or options have changed
 */
export const resumeStateOf = async (
  path: string,
  identity: RunIdentity,
  resume: boolean,
  { now, notice }: CommandRun,
): Promise<ResumeState> => {
  const stopped = await findStopped(path, identity);
  if (resume) return resumed(path, identity.command, stopped);
  if (stopped instanceof NotResumable) {
    const what = `the journal of a stopped ${RUN_NAMES[identity.command]}, which --resume can no longer use`;
    notice(`This replaces ${what}: ${stopped.reason}.`);
  } else if (stopped !== undefined) {
    notice(`Beginning with the first row again; --resume would have continued at line ${stopped.point.line}.`);
  }
  return { point: FROM_THE_START, startedAt: now(), isResumed: false };
};
