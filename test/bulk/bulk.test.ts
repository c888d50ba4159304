import { describe, expect, it } from '@jest/globals';
import { bulkKeys, isExpensiveBulk, unknownVehicle } from '../../core/bulk/entries.ts';
import { verifyBulk } from '../../core/bulk/insurance.ts';
import { problems } from '../../core/problems.ts';
import { aPolicy } from '../support/records.ts';

const TODAY = '2026-06-15';

describe('A bulk request', () => {
  it('is an expensive read from 26 registrations on', () => {
    expect([25, 26].map((length) => isExpensiveBulk(Array(length).fill('A1')))).toEqual([false, true]);
  });

  it('has a key per entry and reads each key once', () => {
    expect(bulkKeys(['a 1', '!', 'A1', 'B2'])).toEqual({ keys: ['A1', undefined, 'A1', 'B2'], distinct: ['A1', 'B2'] });
  });

  it('suggests for an unknown vehicle the registration that was probably meant', () => {
    expect(unknownVehicle('AB1OCDE', TODAY)).toMatchObject({ code: 'VEHICLE_NOT_FOUND', suggestion: 'AB10CDE' });
    expect(unknownVehicle('C3', TODAY)).not.toHaveProperty('suggestion');
  });

  it('has one result per entry, in order', () => {
    const submitted = ['a 1', '!', 'B2', 'C3', 'D4', 'A1'];
    const found = new Map([
      ['A1', { registration: 'A1', policies: [aPolicy()] }],
      ['D4', { registration: 'D4', policies: [] }],
    ]);
    const { keys } = bulkKeys(submitted);
    const failed = (registration: string, code: string, error: unknown) => ({
      registration,
      insured: false,
      error,
      code,
    });
    const unavailable = expect.stringMatching(/^This registration could not be looked up/);
    expect(verifyBulk(submitted, keys, { found, unread: new Set(['B2']) }, TODAY)).toEqual({
      results: [
        { registration: 'a 1', insured: true, policy: aPolicy() },
        failed('!', 'INVALID_REGISTRATION', problems.INVALID_REGISTRATION.detail),
        failed('B2', 'LOOKUP_UNAVAILABLE', unavailable),
        failed('C3', 'VEHICLE_NOT_FOUND', problems.VEHICLE_NOT_FOUND.detail({})),
        { registration: 'D4', insured: false, policy: null },
        { registration: 'A1', insured: true, policy: aPolicy() },
      ],
      processed: 6,
      successful: 3,
      failed: 3,
    });
  });
});
