import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import * as T from 'typebox';
import { faultsIn } from '../../../functions/runtime/schema-faults.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Output } from '../context.ts';
import type { ResumePoint } from './resume-point.ts';
import { Subject } from './subject.ts';

/** Open lines that are written down. With more, the journal stays as it was: still true, only more is written again. */
const MAX_OPEN = 2_000;

const Journal = T.Object({
  subject: Subject,
  /** When the import began, ISO 8601 UTC: the moment that its records get, however often it is resumed. */
  began: T.String(),
  point: T.Object({ line: T.Integer({ minimum: 1 }), open: T.Array(T.Integer({ minimum: 1 })) }),
});

/** What is kept beside a file while it is imported, as `FILE.import.json`, so that another run can go on. */
export type Journal = T.Static<typeof Journal>;

const journalOf = (path: string): string => `${path}.import.json`;

/** Until it is whole, a journal has another name. */
const partOf = (path: string): string => `${journalOf(path)}.part`;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The journal beside a file; undefined when there is none. @throws CommandFailure when it is none of ours */
export const readJournal = async (path: string): Promise<Journal | undefined> => {
  try {
    const journal = parsed(await readFile(journalOf(path), 'utf8'));
    if (faultsIn(Journal, journal).length === 0) return journal as Journal;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  throw new CommandFailure(`${journalOf(path)} is damaged: delete it and load the file from the beginning`);
};

/**
 * Keeps the journal of an import beside its file. A folder that cannot be written to does not stop the import: it is
 * said once that this one cannot be resumed.
 */
export const openJournal = (path: string, facts: Omit<Journal, 'point'>, now: () => ResumePoint, stderr: Output) => {
  let keptLine = 0;
  let isPossible = true;

  const write = async (point: ResumePoint): Promise<void> => {
    try {
      await writeFile(partOf(path), `${JSON.stringify({ ...facts, point })}\n`);
      await rename(partOf(path), journalOf(path));
      keptLine = point.line;
    } catch (error) {
      isPossible = false;
      const { code = 'unknown fault' } = error as NodeJS.ErrnoException;
      stderr.write(
        `The progress cannot be kept in ${journalOf(path)} (${code}): no --resume should this import stop.\n`,
      );
    }
  };

  return {
    /** Writes down how far the import has come, if it has come further. */
    keep: async (): Promise<void> => {
      const point = now();
      if (isPossible && point.line !== keptLine && point.open.length <= MAX_OPEN) await write(point);
    },
    /** The import has come to its end: there is nothing to resume. */
    remove: async (): Promise<void> => {
      await rm(partOf(path), { force: true });
      await rm(journalOf(path), { force: true });
    },
  };
};
