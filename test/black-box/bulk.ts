import { describe, it } from '@jest/globals';
import type { Api, Call } from './api.ts';
import { expectProblem, expectSuccess } from './expectations.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
/** Bytes, a little over the limit of a body. */
const TOO_LARGE = 1_000_100;
/** One more than the premium plan allows. */
const TOO_MANY = 1_001;

const REJECTED: readonly [string, Call, string, object?][] = [
  ['an empty list', { json: { registrations: [] } }, 'VALIDATION_FAILED', { errors: [{ pointer: '/registrations' }] }],
  ['a missing field', { json: {} }, 'VALIDATION_FAILED', { errors: [{ pointer: '/registrations' }] }],
  [
    'an entry that is no text',
    { json: { registrations: ['A1', 7] } },
    'VALIDATION_FAILED',
    { errors: [{ pointer: '/registrations/1' }] },
  ],
  ['more than the plan allows', { json: { registrations: Array(TOO_MANY).fill('A1') } }, 'BULK_TOO_LARGE'],
  ['no JSON', { raw: '{', headers: JSON_TYPE }, 'MALFORMED_JSON'],
  ...['text/plain', 'application/merge-patch+json', 'application/json; charset=utf-16'].map(
    (type): [string, Call, string] => [
      type,
      { raw: '{}', headers: { 'Content-Type': type } },
      'UNSUPPORTED_CONTENT_TYPE',
    ],
  ),
  ['a prototype key', { raw: '{"__proto__":{}}', headers: JSON_TYPE }, 'VALIDATION_FAILED'],
  ['over 1 MB', { raw: `"${'x'.repeat(TOO_LARGE)}"`, headers: JSON_TYPE }, 'BODY_TOO_LARGE'],
];

const INSURANCE = '/v1/vehicle/bulk-insurance';
const COMPLIANCE = '/v1/vehicle/bulk-compliance';

/** Insurance and compliance in bulk, and every way in which a body is rejected. */
export const bulkTests = (api: () => Api): void => {
  const post = (call: Call, path = INSURANCE) => api().call('POST', path, call);

  describe('Insurance in bulk', () => {
    it('returns one result per entry, in order, duplicates included', async () => {
      const registrations = ['AB12 CDE', 'DG65OLD', 'ZZ99ZZZ', '!', 'AB12 CDE'];
      expectSuccess(await post({ json: { registrations } }), {
        processed: 5,
        successful: 3,
        failed: 2,
        results: [
          { registration: 'AB12 CDE', insured: true },
          { registration: 'DG65OLD', insured: false },
          { registration: 'ZZ99ZZZ', insured: false, code: 'VEHICLE_NOT_FOUND' },
          { registration: '!', insured: false, code: 'INVALID_REGISTRATION' },
          { registration: 'AB12 CDE', insured: true },
        ],
      });
    });

    it('accepts 250 different registrations in one request', async () => {
      const registrations = Array.from({ length: 250 }, (_, index) => (index === 249 ? 'AB12CDE' : `Z${index}`));
      expectSuccess(await post({ json: { registrations } }), { processed: 250, successful: 1, failed: 249 });
    });

    it('answers for another day, named in asOf', async () => {
      expectSuccess(await post({ json: { registrations: ['AB12 CDE'], date: '2000-02-29' } }), {
        asOf: '2000-02-29',
        results: [{ registration: 'AB12 CDE', insured: false }],
      });
    });
  });

  describe('Compliance in bulk', () => {
    it('returns one verdict per entry, in order, or why there is none', async () => {
      const registrations = ['RA09 SRN', 'VE24UNK', 'AB1OCDE', '!', 'AB12CDE', 'RA09 SRN'];
      expectSuccess(await post({ json: { registrations } }, COMPLIANCE), {
        processed: 6,
        successful: 3,
        failed: 3,
        results: [
          { registration: 'RA09 SRN', compliant: false, reasons: ['SORN'], details: { roadTax: { status: 'SORN' } } },
          { registration: 'VE24UNK', compliant: false, code: 'COMPLIANCE_NOT_FOUND' },
          { registration: 'AB1OCDE', compliant: false, code: 'VEHICLE_NOT_FOUND', suggestion: 'AB10CDE' },
          { registration: '!', compliant: false, code: 'INVALID_REGISTRATION' },
          { registration: 'AB12CDE', compliant: true, reasons: [] },
          { registration: 'RA09 SRN', compliant: false, reasons: ['SORN'] },
        ],
      });
    });

    it('accepts 250 different registrations in one request', async () => {
      const registrations = Array.from({ length: 250 }, (_, index) => (index === 249 ? 'AB12CDE' : `Z${index}`));
      const answer = await post({ json: { registrations } }, COMPLIANCE);
      expectSuccess(answer, { processed: 250, successful: 1, failed: 249 });
    });

    it('rejects a day', async () => {
      const call = { json: { registrations: ['AB12CDE'], date: '2000-02-29' } };
      expectProblem(await post(call, COMPLIANCE), 400, 'VALIDATION_FAILED', { errors: [{ pointer: '/date' }] });
    });
  });

  describe.each([INSURANCE, COMPLIANCE])('POST %s', (path) => {
    it.each(REJECTED)('%s: 400', async (_title, call, code, more = {}) => {
      expectProblem(await post(call, path), 400, code, more);
    });
  });
};
