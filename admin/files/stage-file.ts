import { normaliseRegistration, registrationIssue } from '../../core/vehicles/registration.ts';
import { FileRefused } from '../command/command-result.ts';
import { formatNumber } from '../command/format.ts';
import { showProgress } from '../command/progress.ts';
import type { CommandContext } from '../deployment/deployment.ts';
import { listNames } from './columns.ts';
import type { FileRun } from './file-command.ts';
import { limitOf } from './file-options.ts';
import { notRegistrationClause } from './not-a-registration.ts';
import { type Layout, MAX_LINES, type Row, readRow, readRows, refuseLines } from './rows.ts';
import { requireUnchanged } from './source-file.ts';
import { hasUsDate } from './uk-dates.ts';

/** A registration, or a clause that says why a row has none that can be trusted. It quotes no registration. */
type FoundRegistration = { readonly key: string } | { readonly clause: string };

/** @param isStored whether the registration is one that was stored, which may be any word */
const readRegistration = ({ fields, unreadable }: Row, isStored: boolean): FoundRegistration => {
  const { registration: raw, reasons, row } = fields;
  if (unreadable !== undefined) return { clause: unreadable };
  if (reasons !== undefined && row !== undefined) {
    return { clause: 'is of a file of rejected rows: load what it has as its "row"' };
  }
  if (raw === undefined) return { clause: 'has no registration' };
  if (typeof raw !== 'string') return { clause: 'has a registration that is no string' };
  const clause = isStored ? undefined : notRegistrationClause(raw);
  if (clause !== undefined) return { clause };
  const key = normaliseRegistration(raw);
  if (key === undefined) {
    const isText = /[\p{L}\p{N}]/u.test(raw);
    return { clause: isText ? `has an invalid registration: it ${registrationIssue(raw)}` : 'has no registration' };
  }
  return /^0+$/.test(key) ? { clause: 'has only zeros in place of its registration' } : { key };
};

/** A row with fewer cells than the header is trusted only when it is valid: its cells may be shifted. */
const readRowRegistration = (
  { command: { rowHandling }, source, options }: FileRun,
  row: Row,
  layout: Layout,
): FoundRegistration => {
  // Rows of content have no registration.
  if (rowHandling.kind === 'items') return { key: '' };
  const found = readRegistration(row, options.restore || source.lines !== undefined);
  if ('clause' in found || typeof layout !== 'object' || row.given.length >= layout.header.length) return found;
  const [rejection] = rowHandling.read([row], found.key, options).rejected ?? [];
  if (rejection === undefined) return found;
  return {
    clause: `has ${row.given.length} cells where the header names ${layout.header.length} (${rejection.reasons[0]})`,
  };
};

/**
 * Refuses a file with unreadable rows, because a vehicle could be stored without one of its policies. Only an import
 * may accept some. Called when no other rows are rejected yet.
 * @throws FileRefused when there are more unreadable rows than the limit
 */
const requireReadableRows = ({ command, source: { path, lines }, options, staged }: FileRun): void => {
  const count = staged.countRejected();
  const isImport = command.verb === 'import';
  if (count <= (isImport ? limitOf(options.unreadableAtMost, staged.countRows()) : 0)) return;
  const first = staged
    .rejectedRows()
    .take(MAX_LINES)
    .map(({ row: { line }, reasons: [reason = ''] }) =>
      reason.replace('the row', `${lines ? 'registration' : 'line'} ${line}`),
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

/** Stages the rows of a file, until Ctrl-C. @throws CommandFailure when the file is refused or changes meanwhile */
export const stageFile = async (run: FileRun, context: CommandContext): Promise<void> => {
  const { command, source, options, staged } = run;
  const progress = showProgress(context, 'reading', source.bytes);
  let rows = 0;
  try {
    for await (const { rows: page, layout, read } of readRows(source, command, options.map)) {
      if (context.signal.aborted) return;
      staged.setLayout(layout);
      const usDates: Row[] = [];
      for (const given of page) {
        const row = readRow(given, layout);
        if (options.dates === 'uk' && hasUsDate(row.fields)) usDates.push(row);
        const found = readRowRegistration(run, row, layout);
        staged.add(given, 'key' in found ? found.key : null);
        if ('clause' in found) staged.reject(row.line, [`the row ${found.clause}`]);
      }
      refuseLines(usDates, 'a date with the month first, so --dates uk reads others wrongly: write it as YYYY-MM-DD');
      rows += page.length;
      progress.update(read, rows);
    }
  } finally {
    progress.stop();
  }
  const layout = staged.layout();
  if (typeof layout === 'object' && layout.ignored.length > 0) {
    context.notice(
      `Columns that are not used: ${listNames(layout.ignored)}. --map COLUMN=NAME says which one a column is.`,
    );
  }
  await requireUnchanged(source);
  requireReadableRows(run);
  staged.rejectManyRows();
};
