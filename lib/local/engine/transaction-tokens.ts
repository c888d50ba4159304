import { createHash } from 'node:crypto';
import { isJsonObject } from './protocol.ts';
import type { Consumption } from './transaction-answers.ts';

/** DynamoDB's own time for which it recognises a token. */
const REMEMBERED_MS = 10 * 60 * 1_000;

/** Transactions that were applied, by the token of their request. */
export interface TransactionTokens {
  /** What the same request cost when it was applied; `mismatch` when the token came with another one. */
  readonly recall: (token: string, contents: unknown) => Consumption | 'mismatch' | undefined;
  readonly remember: (token: string, contents: unknown, consumption: Consumption) => void;
}

/** The same for the same contents, in whatever order a client writes the members. */
const fingerprint = (contents: unknown): string => {
  const sorted = JSON.stringify(contents, (_, value: unknown) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash('sha256').update(sorted).digest('base64');
};

/** Remembers applied transactions for ten minutes, in memory. `now` counts milliseconds and never goes back. */
export const transactionTokens = (now: () => number = () => performance.now()): TransactionTokens => {
  const applied = new Map<string, { fingerprint: string; until: number; consumption: Consumption }>();

  // Entries stand in the order in which they expire.
  const forgetExpired = (): void => {
    for (const [token, { until }] of applied) {
      if (until > now()) return;
      applied.delete(token);
    }
  };

  return {
    recall: (token, contents) => {
      forgetExpired();
      const entry = applied.get(token);
      if (entry === undefined) return undefined;
      return entry.fingerprint === fingerprint(contents) ? entry.consumption : 'mismatch';
    },
    remember: (token, contents, consumption) => {
      applied.set(token, { fingerprint: fingerprint(contents), until: now() + REMEMBERED_MS, consumption });
    },
  };
};
