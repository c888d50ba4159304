import { CUT_LINE_ISSUE } from './csv-records.ts';
import type { Line } from './lines.ts';
import { encodingIssues, type Row } from './row.ts';

const asRow = ({ number: line, text: raw, isCut }: Line): Row => {
  const text = raw.trim();
  const issues = isCut ? [CUT_LINE_ISSUE] : encodingIssues(text);
  return { line, text, isJson: false, fields: { registration: text }, issues };
};

/** The rows of a plain text file: one registration a line, blank lines left out. */
export async function* textRows(chunks: AsyncIterable<readonly Line[]>): AsyncGenerator<Row[]> {
  for await (const lines of chunks) yield lines.filter(({ text }) => text.trim() !== '').map(asRow);
}
