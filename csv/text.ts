import { createReadStream } from 'node:fs';

/** A file that cannot be read as a whole. The message is a clause with the problem, and with its line if it has one. */
export class UnreadableFile extends Error {}

/** The name of an encoding as `TextDecoder` writes it, such as `macintosh` for `x-mac-roman`. */
export type Encoding = string;

export interface TextFile {
  readonly path: string;
  readonly encoding: Encoding;
}

const CHUNK_BYTES = 64 * 1_024;
/** The character that may end a text file of DOS. */
const END_OF_FILE = '\x1a';

export const readBytes = (path: string, end = Number.POSITIVE_INFINITY) =>
  createReadStream(path, { end, highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;

/** Without its byte order mark and a final U+001A, with the bytes read so far. Wrong bytes are U+FFFD. */
export async function* readText({ path, encoding }: TextFile): AsyncGenerator<{ text: string; read: number }> {
  const decoder = new TextDecoder(encoding);
  let read = 0;
  let held = '';
  for await (const chunk of readBytes(path)) {
    read += chunk.length;
    // Without `stream` Node 20 decodes Windows-1252 as Latin-1.
    const text = held + decoder.decode(chunk, { stream: true });
    held = text.endsWith(END_OF_FILE) ? END_OF_FILE : '';
    yield { text: text.slice(0, text.length - held.length), read };
  }
  const rest = decoder.decode();
  if (rest !== '') yield { text: held + rest, read };
}
