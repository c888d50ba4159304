import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { generateKey, hashKey, keyIdOf } from '../../core/access/api-key.ts';
import { windowAt } from '../../core/access/plans.ts';
import type { Call } from '../support/api.ts';
import { catchOutput } from '../support/caught-output.ts';
import { NOON } from '../support/clock.ts';
import { always, forOperation, forTable } from '../support/fault-choosers.ts';
import { aVehicle } from '../support/records.ts';
import { testApi } from '../support/test-api.ts';

// Read when the functions are loaded, with the first request to each.
process.env.AWS_LAMBDA_INITIALIZATION_TYPE = 'on-demand';
process.env.POWERTOOLS_METRICS_NAMESPACE = 'VehicleVerification/test';

const api = testApi(({ loadVehicles }) => loadVehicles(aVehicle('AB12CDE')), { logLevel: 'INFO' });
afterEach(() => {
  jest.restoreAllMocks();
});

type Line = Readonly<Record<string, unknown>>;

/** The status of a request, its id, and what is logged meanwhile: lines in EMF and others. */
const logOf = async (path: string, options: Call = {}) => {
  const written = catchOutput();
  const { status, headers } = await api.call('GET', path, options);
  jest.restoreAllMocks();
  const lines = written.map((line): Line => JSON.parse(line));
  const requests = lines.filter((line) => '_aws' in line);
  const others = lines.filter((line) => !('_aws' in line));
  return { status, requestId: headers.get('x-request-id'), requests, others };
};

const KNOWN = '/v1/vehicle/AB12CDE/insurance';
const lookup = async (key?: string) => logOf(KNOWN, { key: key ?? api.key });

/** A key whose limit of this minute is used up. */
const exhaustedKey = async (): Promise<string> => {
  const key = await api.newKey({ plan: 'free' });
  const increment = () => api.usage.increment(keyIdOf(hashKey(key)), windowAt(new Date(NOON)));
  await Promise.all(Array.from({ length: 60 }, increment));
  return key;
};

const lookupWithoutKeysTable = () => {
  api.faults.inject(forTable(api.engine.names.keys, forOperation('GetItem', always('error'))));
  return lookup();
};

type Outcome = readonly [string, number, () => ReturnType<typeof logOf>, Line];
const outcomes: readonly Outcome[] = [
  ['a known vehicle', 200, lookup, { endpoint: 'vehicle-insurance', plan: 'premium' }],
  ['no key', 401, () => logOf(KNOWN), { endpoint: 'vehicle-insurance', code: 'UNAUTHORIZED' }],
  ['an unknown key', 401, () => lookup(generateKey('live')), { code: 'UNAUTHORIZED' }],
  [
    'an unknown vehicle',
    404,
    () => logOf('/v1/vehicle/ZZ99ZZZ/insurance', { key: api.key }),
    { code: 'VEHICLE_NOT_FOUND', plan: 'premium' },
  ],
  [
    'an unknown path',
    404,
    () => logOf('/v1/nothing', { key: api.key }),
    { endpoint: '$default', code: 'ROUTE_NOT_FOUND' },
  ],
  ['no quota left', 429, async () => lookup(await exhaustedKey()), { code: 'RATE_LIMITED', RateLimited: 1 }],
  ['a database error', 500, lookupWithoutKeysTable, { code: 'INTERNAL_ERROR', ServerErrors: 1, DatabaseErrors: 1 }],
];

const METRICS = ['Requests', 'Latency', 'ServerErrors'];
/** Only their sums are read, so a line without them says the same as one with 0. */
const WHERE_THEY_HAPPEN = ['RateLimited', 'DatabaseErrors'];
const FIELDS = ['requestId', 'endpoint', 'status', 'code', 'keyId', 'plan', 'sandbox', 'traceId'];
const MEMBERS = ['_aws', 'level', 'timestamp', 'service', ...FIELDS, ...METRICS, ...WHERE_THEY_HAPPEN];

describe('The line of a request', () => {
  let first: Awaited<ReturnType<typeof logOf>>;
  beforeAll(async () => {
    first = await lookup();
  });

  it('counts the cold start of the first request only', async () => {
    expect(first.requests).toMatchObject([{ Requests: 1, ColdStart: 1 }]);
    expect(first.requests[0]?._aws).toMatchObject({
      CloudWatchMetrics: [{ Metrics: expect.arrayContaining([{ Name: 'ColdStart', Unit: 'Count' }]) }],
    });
    expect((await lookup()).requests[0]).not.toHaveProperty('ColdStart');
  });

  it.each(outcomes)(
    'is one line in EMF with level, time and the allowed fields: %s, %i',
    async (...[, status, send, fields]) => {
      const sent = await send();
      const [line = {}, ...more] = sent.requests;
      expect([sent.status, more]).toEqual([status, []]);
      const metrics = [...METRICS, ...WHERE_THEY_HAPPEN.filter((name) => name in fields)];
      const { requestId } = sent;
      expect(line).toMatchObject({ level: 'INFO', requestId, status, Requests: 1, ServerErrors: 0, ...fields });
      expect(new Date(String(line.timestamp)).toISOString()).toBe(line.timestamp);
      expect(Object.keys(line).filter((name) => !MEMBERS.includes(name))).toEqual([]);
      expect(line._aws).toEqual({
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: 'VehicleVerification/test',
            Dimensions: [['service']],
            Metrics: metrics.map((Name) => ({ Name, Unit: Name === 'Latency' ? 'Milliseconds' : 'Count' })),
          },
        ],
      });
      expect(line.service).toBe('vehicle-verification');
      expect(Object.keys(line).filter((name) => WHERE_THEY_HAPPEN.includes(name))).toEqual(
        metrics.slice(METRICS.length),
      );
      for (const name of metrics) expect(line[name]).toEqual(expect.any(Number));
    },
  );

  it('has the key id of a known caller, but neither the key nor the registration', async () => {
    const { requests } = await lookup();
    expect(requests).toMatchObject([{ keyId: keyIdOf(hashKey(api.key)) }]);
    for (const secret of [api.key, 'AB12CDE']) expect(JSON.stringify(requests)).not.toContain(secret);
    expect((await lookup(generateKey('live'))).requests[0]).not.toHaveProperty('keyId');
  });

  it('is followed by a failure line only when something failed', async () => {
    expect((await lookup()).others).toEqual([]);
    const { others, requestId } = await lookupWithoutKeysTable();
    expect(others).toMatchObject([{ level: 'ERROR', message: 'failure', requestId }]);
    // Not the message of the error, which can quote a key or a body.
    expect(Object.keys(others[0]?.failure ?? {}).sort()).toEqual(['awsAttempts', 'awsStatus', 'frames', 'name']);
  });
});
