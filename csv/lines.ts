import { readText, type TextFile, UnreadableFile } from './text.ts';

/** Maximum characters of a row: the longest content, escaped, has 600,000. */
export const MAX_ROW_LENGTH = 1_000_000;

export interface Line {
  readonly line: number;
  readonly text: string;
  /** The line end; empty at the end of the file. */
  readonly end: string;
}

export interface LineChunk {
  readonly lines: readonly Line[];
  /** Bytes of the file that were read so far. */
  readonly read: number;
}

const LINE_ENDS = /(\r\n|\r|\n)/;

/**
 * The lines of a file, a chunk at a time, in constant memory. CR, LF and CRLF each end a line.
 * @throws UnreadableFile when one is longer than the maximum
 */
export async function* readLines(file: TextFile, maxLength = MAX_ROW_LENGTH): AsyncGenerator<LineChunk> {
  let line = 0;
  let held = '';
  let read = 0;
  const takeLines = (text: string): Line[] => {
    // Text and line ends alternate. The text after the last line end is held for the next chunk.
    const parts = text.split(LINE_ENDS);
    held = parts.pop() ?? '';
    const lines = parts.flatMap((part, index) => {
      if (index % 2 === 1) return [];
      line += 1;
      return { line, text: part, end: parts[index + 1] ?? '' };
    });
    const long = [...lines, { line: line + 1, text: held }].find((one) => one.text.length > maxLength);
    if (long === undefined) return lines;
    throw new UnreadableFile(`line ${long.line} has more than ${maxLength.toLocaleString('en-GB')} characters`);
  };
  for await (const chunk of readText(file)) {
    read = chunk.read;
    const text = held + chunk.text;
    // A line feed may follow a carriage return in the next chunk.
    const end = text.endsWith('\r') ? -1 : text.length;
    const lines = takeLines(text.slice(0, end));
    if (end < 0) held += '\r';
    yield { lines, read };
  }
  const lines = takeLines(held);
  if (held !== '') lines.push({ line: line + 1, text: held, end: '' });
  if (lines.length > 0) yield { lines, read };
}
