import { stringify } from 'csv-stringify/sync';
import { delimiterLine } from './csv-file/read-csv.ts';
import type { FleetFile } from './fleet-file.ts';

/** How the files of a check are written: as their input is. */
export type CsvFormat = Pick<FleetFile, 'delimiter' | 'lineEnd' | 'hasMark'>;

/** CSV with the delimiter and line ends of the input. Formulas are escaped: spreadsheet programs would run them. */
export const csvText = (rows: readonly (readonly string[])[], { delimiter, lineEnd }: CsvFormat): string =>
  stringify(rows as string[][], {
    delimiter,
    record_delimiter: lineEnd,
    // Without this, only cells with the file's own line end are quoted.
    quoted_match: /[\r\n]/,
    escape_formulas: true,
  });

/** The first lines of a written file: one that sets an unusual delimiter, if needed, and the header. */
export const headerText = (names: readonly string[], format: CsvFormat): string =>
  `${format.hasMark ? '\ufeff' : ''}${delimiterLine(format.delimiter, format.lineEnd)}${csvText([names], format)}`;
