import { createReadStream } from 'node:fs';

/** A file that cannot be read as a whole. The message is a clause with the problem, and with its line if it has one. */
export class UnreadableFile extends Error {}

/** The name of an encoding as `TextDecoder` writes it, such as `macintosh` for `x-mac-roman`. */
export type Encoding = string;

interface ByteChunk {
  readonly bytes: Uint8Array;
  /** Bytes of the file that were read so far. */
  readonly read: number;
}

export type ReadBytes = (path: string) => AsyncIterable<ByteChunk>;

export interface TextFile {
  readonly path: string;
  readonly encoding: Encoding;
  /** Reads the bytes of the text, if they are not those of the file. */
  readonly readBytes?: ReadBytes | undefined;
}

export const CHUNK_BYTES = 64 * 1_024;
/** The character that may end a text file of DOS. */
const END_OF_FILE = '\x1a';

export const readBytes: ReadBytes = async function* (path) {
  let read = 0;
  for await (const bytes of createReadStream(path, { highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>) {
    read += bytes.length;
    yield { bytes, read };
  }
};

/** The first bytes of a text, fewer when it is shorter. */
export const readStart = async (path: string, count: number, read = readBytes): Promise<Buffer> => {
  let start = Buffer.alloc(0);
  for await (const { bytes } of read(path)) {
    start = Buffer.concat([start, bytes.subarray(0, count - start.length)]);
    if (start.length === count) break;
  }
  return start;
};

/** Without its byte order mark and a final U+001A, with the bytes read so far. Wrong bytes are U+FFFD. */
export async function* readText(file: TextFile): AsyncGenerator<{ text: string; read: number }> {
  const decoder = new TextDecoder(file.encoding);
  let read = 0;
  let held = '';
  for await (const chunk of (file.readBytes ?? readBytes)(file.path)) {
    read = chunk.read;
    // Without `stream` Node 20 decodes Windows-1252 as Latin-1.
    const text = held + decoder.decode(chunk.bytes, { stream: true });
    held = text.endsWith(END_OF_FILE) ? END_OF_FILE : '';
    yield { text: text.slice(0, text.length - held.length), read };
  }
  const rest = decoder.decode();
  if (rest !== '') yield { text: held + rest, read };
}
