import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generateKey, hashKey, KEY_KINDS, type KeyKind, keyIdOf, parseApiKey } from '../../core/access/api-key.ts';

describe('An API key', () => {
  it.each(KEY_KINDS)('of the kind %s has the documented form, and its prefix', (kind) => {
    const key = generateKey(kind);
    expect(key).toMatch(new RegExp(`^vvc_${kind}_[0-9A-Za-z]{36}$`));
    expect(parseApiKey(key)?.kind).toBe(kind);
  });

  it.each(KEY_KINDS)('of the kind %s is found in a text by the regular expression for secret scanners', (kind) => {
    const [, pattern = ''] = /^```\n(.*vvc_.*)\n```$/m.exec(readFileSync('SECURITY.md', 'utf8')) ?? [];
    const [key, scanner] = [generateKey(kind), new RegExp(pattern, 'g')];
    expect(`KEY=${key};"${key}" ${key}x x${key} ${key.slice(0, -1)}`.match(scanner)).toEqual([key, key]);
  });

  it('ends with the CRC32 of the rest in base62, as another implementation computes it', () => {
    expect(parseApiKey(`vvc_live_${'A'.repeat(30)}3z0LB1`)).toBeDefined();
  });

  it('is never generated twice', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => generateKey('test'))).size).toBe(1_000);
  });

  it('with any one character changed is not well-formed', () => {
    const key = generateKey('live');
    const position = fc.integer({ min: 9, max: key.length - 1 });
    const character = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
    fc.assert(
      fc.property(position, character, (at, other) => {
        fc.pre(key.charAt(at) !== other);
        expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  const ZEROS = '0'.repeat(36);
  const test = generateKey('test');
  const other = generateKey('prod' as KeyKind);
  it.each(['', 'vvc_live_', `vvc_prod_${ZEROS}`, `VVC_live_${ZEROS}`, ` ${test}`, `${test}x`, other])(
    'is not text %#',
    (text) => expect(parseApiKey(text)).toBeUndefined(),
  );

  it('is stored as its SHA-256, and identified by 20 hex digits of that', () => {
    expect(hashKey(test)).toMatch(/^[0-9a-f]{64}$/);
    expect(keyIdOf(hashKey(test))).toMatch(/^[0-9a-f]{20}$/);
  });

  it('has an id that begins with probe- if it is the probe’s, and no other', () => {
    const ids = KEY_KINDS.map((kind) => parseApiKey(generateKey(kind))?.id);
    const hex = expect.stringMatching(/^[0-9a-f]{20}$/);
    expect(ids).toEqual([hex, hex, expect.stringMatching(/^probe-[0-9a-f]{20}$/)]);
  });
});
