import { describe, expect, it } from '@jest/globals';
import { verdictOn } from '../../core/compliance/verdict.ts';
import { aCompliance, aPolicy } from '../support/records.ts';

const TODAY = '2026-06-15';
const YESTERDAY = '2026-06-14';
const ALL_PASSED = { insuranceValid: true, motValid: true, roadTaxPaid: true, noOutstandingFines: true };

const insured = { policies: [aPolicy()] };

describe('The verdict on compliance', () => {
  it.each([
    ['all papers in order', {}],
    ['MOT due today', { mot: { dueDate: TODAY } }],
    ['exempt from MOT', { mot: { exempt: true } }],
    ['tax paid until today', { roadTax: { paidUntil: TODAY } }],
    ['exempt from tax', { roadTax: { exempt: true } }],
  ] as const)('is compliant with %s', (_title, fields) => {
    const verdict = { compliant: true, checks: ALL_PASSED, reasons: [] };
    expect(verdictOn(TODAY, insured, aCompliance('A1', fields))).toMatchObject(verdict);
  });

  it.each([
    ['NO_POLICY', { insuranceValid: false }, [], {}],
    ['INSURANCE_LAPSED', { insuranceValid: false }, [aPolicy({ validTo: YESTERDAY })], {}],
    ['INSURANCE_NOT_STARTED', { insuranceValid: false }, [aPolicy({ validFrom: '2026-06-16' })], {}],
    ['MOT_EXPIRED', { motValid: false }, [aPolicy()], { mot: { dueDate: YESTERDAY } }],
    ['TAX_EXPIRED', { roadTaxPaid: false }, [aPolicy()], { roadTax: { paidUntil: YESTERDAY } }],
    ['SORN', { roadTaxPaid: false }, [aPolicy()], { roadTax: { sorn: true } }],
    ['FINES_OUTSTANDING', { noOutstandingFines: false }, [aPolicy()], { outstandingFines: 1 }],
  ] as const)('is not compliant for %s alone', (reason, failed, policies, fields) => {
    expect(verdictOn(TODAY, { policies }, aCompliance('A1', fields))).toMatchObject({
      compliant: false,
      checks: { ...ALL_PASSED, ...failed },
      reasons: [reason],
    });
  });

  it('names every reason, in the order of the checks', () => {
    const fields = { mot: { dueDate: YESTERDAY }, roadTax: { paidUntil: YESTERDAY }, outstandingFines: 2 };
    const { reasons } = verdictOn(TODAY, { policies: [] }, aCompliance('A1', fields));
    expect(reasons).toEqual(['NO_POLICY', 'MOT_EXPIRED', 'TAX_EXPIRED', 'FINES_OUTSTANDING']);
  });
});

describe('The details of a verdict', () => {
  const policy = aPolicy();

  it.each([
    ['insurance', 'IN_FORCE', { policies: [policy] }, {}, { validTo: policy.validTo }],
    ['insurance', 'LAPSED', { policies: [aPolicy({ validTo: YESTERDAY })] }, {}, { validTo: YESTERDAY }],
    ['insurance', 'NOT_STARTED', { policies: [aPolicy({ validFrom: '2026-06-16' })] }, {}, { validTo: policy.validTo }],
    ['insurance', 'NONE', { policies: [] }, {}, { validTo: null }],
    ['mot', 'VALID', insured, { mot: { dueDate: TODAY } }, { dueDate: TODAY }],
    ['mot', 'EXPIRED', insured, { mot: { dueDate: YESTERDAY } }, { dueDate: YESTERDAY }],
    ['mot', 'EXEMPT', insured, { mot: { exempt: true } }, { dueDate: null }],
    ['roadTax', 'PAID', insured, { roadTax: { paidUntil: TODAY } }, { paidUntil: TODAY }],
    ['roadTax', 'EXPIRED', insured, { roadTax: { paidUntil: YESTERDAY } }, { paidUntil: YESTERDAY }],
    ['roadTax', 'EXEMPT', insured, { roadTax: { exempt: true } }, { paidUntil: null }],
    ['roadTax', 'SORN', insured, { roadTax: { sorn: true } }, { paidUntil: null }],
    ['fines', 'NONE', insured, { outstandingFines: 0 }, { outstanding: 0 }],
    ['fines', 'OUTSTANDING', insured, { outstandingFines: 3 }, { outstanding: 3 }],
  ] as const)('have the %s status %s with its date', (source, status, vehicle, fields, rest) => {
    expect(verdictOn(TODAY, vehicle, aCompliance('A1', fields)).details[source]).toEqual({
      status,
      ...rest,
      lastUpdated: null,
    });
  });

  it('have the age of each source', () => {
    const [ofPolicies, ofCompliance] = ['2026-06-01T00:00:00.000Z', '2026-05-01T00:00:00.000Z'];
    const record = aCompliance('A1', { lastUpdated: ofCompliance });
    const { details } = verdictOn(TODAY, { ...insured, lastUpdated: ofPolicies }, record);
    expect(Object.values(details).map(({ lastUpdated }) => lastUpdated)).toEqual([
      ofPolicies,
      ofCompliance,
      ofCompliance,
      ofCompliance,
    ]);
  });
});
