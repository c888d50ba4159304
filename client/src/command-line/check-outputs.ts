import { stringify } from 'csv-stringify/sync';
import { delimiterLine } from '../../../csv/read-csv.ts';
import type { CheckArguments } from './arguments.ts';
import { CHANGE_COLUMNS } from './changes.ts';
import { isResult } from './earlier-result.ts';
import { ENDING_COLUMNS } from './ending.ts';
import type { FleetFile } from './fleet-file.ts';
import { NOT_INSURED_COLUMNS } from './not-insured.ts';
import { assertReplaceable, type OutputFile, openOutputFile } from './result-file.ts';

/** How the files of a check are written: as their input is. */
type CsvFormat = Pick<FleetFile, 'delimiter' | 'lineEnd' | 'hasMark'>;

/** CSV in the format of the input. Formulas are escaped, because spreadsheet programs would run them. */
export const csvText = (rows: readonly (readonly string[])[], { delimiter, lineEnd }: CsvFormat): string =>
  stringify(rows as string[][], {
    delimiter,
    record_delimiter: lineEnd,
    // Without this, only cells with the file's own line end are quoted.
    quoted_match: /[\r\n]/,
    escape_formulas: true,
  });

/** The first lines of a file: one that names the columns, after one that sets an unusual delimiter. */
export const headerText = (names: readonly string[], format: CsvFormat): string =>
  `${format.hasMark ? '\ufeff' : ''}${delimiterLine(format.delimiter, format.lineEnd)}${csvText([names], format)}`;

/** The files that a check writes, in the order in which they take their places. */
interface Outputs {
  readonly changes?: OutputFile;
  readonly ending?: OutputFile;
  readonly notInsured?: OutputFile;
  readonly receipts?: OutputFile;
  readonly result: OutputFile;
}

const isList = (columns: readonly string[]) => (header: readonly string[]) => `${header}` === `${columns}`;
const isReceipts = ([first = '', ...more]: readonly string[]): boolean =>
  more.length === 0 && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(first);

/** Opens the files for `use`, then deletes temporary ones. @throws CannotRun when a file must not be replaced */
export const withOutputs = async <Value>(
  { changesFile, endingFile, notInsuredFile, receiptsFile, out, force }: CheckArguments,
  { stats: input }: FleetFile,
  use: (outputs: Outputs) => Promise<Value>,
): Promise<Value> => {
  const wanted = [
    ['changes', changesFile, isList(CHANGE_COLUMNS)],
    ['ending', endingFile, isList(ENDING_COLUMNS)],
    ['notInsured', notInsuredFile, isList(NOT_INSURED_COLUMNS)],
    ['receipts', receiptsFile, isReceipts],
    ['result', out, isResult],
  ] as const;
  const outputs: Partial<Record<keyof Outputs, OutputFile>> = {};
  try {
    for (const [name, path, isOwn] of wanted) {
      if (path === undefined) continue;
      const replaceable = { path, isOwn, input, force };
      await assertReplaceable(replaceable);
      outputs[name] = await openOutputFile(replaceable);
    }
    return await use(outputs as Outputs);
  } finally {
    for (const file of Object.values(outputs)) await file.discard();
  }
};
