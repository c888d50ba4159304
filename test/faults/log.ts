/** What a log at level `DEBUG` may hold. Every value of callers and records that these tests send is a canary. */
import { hashKey } from '../../core/access/api-key.ts';

/** The first letters of every canary: in no other word, and in nothing that is random in hex. */
export const MARKER = 'zqkwvj';

/** Makes canaries of nine letters and digits: `MARKER` and three more. */
export const canaries = () => {
  let made = 0;
  return (): string => {
    made += 1;
    return MARKER + made.toString(36).padStart(3, '0');
  };
};

const PUBLIC_HASH_DIGITS = 20;

/** The digits of base64 that stand for a text wherever in a longer one it is. */
const base64Forms = (text: string): string[] =>
  [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
    return bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });

/** The lines with a canary in any notation, with a part of a key, or with more of its hash than its id. */
export const leaksIn = (log: string, keys: readonly string[]): string[] => {
  const secrets = [
    ...[MARKER, MARKER.toUpperCase()].flatMap(base64Forms),
    ...keys.flatMap((key) => [key.slice('vvc_live_'.length, -6), hashKey(key).slice(PUBLIC_HASH_DIGITS)]),
  ].filter((secret) => log.includes(secret));
  const isLeaking = (line: string): boolean =>
    line
      .toLowerCase()
      .replaceAll(/[ .·-]|%20/g, '')
      .includes(MARKER) || secrets.some((secret) => line.includes(secret));
  return log.split('\n').filter(isLeaking);
};

/** How many lines of each kind a log has. A line of no known kind is a kind of its own. */
export const linesIn = (log: string): Readonly<Record<string, number>> => {
  const kindOf = (line: string): string => {
    const { message, _aws } = line.startsWith('{') ? JSON.parse(line) : {};
    if (_aws !== undefined) return 'request';
    return ['failure', 'damaged records'].includes(message) ? message : line;
  };
  const groups = Map.groupBy(
    log.split('\n').filter((line) => line.trim() !== ''),
    kindOf,
  );
  return Object.fromEntries([...groups].map(([kind, { length }]) => [kind, length]));
};
