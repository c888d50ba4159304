import { describe, expect, it } from '@jest/globals';
import { requestTokens } from '../../../lib/local/engine/request-tokens.ts';

const TEN_MINUTES_MS = 600_000;
const COST = new Map([['table', 2]]);

describe('client request tokens', () => {
  it('are recognised for ten minutes', () => {
    let now = 0;
    const tokens = requestTokens(() => now);
    tokens.add('token', [{ Put: {} }], COST);
    now = TEN_MINUTES_MS - 1;
    expect(tokens.find('token', [{ Put: {} }])).toBe(COST);
    now = TEN_MINUTES_MS;
    expect(tokens.find('token', [{ Put: {} }])).toBeUndefined();
  });

  it('belong to their contents, whatever the order of members', () => {
    const tokens = requestTokens();
    tokens.add('token', [{ a: { S: '1' }, b: { S: '2' } }], COST);
    expect(tokens.find('token', [{ b: { S: '2' }, a: { S: '1' } }])).toBe(COST);
    expect(tokens.find('token', [{ a: { S: '1' }, b: { S: '3' } }])).toBe('mismatch');
    expect(tokens.find('other', [])).toBeUndefined();
  });
});
