import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { normaliseRegistration } from '../../../core/vehicles/registration.ts';
import { registrationSchema } from '../../../functions/endpoints/document.ts';

describe('The schema of a registration in the document', () => {
  const fits = new Ajv2020({ strict: false }).compile({ ...registrationSchema });
  const agrees = (text: string): boolean => fits(text) === (normaliseRegistration(text) !== undefined);
  const unit = fc.constantFrom(
    ...['A', 'b', 'O', 'u', 'Z', '0', '9', 'Ä', 'ö', 'Å', 'É', '\u0308', '\u030a', '\u0301', '\u212a', '\u212b'],
    ...[' ', '-', '.', '\u00b7', '\u0387', '\u00a0', '\u2000', '\u200b', '\n', '_', '🚗'],
  );

  it('accepts a string if and only if the service does', () => {
    fc.assert(fc.property(fc.string({ unit, maxLength: 34 }), agrees), { numRuns: 1_500 });
  });

  it('agrees with the service on every character', () => {
    const characters = Array.from({ length: 0xffff }, (_, index) => String.fromCharCode(index + 1));
    expect(characters.filter((character) => character.isWellFormed() && !agrees(`A${character}`))).toEqual([]);
  });
});
