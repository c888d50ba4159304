import { createReadStream } from 'node:fs';

/** A file that cannot be read as a whole. The message is a clause with the problem, and with its line if it has one. */
export class UnreadableFile extends Error {}

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

export interface TextFile {
  readonly path: string;
  readonly encoding: Encoding;
}

const CHUNK_BYTES = 64 * 1_024;
/** Bytes from the beginning that show what a file is. */
const START_BYTES = 64;
/** First bytes of .xlsx, which is a ZIP file, and of .xls. */
const WORKBOOKS = ['504b0304', 'd0cf11e0'];
/** What an Excel workbook is, as a clause. */
export const WORKBOOK = 'the file is an Excel workbook, not CSV: open it and save the sheet as "CSV UTF-8"';
/** Byte order marks. */
const MARKS = new Map<string, Encoding>([
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]);
const UTF16 =
  'the file is UTF-16 without a byte order mark: save it as UTF-8, in Excel as "CSV UTF-8", or give --encoding utf-16le or utf-16be';
const LINE_ENDS = /\r\n|\r|\n/g;

const readBytes = (path: string, end = Number.POSITIVE_INFINITY) =>
  createReadStream(path, { end, highWaterMark: CHUNK_BYTES }) as AsyncIterable<Buffer>;

/** Whether the next bytes are valid; without bytes, whether the text may end here. */
const isValid = (decoder: InstanceType<typeof TextDecoder>, chunk?: Buffer): boolean => {
  try {
    decoder.decode(chunk, { stream: chunk !== undefined });
    return true;
  } catch {
    return false;
  }
};

/** The bytes without valid U+FFFD. Any that is in the decoded text then comes from a wrong byte. */
const withoutReplacements = (chunk: Buffer): Buffer =>
  Buffer.from(chunk.toString('latin1').replaceAll('\xef\xbf\xbd', '???'), 'latin1');

/** The first line with bytes that are not of the encoding, and whether a character of the file has several bytes. */
const findWrongBytes = async ({ path, encoding }: TextFile) => {
  const strict = new TextDecoder(encoding, { fatal: true });
  const lenient = new TextDecoder(encoding);
  let [line, last] = [1, ''];
  let wrongLine: number | undefined;
  let hasLongCharacters = false;
  const countLines = (text: string) =>
    (text.match(LINE_ENDS)?.length ?? 0) - (last === '\r' && text.startsWith('\n') ? 1 : 0);
  const read = (chunk?: Buffer) => {
    // A replacement character may stand in the file itself.
    const hasReplacement = encoding === 'utf-8' && chunk?.includes('\ufffd') === true;
    const text = lenient.decode(hasReplacement ? withoutReplacements(chunk) : chunk, { stream: chunk !== undefined });
    hasLongCharacters ||= hasReplacement || /[^\0-\x7f\ufffd]/.test(text);
    if (wrongLine === undefined && !isValid(strict, chunk)) {
      wrongLine = line + countLines(text.slice(0, text.indexOf('\ufffd')));
    }
    line += countLines(text);
    last = text.at(-1) ?? last;
  };
  for await (const chunk of readBytes(path)) read(chunk);
  read();
  return { wrongLine, hasLongCharacters };
};

/** The encoding of the byte order mark, if there is one. @throws UnreadableFile when the file begins as no text does */
export const findMark = async (path: string, given?: Encoding): Promise<Encoding | undefined> => {
  let start: Buffer = Buffer.alloc(0);
  for await (const chunk of readBytes(path, START_BYTES - 1)) start = chunk;
  const bytes = start.toString('hex');
  if (WORKBOOKS.some((one) => bytes.startsWith(one))) throw new UnreadableFile(WORKBOOK);
  const [, marked] = [...MARKS].find(([mark]) => bytes.startsWith(mark)) ?? [];
  // Every second byte of a plain letter is 0.
  const isWide = start.filter((byte) => byte === 0).length > start.length / 4;
  if (isWide && marked === undefined && given === undefined) throw new UnreadableFile(UTF16);
  return marked;
};

/**
 * The encoding of a file: as given, by its byte order mark, or UTF-8. If it has neither, is not UTF-8 and has no valid
 * character of several bytes, it is Windows-1252, in which Excel saves plain CSV.
 * @throws UnreadableFile, with the first wrong line
 */
export const findEncoding = async (path: string, given?: Encoding): Promise<Encoding> => {
  const marked = await findMark(path, given);
  if (given !== undefined && marked !== undefined && given !== marked) {
    throw new UnreadableFile(`the file begins with the byte order mark of ${marked}, not of ${given}`);
  }
  const known = given ?? marked;
  const encoding = known ?? 'utf-8';
  const { wrongLine, hasLongCharacters } = await findWrongBytes({ path, encoding });
  if (wrongLine === undefined) return encoding;
  if (known === undefined && !hasLongCharacters) return 'windows-1252';
  throw new UnreadableFile(
    `line ${wrongLine} has a byte that is not ${encoding.toUpperCase()}, as the file is otherwise: correct it, or name the encoding of the whole file with --encoding`,
  );
};

/** The text of a file without its byte order mark, in chunks, with the bytes read so far. Wrong bytes are U+FFFD. */
export async function* readText({ path, encoding }: TextFile): AsyncGenerator<{ text: string; read: number }> {
  const decoder = new TextDecoder(encoding);
  let read = 0;
  for await (const chunk of readBytes(path)) {
    read += chunk.length;
    // Without `stream` Node 20 decodes Windows-1252 as Latin-1.
    yield { text: decoder.decode(chunk, { stream: true }), read };
  }
  const rest = decoder.decode();
  if (rest !== '') yield { text: rest, read };
}
