/** `FILE.rejected.ndjson`, the rejected rows of a file: one JSON object a line with `line`, `reasons` and `row`. */
import { rm } from 'node:fs/promises';
import { asFileFailure } from '../command/outcome.ts';
import { writeOutput } from './output-file.ts';
import type { RejectedRow } from './row.ts';

/** Characters of a row that are written; valid rows are shorter. */
const MAX_ROW_TEXT = 200_000;

const asLine = ({ row: { line, text, isJson }, reasons }: RejectedRow): string => {
  const isWhole = text.length <= MAX_ROW_TEXT;
  const row = isJson && isWhole ? text : JSON.stringify(isWhole ? text : `${text.slice(0, MAX_ROW_TEXT)}…`);
  return `{"line":${line},"reasons":${JSON.stringify(reasons)},"row":${row}}\n`;
};

/** Where the rejected rows of a file go. */
export const rejectedPath = (path: string): string => `${path}.rejected.ndjson`;

/** `writer` is what no other process that writes the rejected rows of this file has at the same time. */
const partOf = (path: string, writer: string): string => `${rejectedPath(path)}.${writer}.part`;

/** Removes what an earlier process has written. @throws CommandFailure when something else has that name */
export const removeRejected = async (path: string, writer: string): Promise<void> => {
  try {
    for (const file of [rejectedPath(path), partOf(path, writer)]) await rm(file, { force: true });
  } catch (error) {
    throw asFileFailure(error, rejectedPath(path));
  }
};

function* linesOf(pages: Iterable<readonly RejectedRow[]>): Generator<string> {
  for (const rows of pages) yield rows.map(asLine).join('');
}

/** Writes the rejected rows, of which there is at least one. @throws CommandFailure when the file cannot be written */
export const writeRejected = (path: string, writer: string, pages: Iterable<readonly RejectedRow[]>): Promise<void> =>
  writeOutput(rejectedPath(path), linesOf(pages), { part: partOf(path, writer) });
