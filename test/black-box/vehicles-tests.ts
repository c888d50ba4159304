import { describe, it } from '@jest/globals';
import type { HttpCaller } from '../support/http-caller.ts';
import { expectProblem, expectSuccess } from './expectations.ts';

/** Lookups of one vehicle, on the sample vehicles, besides the examples of the document. */
export const vehicleTests = (api: () => HttpCaller): void => {
  const insuranceOf = (registration: string, query = '') =>
    api().call('GET', `/v1/vehicle/${encodeURIComponent(registration)}/insurance${query}`);

  describe('Insurance of one vehicle', () => {
    it.each(['ab12 cde', 'öl-77.ä'])('is 200 for %s', async (registration) => {
      expectSuccess(await insuranceOf(registration), { registration, insured: true });
    });

    it('is 200 with asOf for another day', async () => {
      expectSuccess(await insuranceOf('AB12CDE', '?date=2000-02-29'), { insured: false, asOf: '2000-02-29' });
      expectSuccess(await insuranceOf('KR08NIL', '?date=2099-12-31'), { insured: false, asOf: '2099-12-31' });
    });

    it.each(['2001-02-29', '1899-12-31', 'today', ''])('is 400 for ?date=%s', async (date) => {
      const errors = [{ parameter: 'date' }];
      expectProblem(await insuranceOf('AB12CDE', `?date=${date}`), 400, 'VALIDATION_FAILED', { errors });
    });
  });

  it('Compliance of a vehicle off the road is 200 with the reason', async () => {
    const details = { roadTax: { status: 'SORN', paidUntil: null } };
    const reply = await api().call('GET', '/v1/compliance/RA09SRN');
    expectSuccess(reply, { registration: 'RA09SRN', compliant: false, reasons: ['SORN'], details });
  });
};
