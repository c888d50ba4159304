import { describe, expect, it } from '@jest/globals';
import { suggestionFor } from '../../core/vehicles/suggestion.ts';

const TODAY = '2026-11-22';

describe('A suggestion for an unknown registration', () => {
  it.each([
    // Current format: two letters, age identifier, three letters.
    ['AB1OCDE', 'AB10CDE'],
    ['ABI2CDE', 'AB12CDE'],
    ['AB5ICDE', 'AB51CDE'],
    ['AB6OCDE', 'AB60CDE'],
    ['ABO2CDE', 'AB02CDE'],
    ['ABO9CDE', 'AB09CDE'],
    ['0B12CDE', 'OB12CDE'],
    ['A012CDE', 'AO12CDE'],
    ['AB120DE', 'AB12ODE'],
    ['AB12C0E', 'AB12COE'],
    ['AB12CD0', 'AB12CDO'],
    ['YK2IZZZ', 'YK21ZZZ'],
    ['AB2OZOO', 'AB20ZOO'],
    // The newest age identifier in November 2026 is 76.
    ['AB7OCDE', 'AB70CDE'],
    ['AB7ICDE', 'AB71CDE'],
    // Prefix format: year letter, number, three letters.
    ['P12OXFD', 'P120XFD'],
    ['PI23ABC', 'P123ABC'],
    ['P1I3ABC', 'P113ABC'],
    ['A8I2CDE', 'A812CDE'],
    ['P12IABC', 'P121ABC'],
    ['AIABC', 'A1ABC'],
    ['Q1OABC', 'Q10ABC'],
    ['P1230XF', 'P123OXF'],
    ['Y99AB0', 'Y99ABO'],
    // Suffix format: three letters, number, year letter.
    ['ABC12OD', 'ABC120D'],
    ['ABC1O3D', 'ABC103D'],
    ['ABCI23D', 'ABC123D'],
    ['ABCID', 'ABC1D'],
    ['AB0123D', 'ABO123D'],
    ['0BC123D', 'OBC123D'],
  ])('for %s is %s', (registration, suggested) => {
    expect(suggestionFor(registration, TODAY)).toBe(suggested);
  });

  it.each([
    ['the current format already', ['AB12CDE', 'OO10OOO', 'AB76CDE']],
    ['the prefix format already', ['P123ABC', 'A1OOO']],
    ['the suffix format already', ['ABC123D', 'OOO1A']],
    ['no identifier of a half-year', ['ABO1CDE', 'AB0ICDE']],
    ['an identifier that is not issued yet', ['AB8OCDE', 'AB3OCDE', 'ABOOCDE']],
    ['more than one mistake', ['ABIOCDE', 'A0I2CDE', 'PIOOABC', '0B1OCDE']],
    ['more than one way to correct it', ['AB1O0DE', 'O1OABC']],
    ['letters that no registration has', ['QB1OCDE', 'AB12CIE', 'UI23ABC', 'ABCI23Z', 'IB12CDE']],
    ['other mistakes', ['AB12CDEO', 'AB12CD', 'O', '1', 'ÄB1OCDE']],
  ])('is missing for a text with %s', (_why, registrations) => {
    for (const registration of registrations)
      expect([registration, suggestionFor(registration, TODAY)]).toEqual([registration, undefined]);
  });

  it.each([
    ['France', 'AA001AA'],
    ['France', 'GO101OI'],
    ['Italy', 'FI100IO'],
    ['Italy', 'DO010AB'],
    ['Germany', 'BOI1234'],
    ['Germany', 'MO1010'],
    ['Germany', 'KIO10E'],
    ['Germany', 'IN1001'],
    ['Spain', '1010BCD'],
    ['Spain', '0001FGH'],
    ['Netherlands', '10OI10'],
    ['Netherlands', 'O001OI'],
    ['Belgium', '1OOI010'],
    ['Poland', 'WI10101'],
    ['Poland', 'PO0101O'],
    ['Ireland', '101D1010'],
    ['Ireland', '10MO1001'],
    ['Sweden', 'OIO100'],
    ['Denmark', 'OI10101'],
    ['Switzerland', 'ZH101010'],
    ['Austria', 'IL101OI'],
    ['Portugal', '10IO01'],
    ['Northern Ireland', 'OIG1010'],
    ['dateless', '101OI'],
  ])('is missing for a registration of %s: %s', (_origin, registration) => {
    expect(suggestionFor(registration, TODAY)).toBeUndefined();
  });

  it.each([
    ['AB26C0E', '2026-02-28', '2026-03-01', 'AB26COE'],
    ['AB76C0E', '2026-08-31', '2026-09-01', 'AB76COE'],
  ])('for %s is missing on %s, and from %s on it is %s', (registration, before, first, suggested) => {
    expect([before, first].map((day) => suggestionFor(registration, day))).toEqual([undefined, suggested]);
  });

  // The same characters as a UK registration with one mistake: nothing in the text tells them apart.
  it.each([
    ['Italy', 'AB120CD', 'AB12OCD'],
    ['France', 'FR101AB', undefined],
    ['Sweden', 'ABC1O1', undefined],
    ['Sweden', 'ABC10O', undefined],
    ['Hungary', 'ABC101', undefined],
    ['France', 'GB120NE', 'GB12ONE'],
  ])('can be wrong or missing for a registration of %s: %s', (_origin, registration, suggested) => {
    expect(suggestionFor(registration, TODAY)).toBe(suggested);
  });
});
