import { type Cells, type Check, complianceCheck, insuranceCheck } from './checks.ts';
import { CannotRun, requireFile } from './failure.ts';
import { readFleet } from './fleet-file.ts';

/** A row of a result: the registration as in the file, and the added cells. */
export interface ResultRow {
  /** The line on which the row begins. */
  readonly line: number;
  readonly registration: string;
  readonly cells: Cells;
}

/**
 * The columns that this check has added to a result with this header; undefined for another file. The name of an added
 * column may end with a number.
 */
const addedTo = ({ columns }: Check, header: readonly string[]): readonly string[] | undefined => {
  const names = header.map((name) => name.replace(/_\d+$/, ''));
  // Results of the client 0.2.0 have no status.
  const forms = [columns, columns.filter((name) => name !== 'status')];
  return forms.find((form) => header.length > form.length && `${names.slice(-form.length)}` === `${form}`);
};

/** Whether a header is of a result of any check. */
export const isResult = (header: readonly string[]): boolean =>
  [insuranceCheck, complianceCheck].some((check) => addedTo(check, header));

/** Undoes the escaping of formulas. */
export const unescaped = (cell: string): string => cell.replace(/^'(?=[=+\-@\t\r])/, '');

/**
 * The rows of a result whose registrations are in a column of this name.
 * @throws CannotRun when it is not a result of this check, has no such column or has a row that no check has written
 */
export const readEarlierResult = async (path: string, check: Check, column: string): Promise<ResultRow[]> => {
  await requireFile(path);
  const { header, columnIndex, rows } = await readFleet(path, { column });
  const added = addedTo(check, header);
  if (added === undefined) {
    const other = isResult(header) ? 'a result of another kind of check' : 'not a result of this command';
    throw new CannotRun(`${path} is ${other}: --previous takes the --out of an earlier run with the same options.`);
  }
  const first = header.length - added.length;
  return rows.map(({ line, cells, error }) => {
    if (error === 'TOO_MANY_CELLS')
      throw new CannotRun(`Line ${line} of ${path} does not have the columns of a result: restore the file.`);
    // Spreadsheet programs leave out blank cells at the end of a row.
    const [verdict = '', ...others] = added.map((_, at) => unescaped((cells[first + at] ?? '').trim()));
    // Excel writes a verdict as TRUE.
    const isVerdict = /^(?:true|false)$/i.test(verdict) || (verdict === '' && others.at(-1) !== '');
    if (!isVerdict) {
      const found = `${JSON.stringify(verdict)} as ${check.columns[0]}`;
      throw new CannotRun(`Line ${line} of ${path} has ${found}, which is neither true nor false: restore it.`);
    }
    const registration = unescaped(cells[columnIndex] ?? '').trim();
    return { line, registration, cells: [verdict.toLowerCase(), ...others] };
  });
};
