import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { notRegistrationClause } from '../../../../admin/files/not-a-registration.ts';
import { normaliseRegistration } from '../../../../core/vehicles/registration.ts';

const textsOf = (name: string): string[] =>
  readFileSync(`test/fixtures/registrations/${name}.txt`, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '))
    .flatMap((line) => line.split(', '));

const isRefused = (text: string): boolean =>
  notRegistrationClause(text) !== undefined || normaliseRegistration(text) === undefined;

describe('A text in place of a registration', () => {
  it('is refused when it is a date or a word', () => {
    expect(textsOf('not-plates').filter((text) => !isRefused(text))).toEqual([]);
  });

  it('loads when it is a registration, however close to a date or a word', () => {
    expect(textsOf('plates').filter(isRefused)).toEqual([]);
  });
});
