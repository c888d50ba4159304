import { normaliseRegistration, registrationIssue } from '../../core/vehicles/registration.ts';
import {
  findPlaceholder,
  isInNextCell,
  isLikelyRegistration,
  isShifted,
  mayBeCut,
  patternOf,
} from '../../csv/registration-cell.ts';
import { FileRefused } from '../command/command-result.ts';
import { formatNumber } from '../command/format.ts';
import { showProgress } from '../command/progress.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { type CsvLayout, listNames, type MappedColumn } from './columns.ts';
import { hasUsDate } from './date-forms.ts';
import type { FileRun } from './file-command.ts';
import { limitOf } from './file-options.ts';
import { linesHave, MAX_LINES, OF_ROW, openRows, type Row, readRow, refuseLines } from './rows.ts';
import { requireUnchanged } from './source-file.ts';

const BY_SPREADSHEET = ', as spreadsheets change one';

/** A registration, or a clause that says why a row has none that can be trusted. It quotes no registration. */
type FoundRegistration = { readonly key: string } | { readonly clause: string };

/** @param hasWords whether words and dates may be registrations, because somebody stored them as such */
const readRegistration = ({ fields, unreadable }: Row, hasWords: boolean, heading?: string): FoundRegistration => {
  const { registration: raw, reasons, row } = fields;
  if (unreadable !== undefined) return { clause: unreadable };
  if (reasons !== undefined && row !== undefined) {
    return { clause: 'is of a file of rejected rows: load what it has as its "row"' };
  }
  if (raw === undefined) return { clause: 'has no registration' };
  if (typeof raw !== 'string') return { clause: 'has a registration that is no string' };
  const placeholder = hasWords ? undefined : findPlaceholder(raw, heading);
  if (placeholder !== undefined) {
    return {
      clause: `has ${placeholder} in place of its registration${placeholder === 'a date' ? BY_SPREADSHEET : ''}`,
    };
  }
  const key = normaliseRegistration(raw);
  if (key !== undefined) return { key };
  const isText = /[\p{L}\p{N}]/u.test(raw);
  return { clause: isText ? `has an invalid registration: it ${registrationIssue(raw)}` : 'has no registration' };
};

const SHIFTED =
  'has shifted cells: its make, colour, insurer or type is a date or its registration, or a registration is in the next cell';
const CUT =
  'may be cut off within its registration, with which the file ends; when it is whole, put a line end behind it';

const CUT_ROW = 'may be cut off, because the file ends with it; when it is whole, put a line end behind it';

/** What the rows above have: the patterns of registrations, and numbers of cells. */
interface RowsAbove {
  readonly patterns: Set<string>;
  readonly widths: Set<number>;
}

/**
 * A row with fewer cells than the header, or with a registration in the next cell, is trusted only when it is valid: its
 * cells may be shifted.
 */
const readRowRegistration = (
  { command: { rowHandling, verb }, source, options }: FileRun,
  row: Row,
  layout: CsvLayout | undefined,
  { patterns, widths }: RowsAbove,
): FoundRegistration => {
  // Rows of content have no registration.
  if (rowHandling.kind === 'items') return { key: '' };
  const hasWords = options.restore || source.path === '' || verb === 'undo';
  if (layout === undefined || typeof row.given === 'string') return readRegistration(row, hasWords);
  const { header, registration, fields } = layout;
  const found = readRegistration(row, hasWords, header[registration]);
  if ('clause' in found) return found;
  if (isShifted(row.given, registration, fields)) return { clause: SHIFTED };
  const { length } = row.given;
  const isCut = mayBeCut({ ...row, cells: row.given }, registration, patterns);
  if (header.length > 1 && isCut) return { clause: CUT };
  const isShort = length < header.length;
  if (!isShort && (!isInNextCell(row.given, registration, fields) || rowHandling.saysNothing?.(row))) return found;
  const [rejection] = rowHandling.read([row], found.key, options).rejected ?? [];
  if (rejection === undefined) {
    const isCutRow = isShort && row.lastCharacter !== undefined && !widths.has(length);
    return isCutRow ? { clause: CUT_ROW } : found;
  }
  if (!isShort) return { clause: SHIFTED };
  return {
    clause: `has ${length} cells where the header names ${header.length} (${rejection.reasons[0]})`,
  };
};

/**
 * Refuses a file with unreadable rows, because a vehicle could be stored without one of its policies. Only an import
 * may accept some. Called when no other rows are rejected yet.
 * @throws FileRefused when there are more unreadable rows than the limit
 */
const requireReadableRows = ({ command, source: { path }, options, staged }: FileRun): void => {
  const count = staged.countRejected();
  const isImport = command.verb === 'import';
  if (count <= (isImport ? limitOf(options.unreadableAtMost, staged.countRows()) : 0)) return;
  const first = staged
    .rejectedRows()
    .take(MAX_LINES)
    .map(({ row: { line }, reasons: [reason = ''] }) =>
      reason.replace(OF_ROW, `${path === '' ? 'registration' : 'line'} ${line} `),
    );
  const more = count > MAX_LINES ? `; and ${formatNumber(count - MAX_LINES)} more` : '';
  const [it, whose, suchRows] =
    count === 1
      ? ['it', 'nobody knows whose row it is', 'such row']
      : ['them', 'nobody knows whose rows they are', 'such rows'];
  const accept = isImport ? `, or accept up to ${count} ${suchRows} with --unreadable-at-most ${count}` : '';
  throw new FileRefused(
    `${[...first].join('; ')}${more}, so ${whose}: nothing was changed; correct ${it}${accept}${path && `: ${path}`}`,
  );
};

