/** Searches a file of log lines: exported from CloudWatch, or written by `npm start -- --log`. */
import { type AnswerLetter, lookupHash, monthOf } from '../../core/lookup-log.ts';
import { readLines } from '../../csv/lines.ts';
import { CommandFailure } from '../command/command-result.ts';
import { asFileFailure, gzipReader } from '../files/source-file.ts';
import { type FoundLookup, MAX_DELAY_MS, type Search } from './found-lookup.ts';

type LogLine = { readonly timestamp: string; readonly lookups: string } & Omit<FoundLookup, 'time' | 'answer'>;

/** The JSON of a line, which is behind a time in an export of CloudWatch; undefined for any other line. */
const parseLine = (text: string): Partial<LogLine> | undefined => {
  try {
    return JSON.parse(text.slice(text.indexOf('{')));
  } catch {
    return undefined;
  }
};

const isLookup = (line: Partial<LogLine> | undefined): line is LogLine =>
  line?.lookups !== undefined && line.keyId !== undefined && !Number.isNaN(Date.parse(line.timestamp ?? ''));

/** @throws CommandFailure when the file cannot be read, or no line of it is one of a function */
export const searchLogFile = async (
  path: string,
  { registration, from, end, reference, secretOf }: Search,
  onProgress: (lines: number) => void,
): Promise<FoundLookup[]> => {
  const found: FoundLookup[] = [];
  let count = 0;
  let isLog = false;
  const search = async (text: string): Promise<void> => {
    // Most lines of an export are none of lookups.
    const line = !isLog || text.includes('lookups') ? parseLine(text) : undefined;
    isLog ||= line?.endpoint !== undefined || isLookup(line);
    if (!isLookup(line)) return;
    const time = new Date(line.timestamp);
    if (time < from || time >= end || (reference ?? line.reference) !== line.reference) return;
    for (const month of new Set([monthOf(new Date(time.getTime() - MAX_DELAY_MS)), monthOf(time)])) {
      const hash = lookupHash(await secretOf(month), line.keyId, registration);
      const entry = line.lookups.split(' ').find((one) => one.startsWith(hash));
      if (entry === undefined) continue;
      const { keyId, endpoint, requestId, asOf } = line;
      const answer = entry.slice(hash.length) as AnswerLetter;
      found.push({ time: time.toISOString(), keyId, answer, endpoint, requestId, reference: line.reference, asOf });
    }
  };
  try {
    for await (const { lines } of readLines({ path, encoding: 'utf-8', readBytes: gzipReader(path) })) {
      for (const { text } of lines) await search(text);
      count += lines.length;
      onProgress(count);
    }
  } catch (error) {
    throw asFileFailure(error, path);
  }
  if (count > 0 && !isLog) throw new CommandFailure(`no line of the file is one of the log of a function: ${path}`);
  return found;
};
