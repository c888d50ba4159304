import { describe, expect, it } from '@jest/globals';
import { fillDomain } from '../support/content.ts';
import { forOperation, onNthCall } from '../support/fault-choosers.ts';
import { aCompliance, aPolicy, aVehicle, suppliedByThree } from '../support/records.ts';
import { type Call, type Reply, useApi, useOutput } from '../support/use-api.ts';

process.env.POWERTOOLS_METRICS_NAMESPACE = 'VehicleVerification/test';

const CONTENT = '/v1/api/content';

/** Registrations of full batches and of a last one with two. A batch has 100 keys, of one table or of two. */
const MAX_KEYS = 100;
const plates = Array.from({ length: MAX_KEYS + 2 }, (_, index) => `BATCH${index}`);

const THREE = ['P-1', 'P-2', 'P-3'].map((number) => aPolicy({ number }));

const api = useApi(
  async ({ loadVehicles, loadCompliance, engine }) => {
    const lastYear = aPolicy({ number: 'OLD', validFrom: '2025-01-01', validTo: '2025-12-31' });
    await loadVehicles(aVehicle('AB12CDE', [aPolicy({ number: 'NEW' }), lastYear]));
    await loadVehicles(aVehicle('AB1'), aVehicle('ALONE', THREE), suppliedByThree(aVehicle('SHARED', THREE)));
    await loadCompliance(aCompliance('ALONE'), aCompliance('SHARED'));
    await loadCompliance(aCompliance('AB12CDE'));
    await loadVehicles(...plates.map((plate) => aVehicle(plate)));
    await fillDomain(engine.client, engine.names.content, 'partial.example', 4);
  },
  { logLevel: 'INFO' },
);

const written = useOutput();

const get = (path: string, key = api.key) => api.call('GET', path, { key });
const insuranceOf = (registration: string) => get(`/v1/vehicle/${registration}/insurance`);
const bulk = (what: 'insurance' | 'compliance', registrations: readonly string[]) =>
  api.call('POST', `/v1/vehicle/bulk-${what}`, { key: api.key, json: { registrations } });

/**
 * Which policy answers, and the forms of registrations: test/unit/vehicles. Answers of each endpoint: test/black-box.
 */
describe('A lookup', () => {
  it('decodes a path once: AB%2531 is AB%31, not AB1', async () => {
    expect((await insuranceOf('AB%2531')).status).toBe(400);
    expect((await insuranceOf('AB%31')).status).toBe(200);
  });

  it('of a vehicle of three suppliers has the body and the requests of one without named suppliers', async () => {
    const answersOf = async (registration: string) => {
      api.faults.reset();
      const replies = [
        await insuranceOf(registration),
        await get(`/v1/compliance/${registration}`),
        await bulk('insurance', [registration]),
        await bulk('compliance', [registration]),
      ];
      const bodies = JSON.stringify(replies.map(({ status, body }) => [status, body]));
      return [bodies.replaceAll(registration, ''), api.faults.calls.map(({ operation }) => operation)];
    };
    expect(await answersOf('SHARED')).toEqual(await answersOf('ALONE'));
  });
});

/** The order and the form of results: test/unit/bulk, test/black-box. Batches and their retries: test/unit/dynamodb. */
describe('A bulk request', () => {
  it('returns registrations exactly as they were sent', async () => {
    const odd = ['__proto__', 'constructor', '\u0000', '🚗', 'a'.repeat(5_000)];
    const results = odd.map((registration) => ({ registration, insured: false }));
    expect((await bulk('insurance', odd)).body).toMatchObject({ results });
  });
});

