import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from '@jest/globals';
import { PLANS } from '../../core/access/plans.ts';
import { always, forOperation, onNthCall } from '../support/fault-choosers.ts';
import { aPolicy, aVehicle } from '../support/records.ts';
import { rateLimitOf, testApi } from '../support/test-api.ts';

const plates = Array.from({ length: 1_000 }, (_, index) => `AA${index}`);

const api = testApi(({ loadVehicles }) =>
  loadVehicles(
    ...plates.slice(0, 990).map((plate) => aVehicle(plate)),
    aVehicle('LAPSED', [aPolicy({ validTo: '2026-06-14' })]),
    aVehicle('NOPOLICY', []),
  ),
);

const post = (json: object, key = api.key) => api.call('POST', '/v1/vehicle/bulk-insurance', { key, json });
const verify = (registrations: unknown, key?: string) => post({ registrations }, key);
const batches = () => api.faults.calls.filter(({ operation }) => operation === 'BatchGetItem');

const failed = (code: string) => ({ insured: false, error: expect.any(String), code });

describe('POST /v1/vehicle/bulk-insurance', () => {
  it('returns one result per entry, in order, duplicates included', async () => {
    const { status, body } = await verify(['aa 1', 'ZZ99ZZZ', 'LAPSED', 'AA1', 'not a plate!', 'NOPOLICY', '']);
    expect(status).toBe(200);
    expect(body).toEqual({
      results: [
        { registration: 'aa 1', insured: true, policy: aPolicy() },
        { registration: 'ZZ99ZZZ', ...failed('VEHICLE_NOT_FOUND') },
        { registration: 'LAPSED', insured: false, policy: aPolicy({ validTo: '2026-06-14' }) },
        { registration: 'AA1', insured: true, policy: aPolicy() },
        { registration: 'not a plate!', ...failed('INVALID_REGISTRATION') },
        { registration: 'NOPOLICY', insured: false, policy: null },
        { registration: '', ...failed('INVALID_REGISTRATION') },
      ],
      processed: 7,
      successful: 4,
      failed: 3,
    });
  });

  it('verifies 1,000 registrations in one request, in ten batches', async () => {
    const reply = await verify(plates);
    expect(reply).toMatchObject({ status: 200, body: { processed: 1_000, successful: 990, failed: 10 } });
    expect(batches().length).toBeGreaterThanOrEqual(10);
  });

  it('reads a registration once, however often it is sent', async () => {
    expect((await verify(Array(1_000).fill('AA1'))).body).toMatchObject({ successful: 1_000 });
    expect(batches()).toHaveLength(1);
  });

  it.each([
    ['free', 100],
    ['standard', 500],
    ['premium', 1_000],
  ] as const)('accepts as many registrations as the %s plan allows, %i, and not one more', async (plan, size) => {
    expect(PLANS[plan].bulkSize).toBe(size);
    const key = await api.newKey({ plan });
    expect((await verify(Array(size).fill('AA1'), key)).status).toBe(200);
    const detail = expect.stringMatching(new RegExp(`^${size + 1} .*at most ${size} `));
    expect((await verify(Array(size + 1).fill('AA1'), key)).body).toMatchObject({ code: 'BULK_TOO_LARGE', detail });
  });

  it('reads nothing for more than any plan allows', async () => {
    expect((await verify(Array(5_000).fill('AA1'))).body).toMatchObject({ status: 400, code: 'BULK_TOO_LARGE' });
    expect(batches()).toHaveLength(0);
  });

  it.each([
    ['an empty list', { registrations: [] }, [{ pointer: '/registrations' }]],
    ['a text in place of the list', { registrations: 'AA1' }, [{ pointer: '/registrations' }]],
    ['null in place of the list', { registrations: null }, [{ pointer: '/registrations' }]],
    [
      'a missing list and an unknown field',
      { plates: ['AA1'] },
      [
        { pointer: '/plates', detail: 'is not a field of this request' },
        { pointer: '/registrations', detail: 'is required' },
      ],
    ],
    [
      'every entry that is not a string',
      { registrations: ['AA1', 1, null, 'AA2', { a: 1 }, ['AA3'], ...Array(20).fill(7)] },
      [1, 2, 4, 5, ...Array.from({ length: 20 }, (_, index) => index + 6)].map((index) => ({
        pointer: `/registrations/${index}`,
        detail: 'must be a string',
      })),
    ],
  ])('returns 400 that names %s', async (_what, json, errors) => {
    const { body } = await post(json);
    expect(body).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
    const byPointer = (a: { pointer: string }, b: { pointer: string }) => a.pointer.localeCompare(b.pointer);
    expect((body as { errors: { pointer: string }[] }).errors.toSorted(byPointer)).toMatchObject(
      errors.toSorted(byPointer),
    );
  });

  it('returns registrations exactly as they were sent', async () => {
    const odd = ['__proto__', 'constructor', '\u0000', '🚗', 'a'.repeat(5_000)];
    expect(await verify(odd)).toMatchObject({
      status: 200,
      body: { results: odd.map((registration) => ({ registration })) },
    });
  });
});

describe('A registration that could not be read', () => {
  it('is LOOKUP_UNAVAILABLE, never not found, while the other batches are answered', async () => {
    api.faults.inject(({ body }) => (body.includes('"AA120"') ? 'error' : undefined));
    const { status, body } = await verify(plates.slice(0, 150));
    expect(status).toBe(200);
    const { results } = body as { results: { code?: string }[] };
    expect(results.map(({ code }) => code)).toEqual([...Array(100), ...Array(50).fill('LOOKUP_UNAVAILABLE')]);
  });

  it('is read again, only its policies, when DynamoDB left it unprocessed', async () => {
    api.faults.inject(forOperation('BatchGetItem', onNthCall(1, 'partial')));
    expect((await verify(plates.slice(0, 5))).body).toMatchObject({ successful: 5 });
    expect(batches()).toHaveLength(2);
    for (const { body } of batches())
      expect(body).toContain('"ProjectionExpression":"registration, policies, lastUpdated"');
  });

  it('is LOOKUP_UNAVAILABLE when its record is damaged, while the others are answered', async () => {
    const Item = { ...aVehicle('DAMAGED'), policies: 'none' };
    await api.engine.client.send(new PutCommand({ TableName: api.engine.names.vehicles, Item }));
    const results = [{ code: 'LOOKUP_UNAVAILABLE' }, { insured: true }];
    expect(await verify(['DAMAGED', 'AA1'])).toMatchObject({ status: 200, body: { results } });
  });

  it('makes the response a 500 when no other could be read', async () => {
    api.faults.inject(forOperation('BatchGetItem', always('error')));
    const reply = await verify(plates.slice(0, 5));
    expect([reply.status, rateLimitOf(reply)[0]]).toEqual([500, '6000']);
  });
});
