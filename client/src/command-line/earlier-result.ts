import type { CsvHeader } from '../../../csv/read-csv.ts';
import { type Cells, type Check, complianceCheck, insuranceCheck } from './checks.ts';
import { CannotRun, requireFile } from './failure.ts';
import { openFleet } from './fleet-file.ts';

/** A row of a result: the registration as in the file, and the added cells. */
export interface ResultRow {
  readonly registration: string;
  readonly cells: Cells;
}

/** How many columns the check added to a result with this header, which may have a number; 0 when it is no result. */
const countAdded = ({ columns }: Check, header: readonly string[]): number => {
  const names = header.map((name) => name.replace(/_\d+$/, ''));
  // Results of the client 0.2.0 have no status.
  const forms = [columns, columns.filter((name) => name !== 'status')];
  return forms.find((form) => header.length > form.length && `${names.slice(-form.length)}` === `${form}`)?.length ?? 0;
};

/** Whether a header is of a result of any check. */
export const isResult = (header: readonly string[]): boolean =>
  [insuranceCheck, complianceCheck].some((check) => countAdded(check, header) > 0);

/** Undoes the escaping of formulas. */
export const unescaped = (cell: string): string => cell.replace(/^'(?=[=+\-@\t\r])/, '');

/**
 * Opens a result whose registrations are in a column of this name, and validates it.
 * @throws CannotRun when it is not a result of this check, or has no such column
 */
export const openEarlierResult = async (
  path: string,
  check: Check,
  column: string,
): Promise<AsyncIterable<ResultRow>> => {
  const find = ({ names }: CsvHeader): number => {
    if (countAdded(check, names) === 0) {
      const other = isResult(names) ? 'a result of another kind of check' : 'not a result of this command';
      throw new CannotRun(`${path} is ${other}: --previous takes the --out of an earlier run with the same options.`);
    }
    const found = names.indexOf(column);
    if (found >= 0) return found;
    throw new CannotRun(`${path} has no column ${JSON.stringify(column)}: --previous takes a result of the same file.`);
  };
  await requireFile(path);
  const { header, columnIndex, rows } = await openFleet(path, find, { column });
  const start = header.length - countAdded(check, header);
  return {
    async *[Symbol.asyncIterator]() {
      for await (const { line, cells, error } of rows()) {
        if (error === 'TOO_MANY_CELLS')
          throw new CannotRun(`Line ${line} of ${path} has not the columns of a result: restore it.`);
        const [verdict = '', ...others] = cells.slice(start).map((cell) => unescaped(cell.trim()));
        // Excel writes a verdict as TRUE.
        const isVerdict = /^(?:true|false)$/i.test(verdict) || (verdict === '' && others.at(-1) !== '');
        if (!isVerdict) {
          const found = `${JSON.stringify(verdict)} as ${check.columns[0]}`;
          throw new CannotRun(`Line ${line} of ${path} has ${found}, which is neither true nor false: restore it.`);
        }
        const registration = unescaped(cells[columnIndex] ?? '').trim();
        yield { registration, cells: [verdict.toLowerCase(), ...others] };
      }
    },
  };
};
