import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { registrationKeyOf } from '../../../client/src/command-line/changes.ts';
import {
  invalidRegistrationSentence,
  normaliseRegistration,
  registrationInPath,
  registrationIssue,
  requireRegistration,
} from '../../../core/vehicles/registration.ts';
import { hasUkFormat, suggestionFor } from '../../../core/vehicles/suggestion.ts';

const ALPHABET = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ÄÖÜÅ'];
const plate = fc
  .string({ unit: fc.constantFrom(...ALPHABET), minLength: 1, maxLength: 12 })
  .filter((text) => /[A-Z0-9]/.test(text));
const separator = fc.constantFrom('', ' ', '-', '.', '·', '  ', '\u00a0', '\u2011', '\u200b', '\t');

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
          const decomposed = written.normalize('NFD');
          fc.pre(decomposed.length <= 32);
          expect(normaliseRegistration(written)).toBe(text);
          expect(normaliseRegistration(decomposed)).toBe(text);
        },
      ),
    );
  });

  const similar = fc.string({ unit: fc.constantFrom(...ALPHABET, ...'abäö -._É\u0308'), maxLength: 14 });
  const any = fc.uint16Array().map((units) => String.fromCharCode(...units));
  it('becomes a key of 1 to 12 known characters, which is its own key, or is invalid, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(similar, any), (text) => {
        const key = normaliseRegistration(text);
        if (key === undefined) return;
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
    expect(registrationInPath({ registration: text })).toEqual({ registration: { sent: text, key } });
  });

  it('is written with spaces, hyphens, dots and invisible characters in it, and with no others', () => {
    const separators = [
      '09 20 A0 1680 2000-200A 202F 205F 3000',
      '2D 2010-2015 2212 FE58 FE63 FF0D',
      '2E B7 387',
      'AD 200B-200F 2060 FEFF',
    ];
    const listed = separators
      .join(' ')
      .split(' ')
      .flatMap((range) => {
        const [first = 0, last = first] = range.split('-').map((digits) => Number.parseInt(digits, 16));
        return Array.from({ length: last - first + 1 }, (_, index) => first + index);
      });
    const all = Array.from({ length: 0x11_0000 }, (_, codePoint) => codePoint);
    const isIgnored = (key: (text: string) => string | undefined) => (codePoint: number) =>
      key(`A${String.fromCodePoint(codePoint)}1`) === 'A1';
    const ascending = listed.toSorted((a, b) => a - b);
    expect(all.filter(isIgnored(normaliseRegistration))).toEqual(ascending);
    // The command line of the client finds the rows of a vehicle by the same rule.
    expect(all.filter(isIgnored(registrationKeyOf))).toEqual(ascending);
  });

  it.each([
    ['must not be blank', ['', ' ', '\u00a0']],
    ['must have at most 32 characters', [`A${' '.repeat(32)}`]],
    ['must have at most 12 letters and digits', ['A'.repeat(13)]],
    ['must have a letter from A to Z or a digit', ['-.·', 'Ä'.repeat(12), '-'.repeat(32), '\u200b']],
    ['contains "Á" (U+00C1)', ['AB12 CDÁ_', 'A\u0301B']],
    ['contains "🚗" (U+1F697)', ['AB 🚗']],
    ['contains "_" (U+005F)', ['AB12_CDE (old)']],
    ['contains U+000A', ['A\n1']],
    ['contains U+2028', ['A\u20281']],
    ['contains U+0308', ['AB\u0308']],
    ['contains U+3164', ['A\u3164']],
    ['contains U+D83D', ['A\ud83d']],
  ])('%s: otherwise it is invalid', (issue, texts) => {
    for (const text of texts) {
      expect(normaliseRegistration(text)).toBeUndefined();
      expect(registrationIssue(text)).toBe(issue);
      const message = invalidRegistrationSentence(text);
      expect(message).toMatch(new RegExp(`^The registration ${RegExp.escape(issue)}\\. `));
      expect(registrationInPath({ registration: text })).toMatchObject({
        code: 'INVALID_REGISTRATION',
        message,
        issues: [{ parameter: 'registration', detail: message }],
      });
      expect(() => requireRegistration(text)).toThrow(message);
    }
  });

  it.each(['É1', 'A/1', 'ß1', '１２', 'ı1', 'ſ1'])('%s is invalid', (text) => {
    expect(registrationIssue(text)).toMatch(/^contains "." \(U\+[0-9A-F]{4}\)$/);
    expect(normaliseRegistration(text)).toBeUndefined();
  });
});

const TODAY = '2026-11-22';
const suggestionsFor = (registrations: readonly string[], today = TODAY) =>
  registrations.map((registration) => suggestionFor(requireRegistration(registration), today));

