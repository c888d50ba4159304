import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { apiError } from '../../core/problems.ts';
import { normaliseRegistration, requireRegistration } from '../../core/vehicles/registration.ts';

const ALPHABET = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ÄÖÜÅ'];
const plate = fc
  .array(fc.constantFrom(...ALPHABET), { minLength: 1, maxLength: 12 })
  .map((characters) => characters.join(''))
  .filter((text) => /[A-Z0-9]/.test(text));
const separator = fc.constantFrom('', ' ', '-', '.', '·', '  ');

/** The same plate as someone might write it: in any case, with separators anywhere. */
const writing = (text: string) =>
  fc
    .tuple(...[...text].map((character) => fc.tuple(separator, fc.boolean(), fc.constant(character))))
    .map((parts) =>
      parts.map(([gap, lower, character]) => gap + (lower ? character.toLowerCase() : character)).join(''),
    );

describe('A registration', () => {
  it('is the same vehicle however it is written', () => {
    fc.assert(
      fc.property(
        plate.chain((text) => fc.tuple(fc.constant(text), writing(text))),
        ([text, written]) => {
          fc.pre(written.length <= 32);
          expect(normaliseRegistration(written)).toBe(text);
          expect(normaliseRegistration(written.normalize('NFD')) ?? text).toBe(text);
        },
      ),
    );
  });

  it('becomes a key of 1 to 12 known characters, which is its own key, or is invalid, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })), (text) => {
        const key = normaliseRegistration(text) ?? 'A';
        expect(key).toMatch(/^(?=.*[A-Z0-9])[A-Z0-9ÄÖÜÅ]{1,12}$/);
        expect(normaliseRegistration(key)).toBe(key);
      }),
    );
  });

  it.each([
    ['A'.repeat(12), 'A'.repeat(12)],
    [`A${' '.repeat(31)}`, 'A'],
    ['a\u0308b', 'ÄB'],
    ['O0I1', 'O0I1'],
  ])('%j becomes %s', (text, key) => {
    expect(normaliseRegistration(text)).toBe(key);
    expect(requireRegistration(text)).toBe(key);
  });

  const tooLong = ['A'.repeat(13), `A${' '.repeat(32)}`];
  const unknown = ['ÄÖÜ', 'É1', 'A_1', 'A/1', 'A\n', 'A\u2013B', 'ß1', '１２', 'ı1', 'ſ1'];
  it.each(['', ' ', '-.·', ...tooLong, ...unknown])('%j is invalid', (text) => {
    expect(normaliseRegistration(text)).toBeUndefined();
    expect(() => requireRegistration(text)).toThrow(apiError('INVALID_REGISTRATION'));
  });
});
