import { createReadStream } from 'node:fs';

/** One line of a text file, without its line feed but with a carriage return before it. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Whether `text` is only the beginning of the line, because it is too long. */
  readonly isCut: boolean;
}

/** Maximum characters in memory of a line, or of a record over several lines: the longest content, escaped, has 600,000. */
export const MAX_HELD_LENGTH = 1_000_000;
/** Bytes read at a time: rows for several batches, parsed while earlier batches are in flight. */
const CHUNK_BYTES = 32 * 1_024;

/** Collects the lines of a text that comes in chunks. Keeps at most one line in memory. */
const lineCollector = () => {
  let number = 0;
  let held = '';
  let isCut = false;
  const hold = (piece: string): void => {
    const room = MAX_HELD_LENGTH - held.length;
    isCut ||= piece.length > room;
    held += piece.length > room ? piece.slice(0, room) : piece;
  };
  const release = (): Line => {
    number += 1;
    const line = { number, text: held, isCut };
    held = '';
    isCut = false;
    return line;
  };
  return {
    add: (text: string): Line[] => {
      const lines: Line[] = [];
      let from = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        hold(text.slice(from, end));
        lines.push(release());
        from = end + 1;
      }
      hold(text.slice(from));
      return lines;
    },
    end: (): Line[] => (held === '' ? [] : [release()]),
  };
};

/**
 * The lines of a UTF-8 file, a chunk at a time, in memory that does not grow with the file. A byte order mark is left out;
 * bytes that are not UTF-8 appear as U+FFFD. Calls `onBytes` with the bytes read so far.
 */
export async function* readLines(path: string, onBytes: (read: number) => void): AsyncGenerator<Line[]> {
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