describe('A suggestion for an unknown registration', () => {
  // Current format: two letters, age identifier, three letters. The newest age identifier in November 2026 is 76.
  it.each([
    ['letters O and I in the age identifier', 'AB1OCDE ABI2CDE AB5ICDE AB6OCDE', 'AB10CDE AB12CDE AB51CDE AB60CDE'],
    ['age identifiers of 2002 and 2009', 'ABO2CDE ABO9CDE', 'AB02CDE AB09CDE'],
    ['the newest age identifiers', 'AB7OCDE AB7ICDE', 'AB70CDE AB71CDE'],
    ['a zero among letters', '0B12CDE A012CDE AB120DE AB12C0E AB12CD0', 'OB12CDE AO12CDE AB12ODE AB12COE AB12CDO'],
    ['letters that look like its digits elsewhere', 'YK2IZZZ AB2OZOO', 'YK21ZZZ AB20ZOO'],
    ['the prefix format', 'P12OXFD PI23ABC P1I3ABC A8I2CDE P12IABC', 'P120XFD P123ABC P113ABC A812CDE P121ABC'],
    ['the prefix format of few digits', 'AIABC Q1OABC P1230XF Y99AB0', 'A1ABC Q10ABC P123OXF Y99ABO'],
    [
      'the suffix format',
      'ABC12OD ABC1O3D ABCI23D ABCID AB0123D 0BC123D',
      'ABC120D ABC103D ABC123D ABC1D ABO123D OBC123D',
    ],
  ])('has the one character replaced that makes it a UK one: %s', (_of, registrations, suggested) => {
    expect(suggestionsFor(registrations.split(' '))).toEqual(suggested.split(' '));
  });

  it.each([
    ['the current format already', 'AB12CDE OO10OOO AB76CDE'],
    ['the prefix format already', 'P123ABC A1OOO'],
    ['the suffix format already', 'ABC123D OOO1A'],
    ['no identifier of a half-year', 'ABO1CDE AB0ICDE'],
    ['an identifier that is not issued yet', 'AB8OCDE AB3OCDE ABOOCDE'],
    ['more than one mistake', 'ABIOCDE A0I2CDE PIOOABC 0B1OCDE AB1O0DE'],
    ['letters that no registration has', 'QB1OCDE AB12CIE UI23ABC ABCI23Z IB12CDE O1OABC'],
    ['other mistakes', 'AB12CDEO AB12CD O 1 ÄB1OCDE'],
    ['the form of France, Italy or Germany', 'AA001AA GO101OI FI100IO DO010AB BOI1234 MO1010 KIO10E IN1001'],
    ['the form of Spain, the Netherlands or Belgium', '1010BCD 0001FGH 10OI10 O001OI 1OOI010'],
    ['the form of Poland, Ireland, Sweden or Denmark', 'WI10101 PO0101O 101D1010 10MO1001 OIO100 OI10101'],
    ['the form of Switzerland, Austria, Portugal or Northern Ireland', 'ZH101010 IL101OI 10IO01 OIG1010'],
    ['a dateless one', '101OI'],
    ['a foreign form that is near a UK one', 'FR101AB ABC1O1 ABC10O ABC101'],
  ])('is missing for a text with %s', (_why, registrations) => {
    const texts = registrations.split(' ');
    expect(suggestionsFor(texts)).toEqual(texts.map(() => undefined));
  });

  it('can be wrong for a foreign registration that is a UK one with a mistake: nothing in the text tells them apart', () => {
    expect(suggestionsFor(['AB120CD', 'GB120NE'])).toEqual(['AB12OCD', 'GB12ONE']);
  });

  it.each([
    ['AB26C0E', '2026-02-28', '2026-03-01', 'AB26COE'],
    ['AB76C0E', '2026-08-31', '2026-09-01', 'AB76COE'],
    ['AB50C0E', '2050-02-28', '2050-03-01', 'AB50COE'],
    ['AB00C0E', '2050-08-31', '2050-09-01', 'AB00COE'],
  ])('for %s is missing on %s, and from %s on it is %s', (registration, before, first, suggested) => {
    expect([before, first].map((day) => suggestionFor(requireRegistration(registration), day))).toEqual([
      undefined,
      suggested,
    ]);
  });
});

it.each([
  ['the current, prefix and suffix formats', 'AB12CDE AB76CDE P123ABC ABC123D', true],
  ['dateless ones and ones of Northern Ireland', '1A A1 ABC1234 AB1234 1234AB 999ABC IG1 AIZ9999', true],
  ['what people write without a registration', 'TBC NA 123 UNKNOWN X NOREG TEST1234 0', false],
  ['an age identifier that is not issued yet, or letters of none', 'AB77CDE AB80CDE QB12CDE AB12CDI', false],
  ['too many letters or digits', 'ABCD1 1ABCD A12345 A0123', false],
])('A registration has a UK format or not: %s', (_of, registrations, expected) => {
  const formats = registrations.split(' ').map((registration) => [registration, hasUkFormat(registration, TODAY)]);
  expect(formats).toEqual(registrations.split(' ').map((registration) => [registration, expected]));
});
