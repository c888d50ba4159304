import { type Columns, readHeader } from './csv-header.ts';
import { type CsvText, csvRecords } from './csv-records.ts';
import type { Line } from './lines.ts';
import { encodingIssues, type Row } from './row.ts';

const columnCountIssues = (count: number, expected: number): string[] => {
  if (count === expected) return [];
  const few = count < expected;
  return [`the row has too ${few ? 'few' : 'many'} columns: ${count} where the header names ${expected}`];
};

const asRow = ({ line, text, fields: cells, issue }: CsvText, columns: readonly string[]): Row => {
  const fields: Record<string, string> = {};
  for (const [index, name] of columns.entries()) {
    const cell = cells[index];
    if (cell !== undefined) fields[name] = cell;
  }
  const issues =
    issue === undefined ? [...columnCountIssues(cells.length, columns.length), ...encodingIssues(text)] : [issue];
  return { line, text, isJson: false, fields, issues };
};

/**
 * The rows of a CSV file below its header row, from the lines of the file.
 * @throws CommandFailure when the header row is invalid
 */
export async function* csvRows(chunks: AsyncIterable<readonly Line[]>, expected: Columns): AsyncGenerator<Row[]> {
  const records = csvRecords();
  let columns: string[] | undefined;
  const toRows = (texts: CsvText[]): Row[] => {
    if (columns === undefined) {
      const header = texts.shift();
      if (header === undefined) return [];
      columns = readHeader(header.fields, expected);
    }
    const names = columns;
    return texts.map((text) => asRow(text, names));
  };
  for await (const lines of chunks) yield toRows(records.add(lines));
  yield toRows(records.end());
  if (columns === undefined) readHeader([], expected);
}
