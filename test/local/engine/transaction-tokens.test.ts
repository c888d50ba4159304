import { describe, expect, it } from '@jest/globals';
import { transactionTokens } from '../../../lib/local/engine/transaction-tokens.ts';

const TEN_MINUTES_MS = 600_000;
const COST = new Map([['table', 2]]);

describe('transaction tokens', () => {
  it('are recognised for ten minutes', () => {
    let now = 0;
    const tokens = transactionTokens(() => now);
    tokens.remember('token', [{ Put: {} }], COST);
    now = TEN_MINUTES_MS - 1;
    expect(tokens.recall('token', [{ Put: {} }])).toBe(COST);
    now = TEN_MINUTES_MS;
    expect(tokens.recall('token', [{ Put: {} }])).toBeUndefined();
  });

  it('belong to their contents, whatever the order of members', () => {
    const tokens = transactionTokens();
    tokens.remember('token', [{ a: { S: '1' }, b: { S: '2' } }], COST);
    expect(tokens.recall('token', [{ b: { S: '2' }, a: { S: '1' } }])).toBe(COST);
    expect(tokens.recall('token', [{ a: { S: '1' }, b: { S: '3' } }])).toBe('mismatch');
    expect(tokens.recall('other', [])).toBeUndefined();
  });
});
