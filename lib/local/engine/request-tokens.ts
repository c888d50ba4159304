import { createHash } from 'node:crypto';
import { isJsonObject } from './protocol.ts';
import type { Consumption } from './transaction-response.ts';

/** DynamoDB recognises a client request token for ten minutes. */
const LIFETIME_MS = 10 * 60 * 1_000;

/** Equal for equal contents, independent of the order of members. */
const fingerprint = (contents: unknown): string => {
  const sorted = JSON.stringify(contents, (_, value: unknown) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash('sha256').update(sorted).digest('base64');
};

/**
 * Applied transactions of the last ten minutes, by the client request token of their request. `now` is a monotonic clock in
 * milliseconds.
 */
export const requestTokens = (now: () => number = () => performance.now()) => {
  const applied = new Map<string, { fingerprint: string; until: number; consumption: Consumption }>();

  // A map keeps the order of insertion, which is also the order of expiry.
  const deleteExpired = (): void => {
    for (const [token, { until }] of applied) {
      if (until > now()) return;
      applied.delete(token);
    }
  };

  return {
    /** The consumption of the same request when it was applied; `mismatch` when the token was used with another request. */
    find: (token: string, contents: unknown): Consumption | 'mismatch' | undefined => {
      deleteExpired();
      const entry = applied.get(token);
      if (entry === undefined) return undefined;
      return entry.fingerprint === fingerprint(contents) ? entry.consumption : 'mismatch';
    },

    add: (token: string, contents: unknown, consumption: Consumption): void => {
      applied.set(token, { fingerprint: fingerprint(contents), until: now() + LIFETIME_MS, consumption });
    },
  };
};

export type RequestTokens = ReturnType<typeof requestTokens>;
