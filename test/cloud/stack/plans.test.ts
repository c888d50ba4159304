import { describe, expect, it } from '@jest/globals';
import { DEFAULT_PLANS } from '../../../core/access/plans.ts';
import { readPlans } from '../../../core/stage/plans-schema.ts';
import { rateLimitOf, startApi } from '../../support/use-api.ts';
import { EVERY_SETTING } from './stages.ts';
import { FULL, PROD, servingFunctions, type Template } from './templates.ts';

/** The plans of the output, which the command line reads, and those of the functions. */
const plansOf = (template: Template) => ({
  output: readPlans(String(template.Outputs.Plans?.Value)),
  functions: new Set(servingFunctions(template).map(({ Properties }) => variablesOf(Properties).PLANS)),
});
const variablesOf = ({ Environment }: Readonly<Record<string, unknown>>) =>
  (Environment as { readonly Variables: Readonly<Record<string, unknown>> }).Variables;

describe('The plans of a stage', () => {
  const { plans } = EVERY_SETTING.settings;

  it('are those of the setting, otherwise the default ones', () => {
    expect(plansOf(FULL)).toEqual({ output: { plans }, functions: new Set([JSON.stringify(plans)]) });
    expect(plansOf(PROD)).toEqual({ output: { plans: DEFAULT_PLANS }, functions: new Set([undefined]) });
  });

  it('limit the requests and bulk sizes that the functions serve', async () => {
    const api = await startApi({ plans });
    for (const plan of ['trial', 'gone']) {
      const key = await api.newKey({ plan });
      const json = { registrations: Array(4).fill('A1') };
      expect(await api.call('POST', '/v1/vehicle/bulk-insurance', { key, json })).toMatchObject({
        status: 400,
        body: { code: 'BULK_TOO_LARGE' },
      });
      const { status, body } = await api.call('GET', '/v1/usage', { key });
      expect({ status, body }).toMatchObject({ status: 200, body: { limits: { requestsPerWindow: 2 } } });
      expect((await api.call('GET', '/v1/usage', { key })).status).toBe(429);
    }
    const fleet = await api.call('GET', '/v1/usage', { key: await api.newKey({ plan: 'fleet' }) });
    expect(rateLimitOf(fleet).slice(0, 2)).toEqual(['300000', '299999']);
    await api.stop();
  });
});