/** The columns of which nothing is known. One of them may have the registrations when `Index No` numbers the rows. */
const unknownColumns = (layout: CsvLayout | undefined, map: readonly MappedColumn[]): readonly number[] =>
  layout === undefined || layout.registration < 0 || map.some(({ name }) => name === 'registration')
    ? []
    : layout.fields.flatMap((field, at) => (field === undefined ? at : []));

const noticeColumns = ({ lineBelowTitle, ignored }: CsvLayout, { notice }: CommandContext): void => {
  if (lineBelowTitle !== undefined) notice(`Line ${lineBelowTitle} names the columns; what is above it is left out.`);
  if (ignored.length === 0) return;
  notice(`Columns that are not used: ${listNames(ignored)}. --map COLUMN=NAME says which one a column is.`);
};

/** How many rows there are, and the first of them, which a message names. */
interface CountedRows {
  count: number;
  readonly first: Pick<Row, 'line'>[];
}

const countRow = (rows: CountedRows, { line }: Row): void => {
  rows.count += 1;
  if (rows.first.length < MAX_LINES) rows.first.push({ line });
};

const isSameModel = (row: Row, above: Row): boolean =>
  ['make', 'model'].every((name) => row.fields[name] === above.fields[name]);

/** A CSV without a header is refused already. An export of an empty table is empty, and so are lines of no file. */
const requireRows = ({ source: { format, readLines, path }, options, command }: FileRun, rows: number): void => {
  const mayBeExport = options.restore || command.rowHandling.kind === 'items';
  if (rows > 0 || format === 'csv' || readLines !== undefined || mayBeExport) return;
  throw new FileRefused(`the file is empty: nothing was changed; look for the right file: ${path}`);
};

/** Stages the rows of a file, until Ctrl-C. @throws CommandFailure when the file is refused or changes meanwhile */
export const stageFile = async (run: FileRun, context: CommandContext): Promise<void> => {
  const { command, source, options, staged, counts } = run;
  const { rowHandling } = command;
  const { lacksPolicy, saysNothing } = rowHandling.kind === 'records' ? rowHandling : {};
  const { layout, pages } = await openRows(source, command, options.map);
  staged.setLayout(layout);
  const rowsAbove = { patterns: new Set<string>(), widths: new Set<number>() };
  /** Unknown columns with a registration in every row, as long as the column of registrations has only numbers. */
  let columns = unknownColumns(layout, options.map);
  /** Rows without a policy below one with a policy, as a CSV has them where cells were merged. */
  const lacking: CountedRows = { count: 0, first: [] };
  const lackingOfModel: CountedRows = { count: 0, first: [] };
  let above: Row | undefined;
  let rows = 0;
  const progress = showProgress(context, 'reading', source.bytes);
  try {
    for await (const { rows: page, read } of pages) {
      if (context.signal.aborted) return;
      const usDates: Row[] = [];
      for (const given of page) {
        const row = readRow(given, layout);
        if (options.dates === 'uk' && hasUsDate(row.fields)) usDates.push(row);
        const found = readRowRegistration(run, row, layout, rowsAbove);
        if ('key' in found) rowsAbove.patterns.add(patternOf(found.key));
        const hasLetter = 'key' in found && /\p{L}/u.test(found.key);
        columns = hasLetter ? [] : columns.filter((at) => isLikelyRegistration(given.given[at]));
        if (layout) rowsAbove.widths.add(given.given.length);
        if (!lacksPolicy?.(row)) above = row;
        else if (above) {
          countRow(lacking, row);
          if (isSameModel(row, above)) countRow(lackingOfModel, row);
        }
        if ('key' in found && row.issue === undefined && saysNothing?.(row)) {
          counts.withoutValue += 1;
          continue;
        }
        staged.add(given, 'key' in found ? found.key : null);
        if ('clause' in found) staged.reject(row.line, [OF_ROW + found.clause]);
      }
      refuseLines(usDates, 'a date with the month first, so --dates uk reads others wrongly: write it as YYYY-MM-DD');
      rows += page.length;
      progress.update(read, rows);
    }
  } finally {
    progress.stop();
  }
  requireRows(run, rows);
  if (layout) noticeColumns(layout, context);
  const merged = 2 * lacking.count > rows ? lacking : lackingOfModel;
  if (merged.count > 0) {
    const rowsHave = linesHave(merged.first, merged.count).replace('line', 'Line');
    context.notice(`${rowsHave} no policy below a row that has one: if cells were merged, fill them.`);
  }
  await requireUnchanged(source);
  requireReadableRows(run);
  const [column] = columns;
  if (layout && column !== undefined && rows > 0) {
    throw new FileRefused(
      `no registration has a letter, and column ${listNames([layout.header[column] ?? ''])} has registrations: nothing was changed; --map COLUMN=registration says which column has them: ${source.path}`,
    );
  }
};