describe('A reference', () => {
  const BULK = '/v1/vehicle/bulk-insurance';
  const referring = (reference: string, path = '/v1/vehicle/AB12CDE/insurance', more: Call = {}) =>
    api.call(more.json ? 'POST' : 'GET', path, { key: api.key, ...more, headers: { 'X-Reference': reference } });
  const issuesOf = ({ body }: Reply) => (body as { errors?: unknown }).errors;

  it.each([
    ['/v1/vehicle/AB12CDE/insurance', 200, undefined],
    ['/v1/vehicle/UNKNOWN1/insurance', 404, undefined],
    ['/v1/compliance/AB12CDE', 200, undefined],
    [BULK, 200, { registrations: ['AB12CDE', '?'] }],
    ['/v1/vehicle/bulk-compliance', 200, { registrations: ['AB12CDE'] }],
  ])('is repeated by the response to a lookup: %s %i', async (path, status, json) => {
    for (const reference of ['a', 'Case.4711/2026:x_y-z', 'x'.repeat(64), 'AB12', '12', 'CDE']) {
      const reply = await referring(reference, path, { ...(json && { json }) });
      expect([reply.status, reply.headers.get('x-reference')]).toEqual([status, reference]);
    }
  });

  it.each(['', 'x'.repeat(65), 'a b', 'ä', 'a,b', 'a"'])(
    'of another form is 400, and not repeated: %j',
    async (text) => {
      const reply = await referring(text);
      const detail = 'must be 1 to 64 letters (A to Z), digits and characters of ._:/-';
      expect(reply).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
      expect(issuesOf(reply)).toEqual([{ parameter: 'X-Reference', detail }]);
      expect(reply.headers.get('x-reference')).toBeNull();
    },
  );

  it.each(['AB12CDE', 'case-ab12.cde/7', 'AB-12-CDE', 'a:b_1/2.c-d:e'])(
    'that contains the registration is 400 with any separators and in any case: %s',
    async (text) => {
      const expected = [{ parameter: 'X-Reference', detail: 'must not contain a registration of the request' }];
      expect(issuesOf(await referring(text))).toEqual(expected);
      expect(issuesOf(await referring(text, '/v1/compliance/ab12%20cde'))).toEqual(expected);
      const json = { registrations: ['ZZ99ZZZ', 'ab12-cde'] };
      expect(issuesOf(await referring(text, BULK, { json }))).toEqual(expected);
      expect(issuesOf(await referring(text, '/v1/vehicle/bulk-compliance', { json }))).toEqual(expected);
    },
  );

  it('that contains a mistyped registration is 400 too, in a single lookup beside its own issue', async () => {
    const single = await referring('AB12_CDE', '/v1/vehicle/AB12_CDE/insurance');
    expect(issuesOf(single)).toMatchObject([{ parameter: 'registration' }, { parameter: 'X-Reference' }]);
    expect((await referring('AB12_CDE', BULK, { json: { registrations: ['AB12_CDE'] } })).status).toBe(400);
  });

  it('may contain a registration that is short, or of letters or digits alone', async () => {
    for (const [text, reference] of [
      ['AB12', 'AB12-7'],
      ['ABCDE', 'abcde.1'],
      ['12345', '2026/12345'],
    ] as const) {
      const reply = await referring(reference, BULK, { json: { registrations: [text] } });
      expect([reply.status, reply.headers.get('x-reference')]).toEqual([200, reference]);
    }
  });

  it.each([BULK, '/v1/vehicle/bulk-compliance'])(
    'is not repeated when a plan permits fewer registrations: %s',
    async (path) => {
      const json = { registrations: Array.from({ length: 101 }, () => 'AB12CDE') };
      const reply = await referring('case-4711', path, { json, key: await api.newKey({ plan: 'free' }) });
      expect([reply.body, reply.headers.get('x-reference')]).toMatchObject([{ code: 'BULK_TOO_LARGE' }, null]);
    },
  );

  it('is ignored by every other endpoint, and not repeated to a caller who is rejected', async () => {
    for (const [path, key] of [
      ['/v1/usage', api.key],
      ['/v1/vehicle/AB12CDE/insurance', await api.newKey({ scopes: [] })],
    ] as const) {
      const reply = await referring('case-4711', path, { key });
      expect([reply.status, reply.headers.get('x-reference')]).toEqual([path === '/v1/usage' ? 200 : 403, null]);
    }
  });
});

/** What was logged of failures, and the metric of database errors. */
const logged = () => {
  const lines = written.map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    failures: lines.filter(({ message }) => message === 'failure'),
    errors: lines.flatMap(({ DatabaseErrors }) => DatabaseErrors ?? []),
  };
};

/** Every other fault: `npm run test:faults`. Lost responses of changes: test/races. */
it.each([
  ['verdict', '/v1/compliance/AB12CDE'],
  ['page of content', `${CONTENT}?domain=partial.example`],
])('A half-read %s is 500, logged and counted as a database error', async (_what, path) => {
  const half = onNthCall(1, 'partial');
  api.faults.inject(forOperation('BatchGetItem', (request) => half(request) ?? 'error'));
  expect((await get(path)).status).toBe(500);
  expect(logged()).toMatchObject({ failures: [{ failure: { name: 'InternalServerError' } }], errors: [1] });
});

it.each(['insurance', 'compliance'] as const)(
  'Registrations of a batch that fails are LOOKUP_UNAVAILABLE, never not found: bulk-%s',
  async (what) => {
    api.faults.inject(({ operation, body }) =>
      operation === 'BatchGetItem' && body.includes(`"${plates.at(-1)}"`) ? 'error' : undefined,
    );
    const reply = await bulk(what, plates);
    const { results } = reply.body as { results: { registration: string; code?: string }[] };
    const unavailable = results.filter(({ code }) => code === 'LOOKUP_UNAVAILABLE');
    expect(reply.status).toBe(200);
    expect(unavailable.map(({ registration }) => registration)).toEqual(plates.slice(MAX_KEYS));
    expect(logged().errors).toEqual([1]);
  },
);
