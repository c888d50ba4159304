import { describe, expect, it } from '@jest/globals';
import { verdictOn } from '../../functions/compliance/verdict.ts';
import { aCompliance, aPolicy } from '../support/records.ts';

const TODAY = '2026-06-15';
const YESTERDAY = '2026-06-14';
const ALL_PASSED = { insuranceValid: true, motValid: true, roadTaxPaid: true, noOutstandingFines: true };

describe('The verdict on compliance', () => {
  it.each([
    ['all papers in order', {}],
    ['MOT due today', { mot: { dueDate: TODAY } }],
    ['exempt from MOT', { mot: { exempt: true } }],
    ['tax paid until today', { roadTax: { paidUntil: TODAY } }],
    ['exempt from tax', { roadTax: { exempt: true } }],
  ] as const)('is compliant with %s', (_title, fields) => {
    const verdict = { compliant: true, checks: ALL_PASSED, reasons: [] };
    expect(verdictOn(TODAY, [aPolicy()], aCompliance('A1', fields))).toEqual(verdict);
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
    expect(verdictOn(TODAY, policies, aCompliance('A1', fields))).toEqual({
      compliant: false,
      checks: { ...ALL_PASSED, ...failed },
      reasons: [reason],
    });
  });

  it('names every reason, in the order of the checks', () => {
    const fields = { mot: { dueDate: YESTERDAY }, roadTax: { paidUntil: YESTERDAY }, outstandingFines: 2 };
    const { reasons } = verdictOn(TODAY, [], aCompliance('A1', fields));
    expect(reasons).toEqual(['NO_POLICY', 'MOT_EXPIRED', 'TAX_EXPIRED', 'FINES_OUTSTANDING']);
  });
});
