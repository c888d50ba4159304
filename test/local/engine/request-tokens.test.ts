import { describe, expect, it } from '@jest/globals';
import { requestTokens } from '../../../lib/local/engine/request-tokens.ts';

const TEN_MINUTES_MS = 600_000;
const RESPONSE = { status: 200, body: {} };

describe('client request tokens', () => {
  it('are recognised for ten minutes', () => {
    let now = 0;
    const tokens = requestTokens(() => now);
    tokens.add('token', [{ Put: {} }], RESPONSE);
    now = TEN_MINUTES_MS - 1;
    expect(tokens.find('token', [{ Put: {} }])).toBe(RESPONSE);
    now = TEN_MINUTES_MS;
    expect(tokens.find('token', [{ Put: {} }])).toBeUndefined();
  });

  it('are rejected with other contents', () => {
    const tokens = requestTokens();
    tokens.add('token', [{ a: { S: '1' }, b: { S: '2' } }], RESPONSE);
    expect(tokens.find('token', [{ a: { S: '1' }, b: { S: '2' } }])).toBe(RESPONSE);
    expect(() => tokens.find('token', [{ a: { S: '1' }, b: { S: '3' } }])).toThrow('used with other contents');
    expect(tokens.find('other', [])).toBeUndefined();
  });
});
