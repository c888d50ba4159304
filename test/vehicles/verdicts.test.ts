import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bulkKeys, unknownVehicle } from '../../core/bulk/bulk-entries.ts';
import { bulkInsuranceAnswer } from '../../core/bulk/insurance.ts';
import { verdictOn } from '../../core/compliance/verdict.ts';
import { ENTRY_SENTENCES } from '../../core/problems.ts';
import { insuranceOn, insuranceResult } from '../../core/vehicles/insurance.ts';
import { invalidRegistrationSentence, requireRegistration } from '../../core/vehicles/registration.ts';
import { aCompliance, aPolicy } from '../support/records.ts';

const TODAY = '2026-06-15';
const YESTERDAY = '2026-06-14';

describe('Insurance on a day', () => {
  const day = fc
    .date({ min: new Date('2026-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const policy = fc
    .tuple(day, day, fc.stringMatching(/^P-\d{1,3}$/))
    .map(([one, two, number]) => aPolicy({ number, validFrom: one < two ? one : two, validTo: one < two ? two : one }));
  /** Numbers are unique within a vehicle: the import rejects others. */
  const policies = fc.uniqueArray(policy, { maxLength: 20, selector: ({ number }) => number });

  it('is in force exactly when some policy covers the day, both ends included, in any order of the policies', () => {
    const shuffled = policies.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, day, ([list, others], today) => {
        const covered = list.some(({ validFrom, validTo }) => validFrom <= today && today <= validTo);
        expect(insuranceResult('A1', today, list).insured).toBe(covered);
        const { status, policy: answer } = insuranceOn(today, list);
        expect(insuranceOn(today, others)).toEqual({ status, policy: answer });
        expect([status === 'NONE', answer === null]).toEqual([list.length === 0, list.length === 0]);
        if (answer !== null) expect(list).toContainEqual(answer);
      }),
    );
  });

  /** Policies by number and dates, and the one that answers. */
  it.each([
    [
      'IN_FORCE: the last to begin, then the first by number',
      [{ validFrom: '2026-03-01' }, { validFrom: '2026-02-01' }, { number: 'A', validFrom: '2026-03-01' }],
    ],
    [
      'LAPSED: the last to end, before any that is still to begin',
      [
        { validFrom: '2026-07-01' },
        { validFrom: '2026-02-01', validTo: '2026-03-01' },
        { number: 'A', validTo: YESTERDAY },
      ],
    ],
    [
      'NOT_STARTED: the next, then the first by number',
      [{ validFrom: '2026-08-01' }, { validFrom: '2026-07-01' }, { number: 'A', validFrom: '2026-07-01' }],
    ],
  ])('is that of one policy of several: %s', (expected, list) => {
    const numbered = list.map((fields, nth) => aPolicy({ number: `B${nth}`, ...fields }));
    const { status, policy: answer } = insuranceOn(TODAY, numbered);
    expect([status, answer?.number]).toEqual([expected.split(':')[0], 'A']);
  });
});

describe('The verdict on compliance', () => {
  const ALL_PASSED = { insuranceValid: true, motValid: true, roadTaxPaid: true, noOutstandingFines: true };

  const CHECKS = { insurance: 'insuranceValid', mot: 'motValid', roadTax: 'roadTaxPaid', fines: 'noOutstandingFines' };

  const policy = aPolicy();
  const LAPSED = [aPolicy({ validTo: YESTERDAY })];
  const FUTURE = [aPolicy({ validFrom: '2026-06-16' })];

  it.each([
    ['insurance', 'IN_FORCE', {}, { validTo: policy.validTo }],
    ['mot', 'VALID', { mot: { dueDate: TODAY } }, { dueDate: TODAY }],
    ['mot', 'EXEMPT', { mot: { exempt: true } }, { dueDate: null }],
    ['roadTax', 'PAID', { roadTax: { paidUntil: TODAY } }, { paidUntil: TODAY }],
    ['roadTax', 'EXEMPT', { roadTax: { exempt: true } }, { paidUntil: null }],
    ['fines', 'NONE', { outstandingFines: 0 }, { outstanding: 0 }],
  ] as const)('is compliant with %s %s: %j', (source, status, fields, rest) => {
    const verdict = verdictOn(TODAY, { policies: [policy] }, aCompliance('A1', fields));
    expect(verdict).toMatchObject({ compliant: true, checks: ALL_PASSED, reasons: [] });
    expect(verdict.details[source]).toEqual({ status, ...rest, lastUpdated: null });
  });

  it.each([
    ['NO_POLICY', 'insurance', { policies: [] }, { status: 'NONE', validTo: null }],
    ['INSURANCE_LAPSED', 'insurance', { policies: LAPSED }, { status: 'LAPSED', validTo: YESTERDAY }],
    ['INSURANCE_NOT_STARTED', 'insurance', { policies: FUTURE }, { status: 'NOT_STARTED', validTo: policy.validTo }],
    ['MOT_EXPIRED', 'mot', { mot: { dueDate: YESTERDAY } }, { status: 'EXPIRED', dueDate: YESTERDAY }],
    ['TAX_EXPIRED', 'roadTax', { roadTax: { paidUntil: YESTERDAY } }, { status: 'EXPIRED', paidUntil: YESTERDAY }],
    ['SORN', 'roadTax', { roadTax: { sorn: true } }, { status: 'SORN', paidUntil: null }],
    ['FINES_OUTSTANDING', 'fines', { outstandingFines: 1 }, { status: 'OUTSTANDING', outstanding: 1 }],
  ] as const)('is not compliant for %s alone, with its details', (reason, source, stored, details) => {
    const { policies, ...fields } = { policies: [policy], ...stored };
    const verdict = verdictOn(TODAY, { policies }, aCompliance('A1', fields));
    const checks = { ...ALL_PASSED, [CHECKS[source]]: false };
    expect(verdict).toMatchObject({ compliant: false, checks, reasons: [reason] });
    expect(verdict.details[source]).toEqual({ ...details, lastUpdated: null });
  });

  it('names every reason, in the order of the checks', () => {
    const fields = { mot: { dueDate: YESTERDAY }, roadTax: { paidUntil: YESTERDAY }, outstandingFines: 2 };
    const { reasons } = verdictOn(TODAY, { policies: [] }, aCompliance('A1', fields));
    expect(reasons).toEqual(['NO_POLICY', 'MOT_EXPIRED', 'TAX_EXPIRED', 'FINES_OUTSTANDING']);
  });

  it('has the age of each source', () => {
    const ofPolicies = '2026-06-01T00:00:00.000Z';
    const ofCompliance = '2026-05-01T00:00:00.000Z';
    const record = aCompliance('A1', { lastUpdated: ofCompliance });
    const { details } = verdictOn(TODAY, { policies: [policy], lastUpdated: ofPolicies }, record);
    const ages = Object.values(details).map(({ lastUpdated }) => lastUpdated);
    expect(ages).toEqual([ofPolicies, ofCompliance, ofCompliance, ofCompliance]);
  });
});

describe('A bulk request', () => {
  it('has a key per entry and reads each key once', () => {
    expect(bulkKeys(['a 1', '!', 'A1', 'B2'])).toEqual({ keys: ['A1', undefined, 'A1', 'B2'], distinct: ['A1', 'B2'] });
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
    const { keys } = bulkKeys(submitted);
    const failed = (registration: string, code: string, error: unknown) => ({
      registration,
      insured: false,
      error,
      code,
    });
    const unavailable = expect.stringMatching(/^This registration could not be looked up/);
    expect(
      bulkInsuranceAnswer(submitted, keys, { found, unread: new Set([requireRegistration('B2')]) }, TODAY),
    ).toEqual({
      results: [
        { registration: 'a 1', insured: true, policy: aPolicy() },
        failed('!', 'INVALID_REGISTRATION', invalidRegistrationSentence('!')),
        failed('B2', 'LOOKUP_UNAVAILABLE', unavailable),
        failed('C3', 'VEHICLE_NOT_FOUND', ENTRY_SENTENCES.VEHICLE_NOT_FOUND),
        { registration: 'D4', insured: false, policy: null },
        { registration: 'A1', insured: true, policy: aPolicy() },
      ],
      processed: 6,
      successful: 3,
      failed: 3,
    });
  });
});
