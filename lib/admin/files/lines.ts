import { createReadStream } from 'node:fs';
import type { RowText } from './row.ts';
import type { SourceFile } from './source-file.ts';

/** Maximum characters of a row: the longest content, escaped, has 600,000. A longer line is kept up to one character more. */
export const MAX_ROW_LENGTH = 1_000_000;
/** Bytes read at a time. */
const CHUNK_BYTES = 64 * 1_024;

/**
 * The lines of a file, a chunk at a time, in memory that does not grow with the file. A carriage return stays; a byte
 * order mark is left out; bytes that are not in the encoding appear as U+FFFD. `read` is the bytes read so far.
 */
export async function* readLines({
  path,
  encoding,
}: SourceFile): AsyncGenerator<{ readonly lines: RowText[]; readonly read: number }> {
  const decoder = new TextDecoder(encoding);
  let line = 0;
  /** Excel for Mac ends lines with a carriage return alone. */
  let lineEnd: string | undefined;
  let held = '';
  let read = 0;
  const numbered = (texts: readonly string[]): RowText[] =>
    texts.map((text) => {
      line += 1;
      return { line, text: text.slice(0, MAX_ROW_LENGTH + 1) };
    });
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    read += chunk.length;
    const text = held + decoder.decode(chunk, { stream: true });
    lineEnd ??= text.includes('\n') || !text.includes('\r') ? '\n' : '\r';
    const texts = text.split(lineEnd);
    held = (texts.pop() ?? '').slice(0, MAX_ROW_LENGTH + 1);
    yield { lines: numbered(texts), read };
  }
  held += decoder.decode();
  if (held !== '') yield { lines: numbered([held]), read };
}
