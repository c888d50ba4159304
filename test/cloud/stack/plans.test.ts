import { describe, expect, it } from '@jest/globals';
import { DEFAULT_PLANS } from '../../../core/access/plans.ts';
import { readPlans } from '../../../core/stage/plans-schema.ts';
import { rateLimitOf, startApi } from '../../support/use-api.ts';
import { FULL, PROD, servingFunctions, type Template } from './templates.ts';

/** The plans of the output, which the command line reads. */
const plansOf = ({ Outputs }: Template) => readPlans(String(Outputs.Plans?.Value));

describe('The plans of a stage', () => {
  it('are the default ones without the setting', () => {
    expect(plansOf(PROD)).toEqual({ plans: DEFAULT_PLANS });
    for (const { Properties } of servingFunctions(PROD)) {
      expect(Properties).not.toHaveProperty('Environment.Variables.PLANS');
    }
  });

  it('are those of the setting, which its functions serve', async () => {
    const plans = {
      trial: { requestsPerWindow: 2, bulkSize: 3 },
      fleet: { requestsPerWindow: 300_000, bulkSize: 1_000 },
    };
    expect(plansOf(FULL)).toEqual({ plans });
    const PLANS = JSON.stringify(plans);
    for (const { Properties } of servingFunctions(FULL)) {
      expect(Properties).toMatchObject({ Environment: { Variables: { PLANS } } });
    }
    const api = await startApi({ plans });
    const ask = (key: string) => api.call('GET', '/v1/usage', { key });
    const bulk = (key: string, count: number) =>
      api.call('POST', '/v1/vehicle/bulk-insurance', { key, json: { registrations: Array(count).fill('A1') } });
    const [trial, fleet, gone] = [
      await api.newKey({ plan: 'trial' }),
      await api.newKey({ plan: 'fleet' }),
      await api.newKey({ plan: 'free' }),
    ];
    for (const key of [trial, gone]) {
      expect(await ask(key)).toMatchObject({ body: { limits: { requestsPerWindow: 2, registrationsPerBulk: 3 } } });
      expect(await bulk(key, 4)).toMatchObject({ status: 400, body: { code: 'BULK_TOO_LARGE' } });
      expect((await ask(key)).status).toBe(429);
    }
    expect(rateLimitOf(await ask(fleet)).slice(0, 2)).toEqual(['300000', '299999']);
    expect((await bulk(fleet, 1_000)).status).toBe(200);
    await api.stop();
  });
});
