import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CHECKS, checksFrom } from '../../../core/checks.ts';
import type { ComplianceParts } from '../../../core/compliance/compliance-record.ts';
import { complianceAnswer, lacksRecord, verdictOn } from '../../../core/compliance/verdict.ts';
import type { Policy } from '../../../core/vehicles/vehicle-record.ts';
import { aCompliance, aPolicy } from '../../support/records.ts';

const TODAY = '2026-06-15';
const YESTERDAY = '2026-06-14';

/** Leaves out the parts that are undefined. */
const partsOf = (parts: object): ComplianceParts & { policies?: Policy[] } => JSON.parse(JSON.stringify(parts));

describe('The verdict on compliance', () => {
  const ALL_PASSED = { insuranceValid: true, motValid: true, roadTaxPaid: true, noOutstandingFines: true };

  const FIELDS = {
    insurance: 'insuranceValid',
    mot: 'motValid',
    roadTax: 'roadTaxPaid',
    fines: 'noOutstandingFines',
  } as const;

  const policy = aPolicy();
  const LAPSED = [aPolicy({ validTo: YESTERDAY })];
  const FUTURE = [aPolicy({ validFrom: '2026-06-16' })];

  it.each([
    ['insurance', 'IN_FORCE', {}, { validTo: policy.validTo }],
    ['mot', 'VALID', { mot: { dueDate: TODAY } }, { dueDate: TODAY }],
    ['mot', 'EXEMPT', { mot: { exempt: true } }, { dueDate: null }],
    ['roadTax', 'PAID', { roadTax: { paidUntil: TODAY } }, { paidUntil: TODAY }],
    ['roadTax', 'EXEMPT', { roadTax: { exempt: true } }, { paidUntil: null }],
    ['fines', 'NONE', { fines: { outstanding: 0 } }, { outstanding: 0 }],
  ] as const)('is compliant with %s %s: %j', (source, status, fields, rest) => {
    const verdict = verdictOn(TODAY, { policies: [policy] }, aCompliance('A1', fields), CHECKS);
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
    ['FINES_OUTSTANDING', 'fines', { fines: { outstanding: 1 } }, { status: 'OUTSTANDING', outstanding: 1 }],
    ['MOT_UNKNOWN', 'mot', { mot: undefined }, { status: 'UNKNOWN', dueDate: null }],
    ['TAX_UNKNOWN', 'roadTax', { roadTax: undefined }, { status: 'UNKNOWN', paidUntil: null }],
    ['FINES_UNKNOWN', 'fines', { fines: undefined }, { status: 'UNKNOWN', outstanding: null }],
  ] as const)('is not compliant for %s alone, with its details', (reason, source, stored, details) => {
    const { policies = [policy], ...parts } = partsOf({ ...aCompliance('A1'), ...stored });
    const verdict = verdictOn(TODAY, { policies }, parts, CHECKS);
    const checks = { ...ALL_PASSED, [FIELDS[source]]: false };
    expect(verdict).toMatchObject({ compliant: false, checks, reasons: [reason] });
    expect(verdict.details[source]).toEqual({ ...details, lastUpdated: null });
  });

  it('names every reason, in the order of the checks', () => {
    const fields = { mot: { dueDate: YESTERDAY }, roadTax: { paidUntil: YESTERDAY }, fines: { outstanding: 2 } };
    const { reasons } = verdictOn(TODAY, { policies: [] }, aCompliance('A1', fields), CHECKS);
    expect(reasons).toEqual(['NO_POLICY', 'MOT_EXPIRED', 'TAX_EXPIRED', 'FINES_OUTSTANDING']);
  });

  it('has the age of each part', () => {
    const ages = [1, 2, 3, 4].map((day) => `2026-05-0${day}T00:00:00.000Z`);
    const [ofPolicies, ofMot, ofTax, ofFines] = ages.map((lastUpdated) => ({ lastUpdated }));
    const parts = aCompliance('A1', {
      mot: { exempt: true, ...ofMot },
      roadTax: { sorn: true, ...ofTax },
      fines: { outstanding: 0, ...ofFines },
    });
    const { details } = verdictOn(TODAY, { policies: [policy], ...ofPolicies }, parts, CHECKS);
    expect(Object.values(details).map(({ lastUpdated }) => lastUpdated)).toEqual(ages);
  });
});

describe('The checks that count', () => {
  const policies = [aPolicy(), aPolicy({ validTo: YESTERDAY })];
  const mot = [undefined, { exempt: true }, { dueDate: TODAY }, { dueDate: YESTERDAY }] as const;
  const roadTax = [undefined, { exempt: true }, { sorn: true }, { paidUntil: TODAY }] as const;
  const fines = [undefined, { outstanding: 0 }, { outstanding: 1 }] as const;
  const PASSED = ['IN_FORCE', 'VALID', 'EXEMPT', 'PAID', 'NONE'];
  const NOTHING = { dueDate: null, paidUntil: null, outstanding: null, validTo: null, lastUpdated: null };

  it('decide alone, whatever the others are, and nothing unknown counts as passed', () => {
    const records = fc.record({
      policy: fc.constantFrom(...policies),
      mot: fc.constantFrom(...mot),
      roadTax: fc.constantFrom(...roadTax),
      fines: fc.constantFrom(...fines),
    });
    fc.assert(
      fc.property(records, fc.subarray([...CHECKS], { minLength: 1 }), ({ policy, ...parts }, counted) => {
        const { compliant, checks, reasons, details } = verdictOn(
          TODAY,
          { policies: [policy] },
          partsOf(parts),
          counted,
        );
        const passed = CHECKS.filter((check) => PASSED.includes(details[check].status) && check !== 'insurance');
        if (details.insurance.status === 'IN_FORCE') passed.push('insurance');
        expect(compliant).toBe(counted.every((check) => passed.includes(check)));
        expect(reasons).toHaveLength(counted.filter((check) => !passed.includes(check)).length);
        expect(Object.values(checks)).toEqual(CHECKS.map((check) => counted.includes(check) && passed.includes(check)));
        for (const check of CHECKS.filter((one) => !counted.includes(one))) {
          expect(details[check].status).toBe('NOT_CHECKED');
          expect({ ...NOTHING, status: 'NOT_CHECKED' }).toMatchObject(details[check]);
        }
      }),
    );
  });

  it.each([
    ['insurance,mot', {}, true],
    ['fines', {}, true],
    ['mot', { fines: { outstanding: 0 } }, false],
    ['insurance', {}, false],
  ])('%s with the parts %j lack a record: %s', (checks, parts, isLacking) => {
    expect(lacksRecord(parts, checksFrom(checks))).toBe(isLacking);
  });

  it.each(['', 'tax', 'mot,', 'mot, fines'])('cannot be "%s"', (text) => {
    expect(() => checksFrom(text)).toThrow(
      /^CHECKS must be one or more of insurance, mot, roadTax, fines, separated by/,
    );
  });
});

const vehicle = { policies: [aPolicy()] };
const compliance = aCompliance('AB12CDE');

it('The answer of a compliance lookup is the verdict of the day, with the time of the request', () => {
  const lateEvening = new Date('2026-06-14T23:00:00Z');
  const request = { now: lateEvening, today: TODAY, checks: CHECKS };
  expect(complianceAnswer('ab12 cde', vehicle, compliance, request)).toEqual({
    registration: 'ab12 cde',
    ...verdictOn(TODAY, vehicle, compliance, CHECKS),
    lastChecked: '2026-06-14T23:00:00.000Z',
  });
});
