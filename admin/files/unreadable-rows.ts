import { normaliseRegistration, registrationIssue } from '../../core/vehicles/registration.ts';
import { FileRefused } from '../command/command-result.ts';
import { formatNumber } from '../command/format.ts';
import type { FileCommand, ReadOptions } from './file-command.ts';
import type { Limit } from './file-options.ts';
import { type Layout, MAX_LINES, type Row } from './rows.ts';
import type { SourceFile } from './source-file.ts';
import type { StagedRows } from './staging.ts';

/** Words that tables have in place of a registration, in normalised form. */
const WORDS = new Set([
  ...['TOTAL', 'SUM', 'SUMME', 'NA', 'NONE', 'NULL', 'NIL', 'TBC', 'TBA', 'DITTO', 'ASABOVE', 'UNKNOWN'],
]);
/** A date as spreadsheets write it, `10-May` or `May-10`. `10 MAY` is a registration. */
const DAY_AND_MONTH = /^\d{1,2}-(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)$/;
const MONTH_AND_YEAR = /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-\d{2}$/;
const isSpreadsheetDate = (text: string): boolean => DAY_AND_MONTH.test(text) || MONTH_AND_YEAR.test(text);

/** The registration of a row, or a clause that says why it cannot be read. The clause quotes no registration. */
const readRegistration = ({ fields, unreadable }: Row): { readonly key: string } | { readonly clause: string } => {
  const { registration: raw, reasons, row } = fields;
  if (unreadable !== undefined) return { clause: unreadable };
  if (reasons !== undefined && row !== undefined) {
    return { clause: 'is of a file of rejected rows: load what it has as its "row"' };
  }
  if (raw === undefined) return { clause: 'has no registration' };
  if (typeof raw !== 'string') return { clause: 'has a registration that is no string' };
  const key = normaliseRegistration(raw);
  if (isSpreadsheetDate(raw.trim()))
    return { clause: 'has a date in place of its registration, as spreadsheets change one' };
  if (key === undefined) {
    const isText = /[\p{L}\p{N}]/u.test(raw);
    return { clause: isText ? `has an invalid registration: it ${registrationIssue(raw)}` : 'has no registration' };
  }
  if (WORDS.has(key)) return { clause: 'has a word in place of its registration' };
  return /^0+$/.test(key) ? { clause: 'has only zeros in place of its registration' } : { key };
};

/**
 * The registration of a row, or a clause that says why it cannot be trusted. A row with fewer cells than the header is
 * trusted only when it is valid: otherwise its cells may be shifted.
 */
export const readRowRegistration = (
  { rowHandling }: FileCommand,
  row: Row,
  layout: Layout,
  options: ReadOptions,
): { readonly key: string } | { readonly clause: string } => {
  if (typeof rowHandling === 'function') return { key: '' };
  const found = readRegistration(row);
  if ('clause' in found || typeof layout !== 'object' || row.given.length >= layout.header.length) return found;
  const [rejection] = rowHandling.read([row], found.key, options).rejected ?? [];
  if (rejection === undefined) return found;
  return {
    clause: `has ${row.given.length} cells where the header names ${layout.header.length} (${rejection.reasons[0]})`,
  };
};

/**
 * Refuses a file with unreadable rows, because a vehicle could be stored without one of its policies.
 * @param staged has rejected only unreadable rows so far
 * @param limit undefined where every row must be readable
 * @throws FileRefused when there are more unreadable rows than the limit
 */
export const requireReadableRows = (
  staged: StagedRows,
  limit: Limit | undefined,
  { path, lines }: SourceFile,
): void => {
  const count = staged.count('rejected');
  if (count <= (limit?.of(staged.count('rows')) ?? 0)) return;
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
  const accept = limit && `, or accept up to ${count} ${suchRows} with --unreadable-at-most ${count}`;
  throw new FileRefused(
    `${[...first].join('; ')}${more}, so ${whose}: nothing was changed; correct ${it}${accept ?? ''}${path && `: ${path}`}`,
  );
};
