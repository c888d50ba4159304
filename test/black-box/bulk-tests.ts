import { describe, expect, it } from '@jest/globals';
import type { Call, HttpCaller } from '../support/http-caller.ts';
import { expectProblem, expectSuccess } from './expectations.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const sent = (registrations: readonly unknown[], more: object = {}) => ({ json: { registrations, ...more } });

const REJECTED: readonly [string, Call, string, object?][] = [
  ['an empty list', sent([]), 'VALIDATION_FAILED', { errors: [{ pointer: '/registrations' }] }],
  ['an entry that is no text', sent(['A1', 7]), 'VALIDATION_FAILED', { errors: [{ pointer: '/registrations/1' }] }],
  ['more than any plan can allow', sent(Array(1_001).fill('A1')), 'BULK_TOO_LARGE'],
  ['no JSON', { raw: '{', headers: JSON_TYPE }, 'MALFORMED_JSON'],
  ['another type', { raw: '{}', headers: { 'Content-Type': 'text/plain' } }, 'UNSUPPORTED_CONTENT_TYPE'],
  ['over 1 MB', { raw: `"${'x'.repeat(1_000_100)}"`, headers: JSON_TYPE }, 'BODY_TOO_LARGE'],
];

const INSURANCE = '/v1/vehicle/bulk-insurance';
const COMPLIANCE = '/v1/vehicle/bulk-compliance';

/** Insurance and compliance in bulk besides the examples of the document, and every way in which a body is rejected. */
export const bulkTests = (api: () => HttpCaller): void => {
  const post = (call: Call, path = INSURANCE) => api().call('POST', path, call);

  it('Insurance in bulk is 200 with asOf for another day', async () => {
    const results = [{ registration: 'AB12 CDE', insured: false }];
    const reply = await post(sent(['AB12 CDE'], { date: '2000-02-29' }));
    expectSuccess(reply, { asOf: '2000-02-29', results });
  });

  describe.each([INSURANCE, COMPLIANCE])('POST %s', (path) => {
    it('returns one result per entry, in order, duplicates included', async () => {
      const registrations = ['AB12 CDE', 'RA09SRN', 'ZZ99ZZZ', '!', 'AB12 CDE'];
      const reply = await post(sent(registrations), path);
      const results = registrations.map((registration) => ({ registration }));
      expectSuccess(reply, { processed: 5, successful: 3, failed: 2, results });
      const [first, , , , last] = reply.body.results as readonly object[];
      expect(last).toEqual(first);
    });

    it('accepts 250 different registrations in one request', async () => {
      const registrations = ['AB12CDE', ...Array.from({ length: 249 }, (_, index) => `Z${index}`)];
      expectSuccess(await post(sent(registrations), path), { processed: 250, successful: 1, failed: 249 });
    });

    it.each(REJECTED)('is 400 for %s', async (_title, call, code, more = {}) => {
      expectProblem(await post(call, path), 400, code, more);
    });
  });
};
