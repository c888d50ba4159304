import { createReadStream } from 'node:fs';
import type { RowText } from './row.ts';

/** Maximum characters of a row: the longest content, escaped, has 600,000. A longer line is kept up to one character more. */
export const MAX_ROW_LENGTH = 1_000_000;
/** Bytes read at a time. */
const CHUNK_BYTES = 64 * 1_024;

/** Collects the lines of a text that comes in chunks. Keeps at most one line in memory. */
const lineCollector = () => {
  let line = 0;
  let held = '';
  const hold = (piece: string): void => {
    held += piece.slice(0, MAX_ROW_LENGTH + 1 - held.length);
  };
  const release = (): RowText => {
    line += 1;
    const text = held;
    held = '';
    return { line, text };
  };
  return {
    add: (text: string): RowText[] => {
      const lines: RowText[] = [];
      let from = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        hold(text.slice(from, end));
        lines.push(release());
        from = end + 1;
      }
      hold(text.slice(from));
      return lines;
    },
    end: (): RowText[] => (held === '' ? [] : [release()]),
  };
};

/**
 * The lines of a UTF-8 file, a chunk at a time, in memory that does not grow with the file. A carriage return stays; a byte
 * order mark is left out; bytes that are not UTF-8 appear as U+FFFD. Calls `onBytes` with the bytes read so far.
 */
export async function* readLines(path: string, onBytes: (read: number) => void): AsyncGenerator<RowText[]> {
  const decoder = new TextDecoder('utf-8');
  const collector = lineCollector();
  let read = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    read += chunk.length;
    onBytes(read);
    yield collector.add(decoder.decode(chunk, { stream: true }));
  }
  yield [...collector.add(decoder.decode()), ...collector.end()];
}
