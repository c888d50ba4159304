import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { CommandFailure } from '../command/command-result.ts';
import { showProgress } from '../command/progress.ts';
import { type Columns, listNames } from '../files/csv-header.ts';
import { asFileFailure } from '../files/file-failure.ts';
import { readRows } from '../files/read-rows.ts';
import { registrationOf } from '../files/row.ts';
import { type FileFormat, openSource, requireUnchanged } from '../files/source-file.ts';
import { openStagingDatabase } from '../staging-database.ts';
import type { FileCommand, FileContext } from './command-types.ts';
import { malformedRows } from './malformed-rows.ts';
import { stagedRows } from './staged-rows.ts';

/** The formats and columns of a file of registrations, whatever else its rows have. */
export const REGISTRATION_FORMATS: readonly FileFormat[] = ['csv', 'ndjson', 'txt'];
export const REGISTRATION_COLUMNS: Columns = { required: ['registration'], optional: [], others: true };

/** The folder of temporary files. */
export const stagingFolder = ({ staging, source }: Pick<FileContext, 'staging' | 'source'>): string =>
  staging ?? dirname(source.path);

/** What helps when that folder cannot be used. */
export const ELSEWHERE = '--staging DIR names another folder';

const requireFolder = (folder: string): void => {
  try {
    // SQLite itself would go on in the system's folder, which may be small or in memory.
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const failure = asFileFailure(error, folder);
    if (!(failure instanceof CommandFailure)) throw failure;
    throw new CommandFailure(`the rows cannot be staged, and nothing was done: ${failure.message}; ${ELSEWHERE}`);
  }
};

/** Kilobytes that SQLite keeps in memory. */
const CACHE_KB = 16_384;

/** An empty database, which the caller closes. @throws CommandFailure when its folder cannot be used */
export const openStaging = (context: FileContext) => {
  const folder = stagingFolder(context);
  requireFolder(folder);
  const db = openStagingDatabase(folder);
  db.exec(`PRAGMA cache_size = -${CACHE_KB}`);
  return { db, staged: stagedRows(db), malformed: malformedRows(db) };
};

export type Staging = ReturnType<typeof openStaging>;

const stageRegistrations = async (path: string, { staged }: Staging): Promise<void> => {
  const source = await openSource(path, REGISTRATION_FORMATS);
  for await (const { rows } of readRows(source, REGISTRATION_COLUMNS, [])) {
    for (const row of rows) {
      const registration = row.issues.length > 0 ? undefined : registrationOf(row);
      if (registration === undefined) {
        throw new CommandFailure(`line ${row.line} has no valid registration: nothing was done; correct it: ${path}`);
      }
      staged.except(registration);
    }
  }
  await requireUnchanged(source);
};

/** Stages the file of `--except`. @throws CommandFailure naming the line of an invalid registration, not its text */
export const stageExceptions = async (path: string, staging: Staging): Promise<void> => {
  try {
    await stageRegistrations(path, staging);
  } catch (error) {
    const failure = asFileFailure(error, path);
    if (!(failure instanceof CommandFailure)) throw failure;
    throw new CommandFailure(`--except: ${failure.message}`, { cause: failure });
  }
};

/** Stages the rows of the file. @returns false after Ctrl-C @throws CommandFailure when the file changes meanwhile */
export const stageFile = async <ImportRecord>(
  command: FileCommand<ImportRecord>,
  context: FileContext,
  { staged, malformed }: Staging,
): Promise<boolean> => {
  const { source, signal } = context;
  const bar = showProgress(context, 'reading', source.bytes);
  /** Whether a record without one of its rows would be stored. */
  const mayBeHalf = command.verb === 'import' && command.noun !== 'content';
  let rows = 0;
  try {
    for await (const chunk of readRows(source, command.columns, context.map)) {
      if (signal.aborted) return false;
      for (const row of chunk.rows) {
        // Nobody knows whose a row with wrong cells is.
        const key = row.cells === 'malformed' ? undefined : command.keyOf(row);
        staged.add(row, key ?? '');
        if (mayBeHalf) malformed.add(row, key);
      }
      rows += chunk.rows.length;
      staged.facts.layout = chunk.layout;
      bar.update(chunk.read, { rows });
    }
  } finally {
    bar.stop();
  }
  const { layout } = staged.facts;
  if (typeof layout === 'object' && layout.ignored.length > 0) {
    context.notice(
      `Columns that are not used: ${listNames(layout.ignored)}. --map COLUMN=NAME says which one a column is.`,
    );
  }
  await requireUnchanged(source);
  // With `--complete` what is stored may be named too.
  if (!context.complete) malformed.end(layout);
  return true;
};
