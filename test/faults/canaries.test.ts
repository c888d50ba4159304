import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { generateKey } from '../../core/access/api-key.ts';
import { MARKER } from './canaries/canary-api.ts';
import { leaksIn } from './canaries/leaks.ts';

const word = `${MARKER}7x`;
const key = generateKey('live');
const hash = createHash('sha256').update(key).digest('hex');
const innocent = JSON.stringify({ level: 'INFO', keyId: hash.slice(0, 20), status: 500 });
const found = (planted: string) =>
  leaksIn(`${innocent}\n{"x":"${planted}"}\n${innocent}\n`, { words: [word], keys: [key] });

describe('The search for leaks', () => {
  it('finds nothing in a log that holds no more of a key than its id', () => {
    expect(leaksIn(innocent, { words: [word], keys: [key] })).toEqual([]);
  });

  it.each([
    ['a canary', word],
    ['in upper case', `A${word.toUpperCase()}`],
    ['inside a longer word', `Title%20${word}%C3%A9`],
    ['written with separators', `${word.slice(0, 3)}-${word.slice(3, 5)}.${word.slice(5)}`],
    ['in base64', Buffer.from(`{"title":"${word}"}`).toString('base64')],
    ['in base64, otherwise aligned', Buffer.from(`{"t":"${word}"}`).toString('base64')],
    ['in base64 for URLs', Buffer.from(`?${word.toUpperCase()}?`).toString('base64url')],
    ['hashed', createHash('sha256').update(word.toUpperCase()).digest('hex')],
    ['a key', key],
    ['half a key', key.slice(9, 24)],
    ['a key in base64', Buffer.from(`Bearer ${key}`).toString('base64')],
    ['the hash of a key', hash],
    ['the hash of a key but for its id', hash.slice(20)],
    ['the hash of a key in base64', createHash('sha256').update(key).digest('base64')],
  ])('finds %s, with its line', (_what, planted) => {
    expect(found(planted)).toContainEqual({ form: expect.any(String), line: expect.stringMatching(/^\{"x":.*\}$/i) });
  });
});
