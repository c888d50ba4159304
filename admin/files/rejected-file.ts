/**
 * Writes the rejected rows of a file. For a CSV file the output is CSV with `line`, `reason` and the row, which can be
 * corrected and imported. For any other file it is NDJSON with `line`, `reasons` and `row`.
 */
import { stringify } from 'csv-stringify/sync';
import { delimiterLine } from '../../csv/read-csv.ts';
import { type CsvLayout, REJECTION_COLUMNS } from './columns.ts';
import { writeBeside } from './output-file.ts';
import type { Layout, RejectedRow } from './rows.ts';

/** Rows that are written together. */
const PAGE_ROWS = 500;

function* csvTexts({ delimiter, header }: CsvLayout, rejections: Iterable<RejectedRow>): Generator<string> {
  const options = { delimiter, record_delimiter: '\r\n', quoted_match: /[\r\n]/ };
  // The byte order mark tells Excel that the file is UTF-8.
  yield `\uFEFF${delimiterLine(delimiter)}`;
  let page = [[...REJECTION_COLUMNS, ...header]];
  for (const { row, reasons } of rejections) {
    page.push([`${row.line}`, reasons.join(' | '), ...row.given]);
    if (page.length < PAGE_ROWS) continue;
    yield stringify(page, options);
    page = [];
  }
  yield stringify(page, options);
}

const jsonText = ({ row: { line, given, fields }, reasons }: RejectedRow): string => {
  // A line that is not a JSON object is written as a string.
  const row = Object.keys(fields).length > 0 ? given : JSON.stringify(given);
  return `{"line":${line},"reasons":${JSON.stringify(reasons)},"row":${row}}\n`;
};

/** Writes at least one rejected row. @returns the name of the file @throws CommandFailure */
export const writeRejected = (path: string, layout: Layout, rejections: Iterable<RejectedRow>): Promise<string> =>
  typeof layout === 'object'
    ? writeBeside(path, 'rejected', 'csv', csvTexts(layout, rejections))
    : writeBeside(path, 'rejected', 'ndjson', Iterator.from(rejections).map(jsonText));
