import { hash } from 'node:crypto';
import { type EngineResponse, RejectedRequest } from './protocol.ts';

/** DynamoDB recognises a client request token for ten minutes. */
const LIFETIME_MS = 10 * 60 * 1_000;

const fingerprintOf = (contents: unknown): string => hash('sha256', JSON.stringify(contents));

/** The responses to applied transactions of the last ten minutes, by the client request token of their request. */
export const requestTokens = () => {
  const applied = new Map<string, { fingerprint: string; until: number; response: EngineResponse }>();

  // A map keeps the order of insertion, which is also the order of expiry.
  const deleteExpired = (): void => {
    const now = performance.now();
    for (const [token, { until }] of applied) {
      if (until > now) return;
      applied.delete(token);
    }
  };

  return {
    /** The response to the same request when it was applied. @throws RejectedRequest when the token was used with another one */
    find: (token: string, contents: unknown): EngineResponse | undefined => {
      deleteExpired();
      const entry = applied.get(token);
      if (entry === undefined || entry.fingerprint === fingerprintOf(contents)) return entry?.response;
      throw new RejectedRequest('IdempotentParameterMismatchException', 'The token was used with other contents');
    },

    add: (token: string, contents: unknown, response: EngineResponse): void => {
      applied.set(token, { fingerprint: fingerprintOf(contents), until: performance.now() + LIFETIME_MS, response });
    },
  };
};

export type RequestTokens = ReturnType<typeof requestTokens>;
