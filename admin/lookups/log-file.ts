/** Searches a file of log lines: exported from CloudWatch, or written by `npm start -- --log`. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { type AnswerLetter, lookupHash, monthOf } from '../../core/lookup-log.ts';
import { type FoundLookup, MAX_DELAY_MS, type Search } from './found-lookup.ts';

interface LogLine {
  readonly timestamp: string;
  readonly keyId: string;
  readonly requestId: string;
  readonly endpoint: string;
  readonly reference?: string;
  readonly lookups: string;
}

/** The JSON in a line, behind a time and in quotes too, as exports of CloudWatch have it. */
const parseLine = (text: string): Partial<LogLine> | undefined => {
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  for (const one of [json, json.replaceAll('""', '"')]) {
    try {
      return JSON.parse(one);
    } catch {
      // The next form is tried.
    }
  }
  return undefined;
};

const isLookup = (line: Partial<LogLine> | undefined): line is LogLine =>
  line?.lookups !== undefined && line.keyId !== undefined && !Number.isNaN(Date.parse(line.timestamp ?? ''));

/** @throws the error of the file system */
export const searchLogFile = async (
  path: string,
  { registration, from, end, reference, secretOf }: Search,
  onProgress: (lines: number) => void,
): Promise<FoundLookup[]> => {
  const file = createReadStream(path);
  const text = /\.gz$/i.test(path) ? file.pipe(createGunzip()) : file;
  file.on('error', (error) => text.destroy(error));
  const found: FoundLookup[] = [];
  let count = 0;
  for await (const each of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) {
    count += 1;
    if (count % 10_000 === 0) onProgress(count);
    // Most lines of an export are none of lookups.
    const line = each.includes('lookups') ? parseLine(each) : undefined;
    if (!isLookup(line)) continue;
    const time = new Date(line.timestamp);
    if (time < from || time >= end || (reference ?? line.reference) !== line.reference) continue;
    for (const month of new Set([monthOf(new Date(time.getTime() - MAX_DELAY_MS)), monthOf(time)])) {
      const hash = lookupHash(await secretOf(month), line.keyId, registration);
      const entry = line.lookups.split(' ').find((one) => one.startsWith(hash));
      if (entry === undefined) continue;
      const { keyId, endpoint, requestId } = line;
      const answer = entry.slice(hash.length) as AnswerLetter;
      found.push({ time: time.toISOString(), keyId, answer, endpoint, requestId, reference: line.reference });
    }
  }
  return found;
};
