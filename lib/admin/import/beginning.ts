import { CommandFailure } from '../command-failure.ts';
import type { AdminContext } from '../context.ts';
import { type Journal, readJournal } from './journal.ts';
import { FROM_THE_START, type ResumePoint } from './resume-point.ts';
import { differenceOf, type Subject } from './subject.ts';

/** Where an import sets out. */
export interface Beginning {
  readonly point: ResumePoint;
  /** When it began, or when the stopped one did that it goes on with. */
  readonly began: Date;
}

const resumed = (path: string, subject: Subject, stopped: Journal | undefined): Beginning => {
  if (stopped === undefined) {
    throw new CommandFailure(`there is nothing to resume: no import of ${path} was stopped; leave out --resume`);
  }
  const difference = differenceOf(stopped.subject, subject);
  if (difference !== undefined) {
    throw new CommandFailure(`this import cannot be resumed, ${difference}: leave out --resume to load it all`);
  }
  return { point: stopped.point, began: new Date(stopped.began) };
};

/**
 * From the start, or with `resume` where a stopped import of the same file into the same table had come to.
 * @throws CommandFailure when there is nothing to resume, or it is not the same any more
 */
export const beginningOf = async (
  path: string,
  subject: Subject,
  resume: boolean,
  { now, stderr }: AdminContext,
): Promise<Beginning> => {
  const stopped = await readJournal(path);
  if (resume) return resumed(path, subject, stopped);
  if (stopped && differenceOf(stopped.subject, subject) === undefined) {
    stderr.write(`Loading all of it again; --resume would have gone on at line ${stopped.point.line}.\n`);
  }
  return { point: FROM_THE_START, began: now() };
};
