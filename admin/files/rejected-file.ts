/**
 * The rejected rows of a file. Of a CSV: a CSV with `line`, `reason` and the row, to be corrected and imported.
 * Of other files: NDJSON with `line`, `reasons` and `row`.
 */
import { delimiterLine } from '../../csv/read-csv.ts';
import { type CsvLayout, REJECTION_COLUMNS } from './csv-header.ts';
import { writeOutput } from './output-file.ts';
import type { Layout } from './read-rows.ts';
import type { RejectedRow } from './row.ts';

/** Characters of a row that are written as NDJSON; valid rows are shorter. */
const MAX_ROW_TEXT = 200_000;

const asJson = ({ row: { line, text, isJson }, reasons }: RejectedRow): string => {
  const isWhole = text.length <= MAX_ROW_TEXT;
  const row = isJson && isWhole ? text : JSON.stringify(isWhole ? text : `${text.slice(0, MAX_ROW_TEXT)}…`);
  return `{"line":${line},"reasons":${JSON.stringify(reasons)},"row":${row}}\n`;
};

/** The header. The byte order mark tells Excel that the file is UTF-8. */
const csvHead = ({ delimiter, header }: CsvLayout): string =>
  `\uFEFF${delimiterLine(delimiter)}${[...REJECTION_COLUMNS, header].join(delimiter)}\r\n`;

const asCsv =
  (delimiter: string) =>
  ({ row: { line, text }, reasons }: RejectedRow): string => {
    const reason = `"${reasons.join(' | ').replaceAll('"', '""')}"`;
    return `${[line, reason, text].join(delimiter)}\r\n`;
  };

function* textsOf(layout: Layout, pages: Iterable<readonly RejectedRow[]>): Generator<string> {
  const isCsv = typeof layout === 'object';
  if (isCsv) yield csvHead(layout);
  for (const rows of pages) yield rows.map(isCsv ? asCsv(layout.delimiter) : asJson).join('');
}

/** Writes at least one rejected row. `writer` is unique to the process. @returns its name @throws CommandFailure */
export const writeRejected = (
  path: string,
  writer: string,
  layout: Layout,
  pages: Iterable<readonly RejectedRow[]>,
): Promise<string> => {
  const ending = typeof layout === 'object' ? 'csv' : 'ndjson';
  return writeOutput(`${path}.rejected.${ending}`, textsOf(layout, pages), {
    part: `${path}.rejected.${writer}.part`,
    nextName: (nth) => `${path}.rejected-${nth}.${ending}`,
  });
};
