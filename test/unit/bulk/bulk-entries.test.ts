import { describe, expect, it } from '@jest/globals';
import { bulkComplianceAnswer, bulkEntries, bulkInsuranceAnswer, unknownVehicle } from '../../../core/bulk.ts';
import { CHECKS } from '../../../core/checks.ts';
import { ENTRY_SENTENCES } from '../../../core/problems.ts';
import { londonDate } from '../../../core/runtime/clock.ts';
import { invalidRegistrationSentence, requireRegistration } from '../../../core/vehicles/registration.ts';
import { aCompliance, aPolicy, aVehicle, NOON } from '../../support/records.ts';

const TODAY = '2026-06-15';

describe('A bulk request', () => {
  it('has a key per entry and reads each key once', () => {
    expect(bulkEntries(['a 1', '!', 'A1', 'B2'])).toEqual({
      entries: [
        { sent: 'a 1', key: 'A1' },
        { sent: '!', key: undefined },
        { sent: 'A1', key: 'A1' },
        { sent: 'B2', key: 'B2' },
      ],
      distinct: ['A1', 'B2'],
    });
  });

  it('suggests for an unknown vehicle the registration that was probably meant', () => {
    expect(unknownVehicle(requireRegistration('AB1OCDE'), TODAY)).toMatchObject({
      code: 'VEHICLE_NOT_FOUND',
      suggestion: 'AB10CDE',
    });
    expect(unknownVehicle(requireRegistration('C3'), TODAY)).not.toHaveProperty('suggestion');
  });

  it('has one result per entry, in order', () => {
    const submitted = ['a 1', '!', 'B2', 'C3', 'D4', 'A1'];
    const found = new Map([
      [requireRegistration('A1'), { registration: 'A1', policies: [aPolicy()] }],
      [requireRegistration('D4'), { registration: 'D4', policies: [] }],
    ]);
    const { entries } = bulkEntries(submitted);
    const failed = (registration: string, code: string, error: unknown) => ({
      registration,
      insured: false,
      error,
      code,
    });
    const unavailable = expect.stringMatching(/^This registration could not be looked up/);
    expect(
      bulkInsuranceAnswer(entries, { found, unread: new Set([requireRegistration('B2')]) }, { today: TODAY }),
    ).toEqual({
      results: [
        { registration: 'a 1', insured: true, status: 'IN_FORCE', policy: aPolicy() },
        failed('!', 'INVALID_REGISTRATION', invalidRegistrationSentence('!')),
        failed('B2', 'LOOKUP_UNAVAILABLE', unavailable),
        failed('C3', 'VEHICLE_NOT_FOUND', ENTRY_SENTENCES.VEHICLE_NOT_FOUND),
        { registration: 'D4', insured: false, status: 'NONE', policy: null },
        { registration: 'A1', insured: true, status: 'IN_FORCE', policy: aPolicy() },
      ],
      processed: 6,
      successful: 3,
      failed: 3,
    });
  });

  it('is answered for the day that was asked for, and names it', () => {
    const { entries } = bulkEntries(['A1']);
    const found = new Map([[requireRegistration('A1'), { registration: 'A1', policies: [aPolicy()] }]]);
    expect(
      bulkInsuranceAnswer(entries, { found, unread: new Set() }, { today: TODAY, asOf: '1999-01-01' }),
    ).toMatchObject({
      results: [{ registration: 'A1', insured: false, status: 'NOT_STARTED' }],
      asOf: '1999-01-01',
    });
  });

  it('of verdicts has none for a vehicle of which one record is missing or could not be read', () => {
    const submitted = ['!', 'B2', 'C3', 'D4', 'E5', 'F6', 'a 1'];
    const keyed = <Value>(make: (registration: string) => Value, ...registrations: string[]) =>
      new Map(registrations.map((each) => [requireRegistration(each), make(each)]));
    const unread = (registration: string) => new Set([requireRegistration(registration)]);
    const sources = {
      vehicles: { found: keyed((each) => aVehicle(each), 'A1', 'D4', 'E5', 'F6'), unread: unread('B2') },
      compliance: {
        found: new Map([
          ...keyed((each) => aCompliance(each), 'A1', 'B2', 'C3'),
          ...keyed((registration) => ({ registration }), 'F6'),
        ]),
        unread: unread('D4'),
      },
    };
    const failed = (registration: string, code: keyof typeof ENTRY_SENTENCES) => ({
      registration,
      compliant: false,
      error: ENTRY_SENTENCES[code],
      code,
    });
    const { entries } = bulkEntries(submitted);
    const request = { now: new Date(NOON), today: londonDate(new Date(NOON)), checks: CHECKS };
    expect(bulkComplianceAnswer(entries, sources, request)).toMatchObject({
      results: [
        { registration: '!', compliant: false, code: 'INVALID_REGISTRATION' },
        failed('B2', 'LOOKUP_UNAVAILABLE'),
        failed('C3', 'VEHICLE_NOT_FOUND'),
        failed('D4', 'LOOKUP_UNAVAILABLE'),
        failed('E5', 'COMPLIANCE_NOT_FOUND'),
        failed('F6', 'COMPLIANCE_NOT_FOUND'),
        { registration: 'a 1', compliant: true, reasons: [] },
      ],
      processed: 7,
      successful: 1,
      failed: 6,
    });
  });
});
