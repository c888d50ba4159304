/** Rows of which nobody knows whose they are. One of them refuses the file: its vehicle would be stored by half. */
import { normaliseRegistration, registrationIssue } from '../../core/vehicles/registration.ts';
import { FileRefused } from '../command/command-result.ts';
import { formatNumber } from '../command/format.ts';
import { MAX_LINES, type Row } from '../files/rows.ts';
import type { Limit } from './file-options.ts';

/** What tables have in the place of a registration, normalised as one. */
const WORDS = new Set([
  ...['TOTAL', 'SUM', 'SUMME', 'NA', 'NONE', 'NULL', 'NIL', 'TBC', 'TBA', 'DITTO', 'ASABOVE', 'UNKNOWN'],
]);
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
/** A date as spreadsheets write it. `10 MAY` is a registration. */
const DATE = new RegExp(`^(?:\\d{1,2}-${MONTH}|${MONTH}-\\d{2})$`);

/** Why nobody knows whose a row is, as a clause; undefined when it has a registration. Quotes no registration. */
export const unreadableClause = ({ fields, unreadable }: Row): string | undefined => {
  if (unreadable !== undefined) return unreadable;
  const { registration: raw, reasons, row } = fields;
  if (reasons !== undefined && row !== undefined) return 'is of a file of rejected rows: load what it has as its "row"';
  if (typeof raw !== 'string')
    return raw === undefined ? 'has no registration' : 'has a registration that is no string';
  const key = normaliseRegistration(raw);
  if (DATE.test(raw.trim())) return 'has a date in place of its registration, as spreadsheets change one';
  if (key === undefined) {
    return /[\p{L}\p{N}]/u.test(raw)
      ? `has an invalid registration: it ${registrationIssue(raw)}`
      : 'has no registration';
  }
  if (WORDS.has(key)) return 'has a word in place of its registration';
  return /^0+$/.test(key) ? 'has only zeros in place of its registration' : undefined;
};

/** Collects unreadable rows: their number, and the first ones. */
export const unreadableRows = () => {
  const first: string[] = [];
  let count = 0;
  return {
    add: (line: number, clause: string): void => {
      count += 1;
      if (first.length < MAX_LINES) first.push(`line ${line} ${clause}`);
    },
    /** @param limit undefined where every row must be read @throws FileRefused when there are more than the limit */
    requireFew: (rows: number, limit: Limit | undefined, path: string): void => {
      if (count <= (limit?.of(rows) ?? 0)) return;
      const more = count > first.length ? `; and ${formatNumber(count - first.length)} more` : '';
      const [it, whose, suchRows] =
        count === 1
          ? ['it', 'nobody knows whose row it is', 'such row']
          : ['them', 'nobody knows whose rows they are', 'such rows'];
      const accept =
        limit === undefined ? '' : `, or accept up to ${count} ${suchRows} with --unreadable-at-most ${count}`;
      throw new FileRefused(
        `${first.join('; ')}${more}, so ${whose}: nothing was changed; correct ${it}${accept}: ${path}`,
      );
    },
  };
};
