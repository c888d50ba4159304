import { normaliseRegistration } from '../../core/vehicles/registration.ts';
import { FileRefused } from '../command/command-result.ts';
import { showProgress } from '../command/progress.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { listNames } from '../files/columns.ts';
import { type Layout, listLines, MAX_LINES, type Row, type RowRules, readRow, readRows } from '../files/rows.ts';
import { type FileFormat, requireUnchanged, type SourceFile } from '../files/source-file.ts';
import type { FileKind, ReadOptions } from './file-kind.ts';
import type { FileOptions, Limit } from './file-options.ts';
import type { StagedRows } from './staging.ts';
import { hasUsDate } from './uk-dates.ts';
import { unreadableClause, unreadableRows } from './unreadable-rows.ts';

/** Characters of a row about a vehicle. */
export const MAX_ROW_LENGTH = 100_000;

/** The formats and rows of a file of registrations, whatever else its rows have. */
export const REGISTRATION_FORMATS: readonly FileFormat[] = ['csv', 'ndjson', 'txt'];
export const REGISTRATION_ROWS: RowRules = {
  columns: { required: ['registration'], optional: [], others: true },
  maxRowLength: MAX_ROW_LENGTH,
};

const registrationOf = ({ fields }: Row): string => normaliseRegistration(String(fields.registration)) ?? '';

/** Why nobody knows whose a row is, or what is wrong with a row that ends early and may be shifted. */
const findUnreadable = ({ writing }: FileKind, row: Row, layout: Layout, options: ReadOptions): string | undefined => {
  if (typeof writing === 'function') return undefined;
  const clause = unreadableClause(row);
  if (clause !== undefined || typeof layout === 'string' || row.given.length >= layout.header.length) return clause;
  const [rejection] = writing.read([row], registrationOf(row), options).rejected;
  return (
    rejection &&
    `has ${row.given.length} cells where the header names ${layout.header.length} (${rejection.reasons[0]})`
  );
};

/** What is read of a file, and where it is staged. */
export interface StagingJob {
  readonly kind: FileKind;
  readonly source: SourceFile;
  readonly options: Pick<FileOptions, 'map' | 'dates'>;
  readonly reading: ReadOptions;
  /** Undefined where every row must be read. */
  readonly unreadableAtMost: Limit | undefined;
}

/**
 * Stages the rows of a file.
 * @returns false after Ctrl-C @throws CommandFailure when the file is refused or changes meanwhile
 */
export const stageFile = async (
  { kind, source, options, reading, unreadableAtMost }: StagingJob,
  staged: StagedRows,
  context: CommandContext,
): Promise<boolean> => {
  const bar = showProgress(context, 'reading', source.bytes);
  const unreadable = unreadableRows();
  const usDates: Row[] = [];
  let rows = 0;
  try {
    for await (const { rows: page, layout, read } of readRows(source, kind, options.map)) {
      if (context.signal.aborted) return false;
      staged.setLayout(layout);
      for (const given of page) {
        const row = readRow(given, layout);
        const clause = findUnreadable(kind, row, layout, reading);
        const key = typeof kind.writing === 'function' || clause !== undefined ? '' : registrationOf(row);
        staged.add(given, key);
        if (options.dates === 'uk' && usDates.length <= MAX_LINES && hasUsDate(row.fields)) usDates.push(row);
        if (clause === undefined) continue;
        unreadable.add(row.line, clause);
        staged.reject(row.line, [`the row ${clause}`]);
      }
      rows += page.length;
      bar.update(read, { rows });
    }
  } finally {
    bar.stop();
  }
  const layout = staged.layout();
  if (typeof layout === 'object' && layout.ignored.length > 0) {
    context.notice(
      `Columns that are not used: ${listNames(layout.ignored)}. --map COLUMN=NAME says which one a column is.`,
    );
  }
  await requireUnchanged(source);
  if (usDates.length > 0) {
    throw new FileRefused(
      `${listLines(usDates)} a date with the month first, so --dates uk reads others wrongly: nothing was changed; write the dates as YYYY-MM-DD: ${source.path}`,
    );
  }
  unreadable.requireFew(rows, unreadableAtMost, source.path);
  staged.rejectManyRows();
  return true;
};
