import { describe, it } from '@jest/globals';
import type { Call, HttpCaller } from '../support/http-caller.ts';
import { expectProblem, expectSuccess } from './expectations.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const sent = (registrations: readonly unknown[], more: object = {}) => ({ json: { registrations, ...more } });

const REJECTED: readonly [string, Call, string, object?][] = [
  ['an empty list', sent([]), 'VALIDATION_FAILED', { errors: [{ pointer: '/registrations' }] }],
  ['an entry that is no text', sent(['A1', 7]), 'VALIDATION_FAILED', { errors: [{ pointer: '/registrations/1' }] }],
  ['more than the premium plan allows', sent(Array(1_001).fill('A1')), 'BULK_TOO_LARGE'],
  ['no JSON', { raw: '{', headers: JSON_TYPE }, 'MALFORMED_JSON'],
  ['another type', { raw: '{}', headers: { 'Content-Type': 'text/plain' } }, 'UNSUPPORTED_CONTENT_TYPE'],
  ['over 1 MB', { raw: `"${'x'.repeat(1_000_100)}"`, headers: JSON_TYPE }, 'BODY_TOO_LARGE'],
];

const INSURANCE = '/v1/vehicle/bulk-insurance';
const COMPLIANCE = '/v1/vehicle/bulk-compliance';

/** Insurance and compliance in bulk, and every way in which a body is rejected. */
export const bulkTests = (api: () => HttpCaller): void => {
  const post = (call: Call, path = INSURANCE) => api().call('POST', path, call);

  describe('Insurance in bulk', () => {
    it('returns one result per entry, in order, duplicates included', async () => {
      const results = [
        { registration: 'AB12 CDE', insured: true },
        { registration: 'DG65OLD', insured: false },
        { registration: 'ZZ99ZZZ', insured: false, code: 'VEHICLE_NOT_FOUND' },
        { registration: '!', insured: false, code: 'INVALID_REGISTRATION' },
        { registration: 'AB12 CDE', insured: true },
      ];
      const expected = { processed: 5, successful: 3, failed: 2, results };
      expectSuccess(await post(sent(results.map(({ registration }) => registration))), expected);
    });

    it('is 200 with asOf for another day', async () => {
      const results = [{ registration: 'AB12 CDE', insured: false }];
      expectSuccess(await post(sent(['AB12 CDE'], { date: '2000-02-29' })), { asOf: '2000-02-29', results });
    });
  });

  describe('Compliance in bulk', () => {
    it('returns one verdict per entry, in order, or why there is none', async () => {
      const results = [
        { registration: 'RA09 SRN', compliant: false, reasons: ['SORN'], details: { roadTax: { status: 'SORN' } } },
        { registration: 'VE24UNK', compliant: false, code: 'COMPLIANCE_NOT_FOUND' },
        { registration: 'AB1OCDE', compliant: false, code: 'VEHICLE_NOT_FOUND', suggestion: 'AB10CDE' },
        { registration: '!', compliant: false, code: 'INVALID_REGISTRATION' },
        { registration: 'AB12CDE', compliant: true, reasons: [] },
        { registration: 'RA09 SRN', compliant: false, reasons: ['SORN'] },
      ];
      const expected = { processed: 6, successful: 3, failed: 3, results };
      expectSuccess(await post(sent(results.map(({ registration }) => registration)), COMPLIANCE), expected);
    });

    it('is 400 for another day', async () => {
      const reply = await post(sent(['AB12CDE'], { date: '2000-02-29' }), COMPLIANCE);
      expectProblem(reply, 400, 'VALIDATION_FAILED', { errors: [{ pointer: '/date' }] });
    });
  });

  describe.each([INSURANCE, COMPLIANCE])('POST %s', (path) => {
    it('accepts 250 different registrations in one request', async () => {
      const registrations = ['AB12CDE', ...Array.from({ length: 249 }, (_, index) => `Z${index}`)];
      expectSuccess(await post(sent(registrations), path), { processed: 250, successful: 1, failed: 249 });
    });

    it.each(REJECTED)('is 400 for %s', async (_title, call, code, more = {}) => {
      expectProblem(await post(call, path), 400, code, more);
    });
  });
};
