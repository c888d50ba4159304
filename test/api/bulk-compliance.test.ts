import { describe, expect, it } from '@jest/globals';
import { forTable } from '../support/fault-choosers.ts';
import { aCompliance, aPolicy, aVehicle } from '../support/records.ts';
import { testApi } from '../support/test-api.ts';

const api = testApi(async ({ loadVehicles, loadCompliance }) => {
  const lapsed = [aPolicy({ validTo: '2026-06-14' })];
  await loadVehicles(aVehicle('GOOD'), aVehicle('LATE', lapsed), aVehicle('UNCHECKED'));
  await loadCompliance(aCompliance('GOOD'), aCompliance('LATE', { lastUpdated: '2026-06-01T00:00:00.000Z' }));
});

const verify = (registrations: readonly unknown[], as = api.key, path = '/v1/vehicle/bulk-compliance') =>
  api.call('POST', path, { key: as, json: { registrations } });

const resultsOf = async (registrations: readonly string[]) =>
  ((await verify(registrations)).body as { results: { code?: string }[] }).results;

describe('POST /v1/vehicle/bulk-compliance', () => {
  it('returns the body of the single lookup for every known vehicle, in order, duplicates included', async () => {
    const single = async (registration: string) =>
      (await api.call('GET', `/v1/compliance/${registration}`, { key: api.key })).body;
    const submitted = ['late', 'GO OD', 'late'];
    const { status, body } = await verify(submitted);
    expect(status).toBe(200);
    expect(body).toEqual({
      results: await Promise.all(submitted.map((each) => single(encodeURIComponent(each)))),
      processed: 3,
      successful: 3,
      failed: 0,
    });
  });

  it('returns a failed entry with its code for what has no verdict', async () => {
    const { body } = await verify(['UNCHECKED', 'NOWHERE', 'not a plate!', 'AB1O CDE', 'GOOD']);
    expect(body).toMatchObject({ processed: 5, successful: 1, failed: 4 });
    expect((body as { results: object[] }).results.slice(0, 4)).toEqual([
      { registration: 'UNCHECKED', compliant: false, error: expect.any(String), code: 'COMPLIANCE_NOT_FOUND' },
      { registration: 'NOWHERE', compliant: false, error: expect.any(String), code: 'VEHICLE_NOT_FOUND' },
      { registration: 'not a plate!', compliant: false, error: expect.any(String), code: 'INVALID_REGISTRATION' },
      {
        registration: 'AB1O CDE',
        compliant: false,
        error: expect.any(String),
        code: 'VEHICLE_NOT_FOUND',
        suggestion: 'AB10CDE',
      },
    ]);
  });

  it('reads 1,000 vehicles from both tables in 20 batches', async () => {
    // Each batch once, however often a slow machine has it sent again.
    const batches = new Set<string>();
    api.faults.inject(({ operation, body }) => {
      if (operation === 'BatchGetItem') batches.add(body);
      return undefined;
    });
    const { status, body } = await verify(Array.from({ length: 1_000 }, (_, index) => `BULK${index}`));
    expect([status, batches.size]).toEqual([200, 20]);
    expect(body).toMatchObject({ processed: 1_000, failed: 1_000 });
  });

  it.each(['vehicles', 'compliance'] as const)(
    'never reports a verdict or a missing record when %s cannot be read',
    async (table) => {
      // 60 vehicles are two batches, the first with the vehicles; a fault in one leaves the other.
      const registrations = ['GOOD', ...Array.from({ length: 99 }, (_, index) => `X${index}`)];
      api.faults.inject(forTable(api.engine.names[table], () => 'error'));
      const [good, unknown] = await resultsOf(registrations);
      expect(good).toMatchObject({ compliant: false, code: 'LOOKUP_UNAVAILABLE' });
      expect(unknown?.code).toBe(table === 'vehicles' ? 'LOOKUP_UNAVAILABLE' : 'VEHICLE_NOT_FOUND');
    },
  );

  it('returns 400 above the size of the plan, whatever the entries are', async () => {
    const free = await api.newKey({ plan: 'free' });
    expect((await verify(Array(101).fill('GOOD'), free)).body).toMatchObject({ status: 400, code: 'BULK_TOO_LARGE' });
    expect((await verify(Array(1_001).fill(7))).body).toMatchObject({ status: 400, code: 'BULK_TOO_LARGE' });
  });

  it('returns 400 for a date and says why', async () => {
    const { body } = await verify(['GOOD'], api.key, '/v1/vehicle/bulk-compliance?date=2026-01-01');
    expect(body).toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: [{ parameter: 'date', detail: expect.stringContaining('no history') }],
    });
  });

  it('returns 400 for a date in the body and says why', async () => {
    const json = { registrations: ['GOOD'], date: '2026-01-01' };
    const { body } = await api.call('POST', '/v1/vehicle/bulk-compliance', { key: api.key, json });
    expect(body).toMatchObject({ errors: [{ pointer: '/date', detail: expect.stringContaining('no history') }] });
  });
});
