import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApi, type TestApi } from '../support/api.ts';
import { forOperation, onNthCall } from '../support/fault-choosers.ts';
import { aPolicy, aVehicle } from '../support/records.ts';

let api: TestApi;
let key: string;

const plates = Array.from({ length: 1_000 }, (_, index) => `AA${index}`);

beforeAll(async () => {
  api = await startApi();
  key = await api.newKey();
  await api.loadVehicles(
    ...plates.slice(0, 990).map((plate) => aVehicle(plate)),
    aVehicle('LAPSED', [aPolicy({ validTo: '2026-06-14' })]),
    aVehicle('NOPOLICY', []),
  );
});
afterAll(() => api.stop());

const verify = (registrations: unknown, as = key) =>
  api.call('POST', '/v1/vehicle/bulk-insurance', { key: as, json: { registrations } });

const NOT_FOUND = { insured: false, error: expect.any(String), code: 'VEHICLE_NOT_FOUND' };

describe('POST /v1/vehicle/bulk-insurance', () => {
  it('returns one result per entry, in order, duplicates included', async () => {
    const { status, body } = await verify(['aa 1', 'ZZ99ZZZ', 'LAPSED', 'AA1', 'not a plate!', 'NOPOLICY', '']);
    expect(status).toBe(200);
    expect(body).toEqual({
      results: [
        { registration: 'aa 1', insured: true, policy: aPolicy() },
        { registration: 'ZZ99ZZZ', ...NOT_FOUND },
        { registration: 'LAPSED', insured: false, policy: aPolicy({ validTo: '2026-06-14' }) },
        { registration: 'AA1', insured: true, policy: aPolicy() },
        { registration: 'not a plate!', insured: false, error: expect.any(String), code: 'INVALID_REGISTRATION' },
        { registration: 'NOPOLICY', insured: false, policy: null },
        { registration: '', insured: false, error: expect.any(String), code: 'INVALID_REGISTRATION' },
      ],
      processed: 7,
      successful: 4,
      failed: 3,
    });
  });

  it('verifies 1,000 registrations in one request, ten reads at once', async () => {
    api.faults.reset();
    const { status, body } = await verify(plates);
    expect(status).toBe(200);
    expect(body).toMatchObject({ processed: 1_000, successful: 990, failed: 10 });
    expect(api.faults.calls.filter(({ operation }) => operation === 'BatchGetItem').length).toBeGreaterThanOrEqual(10);
  });

  it('reads a registration once, however often it is sent', async () => {
    api.faults.reset();
    const { body } = await verify(Array.from({ length: 1_000 }, () => 'AA1'));
    expect(body).toMatchObject({ successful: 1_000 });
    expect(api.faults.calls.filter(({ operation }) => operation === 'BatchGetItem')).toHaveLength(1);
  });

  it.each([
    ['free', 100],
    ['standard', 500],
    ['premium', 1_000],
  ] as const)('takes as many as the %s plan allows, %i, and not one more', async (plan, size) => {
    const as = await api.newKey({ plan });
    const registrations = Array.from({ length: size }, () => 'AA1');
    expect((await verify(registrations, as)).status).toBe(200);
    const { status, body } = await verify([...registrations, 'AA2'], as);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'BULK_TOO_LARGE', detail: expect.stringContaining(String(size + 1)) });
    expect(body).toMatchObject({ detail: expect.stringContaining(`at most ${size}`) });
  });

  it('reads nothing for more than any plan allows', async () => {
    api.faults.reset();
    const { body } = await verify(Array.from({ length: 5_000 }, (_, index) => `AA${index}`));
    expect(body).toMatchObject({ code: 'BULK_TOO_LARGE' });
    expect(api.faults.calls.filter(({ operation }) => operation === 'BatchGetItem')).toHaveLength(0);
  });

  it.each([
    ['an empty list', [], '/registrations'],
    ['no list', 'AA1', '/registrations'],
    ['null', null, '/registrations'],
  ])('returns 400 for %s', async (_what, registrations, pointer) => {
    const { status, body } = await verify(registrations);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ pointer }] });
  });

  it('names every entry that is not a string', async () => {
    const { status, body } = await verify([
      'AA1',
      1,
      null,
      'AA2',
      { a: 1 },
      ['AA3'],
      ...Array.from({ length: 20 }, () => 7),
    ]);
    expect(status).toBe(400);
    const { errors } = body as { errors: { pointer: string; detail: string }[] };
    expect(errors).toHaveLength(24);
    expect(errors[0]).toEqual({ pointer: '/registrations/1', detail: 'must be a string' });
  });

  it('names a missing list and an unknown field', async () => {
    const { status, body } = await api.call('POST', '/v1/vehicle/bulk-insurance', { key, json: { plates: ['AA1'] } });
    expect(status).toBe(400);
    expect((body as { errors: unknown }).errors).toEqual(
      expect.arrayContaining([
        { pointer: '/registrations', detail: 'is required' },
        { pointer: '/plates', detail: 'is not a field of this request' },
      ]),
    );
  });

  it('echoes registrations unchanged, whatever they hold', async () => {
    const odd = ['__proto__', 'constructor', '\u0000', '🚗', 'a'.repeat(5_000)];
    const { status, body } = await verify(odd);
    expect(status).toBe(200);
    expect((body as { results: { registration: string }[] }).results.map((result) => result.registration)).toEqual(odd);
  });
});

describe('A registration that could not be read', () => {
  it('is LOOKUP_UNAVAILABLE, never not found, while the others are answered', async () => {
    // Of the reads of 150 plates, the one that holds plate AA120 always fails.
    api.faults.inject(({ operation, body }) =>
      operation === 'BatchGetItem' && body.includes('"AA120"') ? 'error' : undefined,
    );
    const { status, body } = await verify(plates.slice(0, 150));
    api.faults.reset();
    expect(status).toBe(200);
    const { results, failed } = body as { results: { code?: string }[]; failed: number };
    expect(failed).toBe(50);
    expect(results.slice(0, 100).every((result) => result.code === undefined)).toBe(true);
    expect(results.slice(100).every((result) => result.code === 'LOOKUP_UNAVAILABLE')).toBe(true);
  });

  it('is asked for again when DynamoDB left it undone, and again for nothing but its policies', async () => {
    api.faults.inject(forOperation('BatchGetItem', onNthCall(1, 'partial')));
    const { body } = await verify(plates.slice(0, 5));
    const reads = api.faults.calls.filter(({ operation }) => operation === 'BatchGetItem');
    api.faults.reset();
    expect(body).toMatchObject({ successful: 5 });
    expect(reads).toHaveLength(2);
    for (const read of reads) expect(read.body).toContain('"ProjectionExpression":"registration, policies"');
  });

  it('is LOOKUP_UNAVAILABLE when its record is damaged, while the others are answered', async () => {
    const Item = { ...aVehicle('DAMAGED'), policies: 'none' };
    await api.engine.client.send(new PutCommand({ TableName: api.engine.names.vehicles, Item }));
    const { status, body } = await verify(['DAMAGED', 'AA1']);
    expect(status).toBe(200);
    expect(body).toMatchObject({ results: [{ code: 'LOOKUP_UNAVAILABLE' }, { insured: true }] });
  });

  it('makes the answer a 500 when nothing at all could be read', async () => {
    api.faults.inject(({ operation }) => (operation === 'BatchGetItem' ? 'error' : undefined));
    const { status, headers } = await verify(plates.slice(0, 5));
    api.faults.reset();
    expect(status).toBe(500);
    expect(headers.get('x-ratelimit-limit')).toBe('6000');
  });
});
