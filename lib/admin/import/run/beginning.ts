import { CommandFailure } from '../../command/command-failure.ts';
import type { AdminContext } from '../../command/context.ts';
import { type Journal, readJournal } from './journal.ts';
import { NotResumable } from './not-resumable.ts';
import { FROM_THE_START, type ResumePoint } from './resume-point.ts';
import { differenceOf, type Subject } from './subject.ts';

/** Where an import sets out. */
export interface Beginning {
  readonly point: ResumePoint;
  /** When it began, or when the stopped one did that it goes on with. */
  readonly began: Date;
  readonly isResumed: boolean;
}

/** The stopped import that this one can go on with, or why it cannot; undefined when none was stopped. */
const findStopped = async (path: string, subject: Subject): Promise<Journal | NotResumable | undefined> => {
  const stopped = await readJournal(path);
  if (stopped === undefined || stopped instanceof NotResumable) return stopped;
  const difference = differenceOf(stopped.subject, subject);
  return difference === undefined ? stopped : new NotResumable(difference);
};

const resumed = (path: string, stopped: Journal | NotResumable | undefined): Beginning => {
  if (stopped === undefined) {
    throw new CommandFailure(`there is nothing to resume: no import of ${path} has left a journal; leave out --resume`);
  }
  if (stopped instanceof NotResumable) throw stopped;
  return { point: stopped.point, began: new Date(stopped.began), isResumed: true };
};

/**
 * From the start, or with `resume` where a stopped import of the same file into the same table had come to. Without it, what
 * was stopped before is given up, and that is said.
 * @throws CommandFailure when there is nothing to resume, or it is not the same any more
 */
export const beginningOf = async (
  path: string,
  subject: Subject,
  resume: boolean,
  { now, stderr }: AdminContext,
): Promise<Beginning> => {
  const stopped = await findStopped(path, subject);
  if (resume) return resumed(path, stopped);
  if (stopped instanceof NotResumable) {
    stderr.write(
      `This replaces the journal of a stopped import, which --resume cannot go on with any more: ${stopped.reason}.\n`,
    );
  } else if (stopped !== undefined) {
    stderr.write(`Loading all of it again; --resume would have gone on at line ${stopped.point.line}.\n`);
  }
  return { point: FROM_THE_START, began: now(), isResumed: false };
};
