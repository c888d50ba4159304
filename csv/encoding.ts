import { readLines } from './lines.ts';
import { type Encoding, type ReadBytes, readBytes, readStart, type TextFile, UnreadableFile } from './text.ts';

/** The encoding with this name; undefined when `TextDecoder` does not know it. */
export const parseEncoding = (name: string): Encoding | undefined => {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
};

/** Number of bytes at the beginning of a file that show what it is. */
const START_BYTES = 64;
const WORKBOOK = 'the file is an Excel workbook, not CSV: open it and save the sheet as "CSV UTF-8"';
const COMPRESSED = 'the file is compressed: unpack it first';
/** First bytes of files that are no text. A workbook of .xlsx is a ZIP file. */
const OTHER_FILES: readonly (readonly [start: string, problem: string])[] = [
  ['504b0304', `${WORKBOOK}, or it is another compressed file, a ZIP: unpack it first`],
  ['d0cf11e0', WORKBOOK],
  // gzip, bzip2, xz, Zstandard and 7z.
  ...['1f8b', '425a68', 'fd377a585a00', '28b52ffd', '377abcaf271c'].map((start) => [start, COMPRESSED] as const),
];
const MARKS = new Map<string, Encoding>([
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]);
const UTF16 =
  'the file is UTF-16 without a byte order mark: save it as UTF-8, in Excel as "CSV UTF-8", or give --encoding utf-16le or utf-16be';
const isValid = async ({ path, encoding, readBytes: read = readBytes }: TextFile): Promise<boolean> => {
  const decoder = new TextDecoder(encoding, { fatal: true });
  // Runtimes give the error different codes, so nothing but the decoding is tried.
  const isDecoded = (chunk?: Uint8Array): boolean => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
      return true;
    } catch {
      return false;
    }
  };
  for await (const { bytes } of read(path)) if (!isDecoded(bytes)) return false;
  return isDecoded();
};

/** The number of the first line in which the pattern is. */
const findLine = async (file: TextFile, pattern: RegExp): Promise<number | undefined> => {
  for await (const { lines } of readLines(file)) {
    const found = lines.find(({ text }) => pattern.test(text));
    if (found !== undefined) return found.line;
  }
  return undefined;
};

/** The encoding of the byte order mark, if there is one. @throws UnreadableFile when the file begins as no text does */
export const findMark = async (path: string, given?: Encoding, read?: ReadBytes): Promise<Encoding | undefined> => {
  const start = await readStart(path, START_BYTES, read);
  const bytes = start.toString('hex');
  const [, other] = OTHER_FILES.find(([beginning]) => bytes.startsWith(beginning)) ?? [];
  if (other !== undefined) throw new UnreadableFile(other);
  const [, marked] = [...MARKS].find(([mark]) => bytes.startsWith(mark)) ?? [];
  // Every second byte of a plain letter is 0.
  const isWide = start.filter((byte) => byte === 0).length > start.length / 4;
  if (isWide && marked === undefined && given === undefined) throw new UnreadableFile(UTF16);
  return marked;
};

/** A character that is written with several bytes, and was not lost. */
const VALID_CHARACTER = /[^\0-\x7f\ufffd]/;
const LOST = /\ufffd/;

/**
 * Characters that are between letters when a file of another encoding is read as Windows-1252, but in no word. Also the
 * bytes of U+FFFD in UTF-8, which some program has written.
 */
const NOT_WINDOWS_1252 = /\p{L}[€‚ƒ„…†‡ˆ‰‹‘“”•˜™›\x80-\x9f]\p{L}|ï¿½/u;

/**
 * The encoding of a file: as given, by its byte order mark, or UTF-8. If it has neither, is not UTF-8 and has no valid
 * character of several bytes, it is Windows-1252, in which Excel saves plain CSV.
 * @throws UnreadableFile, with the first wrong line
 */
export const findEncoding = async (path: string, given?: Encoding, read?: ReadBytes): Promise<Encoding> => {
  const marked = await findMark(path, given, read);
  if (given !== undefined && marked !== undefined && given !== marked && marked !== 'utf-8') {
    throw new UnreadableFile(`the file begins with the byte order mark of ${marked}, not of ${given}`);
  }
  // Files of rejected rows have the mark of UTF-8, and are loaded with the options of the original file.
  const encoding = marked ?? given ?? 'utf-8';
  const file = { path, encoding, readBytes: read };
  if (await isValid(file)) return encoding;
  if (given === undefined && marked === undefined && (await findLine(file, VALID_CHARACTER)) === undefined) {
    const strange = await findLine({ ...file, encoding: 'windows-1252' }, NOT_WINDOWS_1252);
    if (strange === undefined) return 'windows-1252';
    throw new UnreadableFile(
      `the file is not UTF-8 and seems not to be Windows-1252 either: line ${strange} would have a sign within a word; save it as UTF-8, or name its encoding with --encoding, such as macintosh, ibm866 or windows-1250`,
    );
  }
  const otherwise = given === undefined ? ', or name the encoding of the whole file with --encoding' : '';
  throw new UnreadableFile(
    `line ${await findLine(file, LOST)} has a byte that is not ${encoding.toUpperCase()}, or U+FFFD for one that was lost: correct it${otherwise}`,
  );
};
