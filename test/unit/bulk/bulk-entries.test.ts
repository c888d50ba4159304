import { describe, expect, it } from '@jest/globals';
import {
  bulkComplianceAnswer,
  bulkEntries,
  bulkInsuranceAnswer,
  bulkInsuranceStatus,
  unknownVehicle,
} from '../../../core/bulk.ts';
import { CHECKS } from '../../../core/checks.ts';
import { ENTRY_SENTENCES } from '../../../core/problems.ts';
import { londonDate } from '../../../core/runtime/clock.ts';
import { invalidRegistrationSentence, requireRegistration } from '../../../core/vehicles/registration.ts';
import { aCompliance, aPolicy, aVehicle, NOON } from '../../support/records.ts';

const TODAY = '2026-06-15';

const foundBy = <Value>(make: (registration: string) => Value, ...registrations: string[]) =>
  new Map(registrations.map((each) => [requireRegistration(each), make(each)]));
const unreadOf = (registration: string) => new Set([requireRegistration(registration)]);

/** A failed entry of an answer about this outcome. */
const failedFor = (outcome: 'insured' | 'compliant') => (registration: string, code: keyof typeof ENTRY_SENTENCES) => {
  const error = ENTRY_SENTENCES[code];
  return { registration, [outcome]: false, error, code };
};

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
    const unknown = unknownVehicle(requireRegistration('AB1OCDE'), TODAY);
    expect(unknown).toMatchObject({ code: 'VEHICLE_NOT_FOUND', suggestion: 'AB10CDE' });
    expect(unknownVehicle(requireRegistration('C3'), TODAY)).not.toHaveProperty('suggestion');
  });

  it('has one result per entry, in order', () => {
    const { entries } = bulkEntries(['a 1', '!', 'B2', 'C3', 'D4', 'A1']);
    const policies = { A1: [aPolicy()], D4: [] };
    const found = foundBy((registration) => ({ registration, policies: policies[registration as 'A1'] }), 'A1', 'D4');
    const failed = failedFor('insured');
    const invalid = { code: 'INVALID_REGISTRATION', error: invalidRegistrationSentence('!') };
    const insured = { insured: true, status: 'IN_FORCE', policy: aPolicy() };
    expect(bulkInsuranceAnswer(entries, { found, unread: unreadOf('B2') }, { today: TODAY })).toEqual({
      results: [
        { registration: 'a 1', ...insured },
        { registration: '!', insured: false, ...invalid },
        failed('B2', 'LOOKUP_UNAVAILABLE'),
        failed('C3', 'VEHICLE_NOT_FOUND'),
        { registration: 'D4', insured: false, status: 'NONE', policy: null },
        { registration: 'A1', ...insured },
      ],
      processed: 6,
      successful: 3,
      failed: 3,
    });
  });

  const insured = foundBy((registration) => ({ registration, policies: [aPolicy()] }), 'A1');
  const lapsed = foundBy((registration) => ({ registration, policies: [] }), 'D4');
  const records = { found: new Map([...insured, ...lapsed]), unread: unreadOf('B2') };

  it.each([
    ['an insured vehicle', ['A1'], false],
    ['an invalid registration', ['!'], false],
    ['one that could not be read', ['B2'], false],
    ['one that is not insured, beside an insured one', ['A1', 'D4'], true],
    ['an unknown one', ['C3'], true],
  ])('says how many suppliers are current where it matters: %s', (_what, registrations, isSaid) => {
    const sources = { expected: 3, current: 2 };
    const answer = bulkInsuranceAnswer(bulkEntries(registrations).entries, records, { today: TODAY, sources });
    expect(answer.sources).toEqual(isSaid ? sources : undefined);
    const without = bulkInsuranceAnswer(bulkEntries(registrations).entries, records, { today: TODAY });
    expect(without).not.toHaveProperty('sources');
  });

  it('has no policy for a key that sees the status alone', () => {
    const answer = bulkInsuranceAnswer(bulkEntries(['A1', 'C3']).entries, records, { today: TODAY });
    expect(bulkInsuranceStatus(answer)).toEqual({
      ...answer,
      results: [{ registration: 'A1', insured: true, status: 'IN_FORCE' }, answer.results[1]],
    });
  });

  it('is answered for the day that was asked for, and names it', () => {
    const found = foundBy((registration) => ({ registration, policies: [aPolicy()] }), 'A1');
    const request = { today: TODAY, asOf: '1999-01-01' };
    expect(bulkInsuranceAnswer(bulkEntries(['A1']).entries, { found, unread: new Set() }, request)).toMatchObject({
      results: [{ registration: 'A1', insured: false, status: 'NOT_STARTED' }],
      asOf: '1999-01-01',
    });
  });

  it('of verdicts has none for a vehicle of which one record is missing or could not be read', () => {
    const { entries } = bulkEntries(['!', 'B2', 'C3', 'D4', 'E5', 'F6', 'a 1']);
    const records = new Map([
      ...foundBy((each) => aCompliance(each), 'A1', 'B2', 'C3'),
      ...foundBy((registration) => ({ registration }), 'F6'),
    ]);
    const sources = {
      vehicles: { found: foundBy((each) => aVehicle(each), 'A1', 'D4', 'E5', 'F6'), unread: unreadOf('B2') },
      compliance: { found: records, unread: unreadOf('D4') },
    };
    const failed = failedFor('compliant');
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
