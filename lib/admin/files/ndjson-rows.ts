import { CUT_LINE_ISSUE } from './csv-records.ts';
import type { Line } from './lines.ts';
import { encodingIssues, type Row } from './row.ts';

const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asRow = ({ number: line, text: raw, isCut }: Line): Row => {
  const text = raw.trim();
  const unreadable = (issue: string, isJson = false): Row => ({ line, text, isJson, fields: {}, issues: [issue] });
  if (isCut) return unreadable(CUT_LINE_ISSUE);
  const parsed = parse(text);
  if (parsed === undefined) return unreadable('the line is not JSON');
  if (!isObject(parsed.value)) return unreadable('the line is not a JSON object', true);
  return { line, text, isJson: true, fields: parsed.value, issues: encodingIssues(text) };
};

/** The rows of an NDJSON file: one JSON object a line, blank lines left out. */
export async function* ndjsonRows(chunks: AsyncIterable<readonly Line[]>): AsyncGenerator<Row[]> {
  for await (const lines of chunks) yield lines.filter(({ text }) => text.trim() !== '').map(asRow);
}
