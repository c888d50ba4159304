import { CommandFailure } from '../../command/command-failure.ts';
import type { AdminContext } from '../../command/context.ts';
import { differenceOf, type ImportIdentity } from './import-identity.ts';
import { type Journal, readJournal } from './journal.ts';
import { FROM_THE_START, NotResumable, type ResumePoint } from './resume-point.ts';

/** Where an import begins. */
export interface ResumeState {
  readonly point: ResumePoint;
  /** When the import was started; for a resumed one, when it was started first. */
  readonly startedAt: Date;
  readonly isResumed: boolean;
}

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
  { now, stderr }: AdminContext,
): Promise<ResumeState> => {
  const stopped = await findStopped(path, identity);
  if (resume) return resumed(path, stopped);
  if (stopped instanceof NotResumable) {
    stderr.write(
      `This replaces the journal of a stopped import, which --resume can no longer use: ${stopped.reason}.\n`,
    );
  } else if (stopped !== undefined) {
    stderr.write(`Loading the whole file again; --resume would have continued at line ${stopped.point.line}.\n`);
  }
  return { point: FROM_THE_START, startedAt: now(), isResumed: false };
};
