/** Counts what was answered, and keeps the answers that took longest. */
import type { Block } from '../../../tools/report/report.ts';

/** One answer. */
export interface Answered {
  readonly endpoint: string;
  /** The status, or what happened in its place. */
  readonly outcome: string;
  readonly milliseconds: number;
  /** What was sent, without values. */
  readonly about: string;
}

const SLOWEST = 10;

/** How many faults are told in full. */
const TOLD = 5;

export const tally = () => {
  const counts = new Map<string, Map<string, number>>();
  const codes = new Map<string, number>();
  let slowest: Answered[] = [];
  const faults: string[] = [];
  let faultCount = 0;
  let total = 0;

  const outcomes = () => [...new Set([...counts.values()].flatMap((row) => [...row.keys()]))].sort();
  return {
    add: (answered: Answered, code?: string): void => {
      const row = counts.get(answered.endpoint) ?? new Map<string, number>();
      row.set(answered.outcome, (row.get(answered.outcome) ?? 0) + 1);
      counts.set(answered.endpoint, row);
      if (code !== undefined) codes.set(code, (codes.get(code) ?? 0) + 1);
      total += 1;
      slowest = [...slowest, answered].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, SLOWEST);
    },
    /** Something that must not be, in words. */
    fault: (what: string): void => {
      faultCount += 1;
      if (faults.length < TOLD) faults.push(what);
    },
    total: (): number => total,
    /** Answers whose outcome matches. */
    count: (matching: (outcome: string) => boolean): number =>
      [...counts.values()]
        .flatMap((row) => [...row])
        .reduce((sum, [outcome, count]) => sum + (matching(outcome) ? count : 0), 0),
    faultsFound: (): string => (faultCount === 0 ? '0' : `${faultCount}: ${faults.join('; ')}`),
    isFaultless: (): boolean => faultCount === 0,
    /** Answers by endpoint and outcome, by code, and the slowest. */
    blocks: (): Block[] => [
      {
        table: {
          head: ['endpoint', ...outcomes(), 'all'],
          rows: [...counts]
            .sort(([a], [b]) => a.localeCompare(b))
            .map(([endpoint, row]) => [
              endpoint,
              ...outcomes().map((outcome) => row.get(outcome) ?? 0),
              [...row.values()].reduce((sum, count) => sum + count, 0),
            ]),
        },
      },
      {
        table: {
          head: ['code', 'answers'],
          rows: [...codes].sort(([, a], [, b]) => b - a).map(([code, count]) => [code, count]),
        },
      },
      { text: 'The slowest answers, the wait for other requests in flight included:' },
      {
        table: {
          head: ['endpoint', 'answered', 'ms', 'what was sent'],
          rows: slowest.map(({ endpoint, outcome, milliseconds, about }) => [
            endpoint,
            outcome,
            Math.round(milliseconds),
            about,
          ]),
        },
      },
    ],
  };
};
