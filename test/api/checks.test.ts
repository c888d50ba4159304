import { describe, expect, it } from '@jest/globals';
import { aCompliance, aVehicle, NOON } from '../support/records.ts';
import { runAdminCommand } from '../support/use-admin.ts';
import { useApi } from '../support/use-api.ts';

const CHECKS = 'insurance,mot';

const api = useApi(
  async ({ loadVehicles, loadCompliance }) => {
    await loadVehicles(aVehicle('ALL'), aVehicle('NOMOT'), aVehicle('NONE'), aVehicle('LAPSED', []));
    await loadCompliance(aCompliance('ALL', { roadTax: { sorn: true }, fines: { outstanding: 2 } }));
    await loadCompliance({ registration: 'NOMOT', fines: { outstanding: 0 } });
    await loadCompliance({ registration: 'LAPSED', mot: { exempt: true } });
  },
  { environment: { CHECKS } },
);

const verdictOf = async (registration: string, key = api.key) =>
  (await api.call('GET', `/v1/compliance/${registration}`, { key })).body as Record<string, unknown>;

/** The verdict on the checks that count: test/unit/compliance/verdict.test.ts. */
describe('On a stage that counts insurance and MOT only, a verdict', () => {
  const notChecked = { status: 'NOT_CHECKED', outstanding: null, lastUpdated: null };

  it('leaves the other checks out, and is 404 where nothing is stored of those that count', async () => {
    expect(await verdictOf('ALL')).toMatchObject({ compliant: true, reasons: [], details: { fines: notChecked } });
    expect(await verdictOf('LAPSED')).toMatchObject({ compliant: false, reasons: ['NO_POLICY'] });
    expect(await verdictOf('NOMOT')).toMatchObject({ compliant: false, reasons: ['MOT_UNKNOWN'] });
    expect(await verdictOf('NONE')).toMatchObject({ status: 404, code: 'COMPLIANCE_NOT_FOUND' });
  });

  it('is the same in bulk, in the sandbox and by the command line', async () => {
    const registrations = ['ALL', 'NOMOT', 'NONE', 'LAPSED'];
    const bulk = await api.call('POST', '/v1/vehicle/bulk-compliance', { key: api.key, json: { registrations } });
    const single = await Promise.all(registrations.map((registration) => verdictOf(registration)));
    const expected = single.map(({ code, ...verdict }) => (code ? { code } : verdict));
    expect(bulk.body).toMatchObject({ results: expected });

    const testKey = await api.newKey({ environment: 'test' });
    expect(await verdictOf('SB66FIN', testKey)).toMatchObject({ compliant: true, details: { fines: notChecked } });

    const lookup = async (registration: string) => {
      const args = ['lookup', registration, '--json', '--dynamodb', api.engine.endpoint];
      const { stdout } = await runAdminCommand(args, api.engine.names, { now: new Date(NOON), env: { CHECKS } });
      return JSON.parse(stdout).answers.compliance;
    };
    expect(await lookup('ALL')).toEqual({ status: 200, body: single[0] });
    expect(await lookup('NONE')).toMatchObject({ status: 404, error: { code: 'COMPLIANCE_NOT_FOUND' } });
  });
});
