import {
  type Cells,
  type Check,
  complianceCheck,
  insuranceCheck,
  notInsuredColumns,
  resultColumns,
  statusCheck,
} from './checks.ts';
import { CannotRun, requireFile } from './failure.ts';
import { readFleet } from './fleet-file.ts';

/** A row of a result: the registration as in the file, and what was added. */
export interface ResultRow {
  readonly line: number;
  readonly registration: string;
  readonly cells: Cells;
}

/** Whether a header ends with these columns, whose names may end with a number. */
const endsWith = (header: readonly string[], columns: readonly string[]): boolean =>
  header.length > columns.length &&
  `${header.slice(-columns.length).map((name) => name.replace(/_\d+$/, ''))}` === `${columns}`;

const CHECKS = [insuranceCheck, statusCheck, complianceCheck];

export const isResult = (header: readonly string[]): boolean =>
  CHECKS.some((check) => endsWith(header, resultColumns(check)));

export const isNotInsuredList = (header: readonly string[]): boolean =>
  CHECKS.some((check) => endsWith(header, notInsuredColumns(check)));

/**
 * The rows of a result whose registrations are in a column of this name.
 * @throws CannotRun when it is not a result of this check, has no such column or has a row that no check has written
 */
export const readEarlierResult = async (path: string, check: Check, column: string): Promise<ResultRow[]> => {
  await requireFile(path);
  const { header, columnIndex, rows } = await readFleet(path, { column });
  const added = resultColumns(check);
  if (!endsWith(header, added)) {
    const other = isResult(header) ? 'a result of another kind of check' : 'not a result of this command';
    throw new CannotRun(`${path} is ${other}: --previous takes the --out of an earlier run with the same options.`);
  }
  const first = header.length - added.length;
  const [verdictColumn = ''] = check.columns;
  return rows.map(({ line, cells, error }) => {
    if (error === 'TOO_MANY_CELLS')
      throw new CannotRun(`Line ${line} of ${path} does not have the columns of a result: restore the file.`);
    // Spreadsheet programs leave out blank cells at the end of a row.
    const answer = Object.fromEntries(check.columns.map((name, at) => [name, (cells[first + at] ?? '').trim()]));
    const written = answer[verdictColumn] ?? '';
    // Excel writes a verdict as TRUE.
    const verdict = written.toLowerCase();
    if (!['true', 'false'].includes(verdict) && (verdict !== '' || !answer.error)) {
      const found = `${JSON.stringify(written)} as ${verdictColumn}`;
      throw new CannotRun(`Line ${line} of ${path} has ${found}, which is neither true nor false: restore it.`);
    }
    const registration = (cells[columnIndex] ?? '').trim();
    return { line, registration, cells: { ...answer, [verdictColumn]: verdict } };
  });
};
