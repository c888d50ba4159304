import { describe, expect, it } from '@jest/globals';
import { generateKey } from '../../../core/access/api-key.ts';
import { logFailure } from '../../../core/runtime/log.ts';
import { always, forOperation, forTable } from '../../support/fault-choosers.ts';
import { aCompliance, aVehicle, TEST_PLANS } from '../../support/records.ts';
import { type Call, liveId, useApi, useOutput } from '../../support/use-api.ts';

// Read when the functions are loaded, with the first request to each.
process.env.AWS_LAMBDA_INITIALIZATION_TYPE = 'on-demand';
process.env.POWERTOOLS_METRICS_NAMESPACE = 'VehicleVerification/test';

/** Whether the stage logs lookups: request-line-of-logged-lookups.test.ts runs the same tests with it. */
const logsLookups = process.env.LOGS_LOOKUPS === 'yes';

/** Every request has it. Only where lookups are logged it is in the lines of these. */
const REFERENCE = 'case-4711';
/** A value that must not be found in any log line: a registration, a part of a body. */
const CANARY = 'CANARY77';
const KNOWN = `/v1/vehicle/${CANARY}/insurance`;
const FORCED_500 = '/v1/vehicle/ER19ERR/insurance';
const BULK_PATH = '/v1/vehicle/bulk-insurance';
const BULK = { json: { registrations: [CANARY, 'A1', 'A2'] } };
const FORCED_429 = '/v1/compliance/ER19THR';

let testKey: string;
let exhausted: string;
let elsewhere: string;
/** Two units a day. */
let limited: string;
const api = useApi(
  async ({ newKey, loadVehicles, loadCompliance }) => {
    await loadVehicles(aVehicle(CANARY));
    await loadCompliance(aCompliance(CANARY));
    testKey = await newKey({ environment: 'test' });
    exhausted = await newKey({ plan: 'free' }, 60);
    elsewhere = await newKey({ addresses: ['203.0.113.0/24'] });
    limited = await newKey({ plan: 'limited' });
  },
  { logLevel: 'DEBUG', logsLookups, plans: { ...TEST_PLANS, limited: { ...TEST_PLANS.free, unitsPerDay: 2 } } },
);

const written = useOutput();

type Line = Readonly<Record<string, unknown>>;

/** The status of a request, its id, and what is logged meanwhile: lines in EMF and others. */
const logOf = async (path: string, options: Call = { key: api.key }, method = 'GET') => {
  const before = written.length;
  const sent = { ...options, headers: { 'X-Reference': REFERENCE, ...options.headers } };
  const { status, headers, text } = await api.call(method, path, sent);
  const lines = written.slice(before).map((line): Line => JSON.parse(line));
  const [line = {}, ...more] = lines.filter((each) => '_aws' in each);
  expect(more).toEqual([]);
  return {
    status,
    text,
    requestId: headers.get('x-request-id'),
    line,
    others: lines.filter((each) => !('_aws' in each)),
  };
};

const bulk = (key = api.key) => logOf(BULK_PATH, { ...BULK, key }, 'POST');
const bulkWithoutUnits = () => {
  api.faults.inject((call) => (call.body.includes('ADD extraUnits') ? 'error' : undefined));
  return bulk();
};
const THROTTLED = { code: 'RATE_LIMITED', throttled: true };
const lookupThrottledBy = (part: string) => {
  api.faults.inject((call) => (call.body.includes(part) ? 'throttle' : undefined));
  return logOf(KNOWN, { key: limited });
};
const lookupWithoutKeysTable = (path = KNOWN, key = api.key) => {
  api.faults.inject(forTable(api.engine.names.keys, forOperation('GetItem', always('error'))));
  return logOf(path, { key });
};
const create = (raw: string) =>
  logOf('/v1/api/content', { key: api.key, raw, headers: { 'Content-Type': 'application/json' } }, 'POST');

const refer = (reference: string) => logOf(KNOWN, { key: api.key, headers: { 'X-Reference': reference } });

const outcomes: readonly (readonly [string, number, () => ReturnType<typeof logOf>, Line])[] = [
  ['a known vehicle', 200, () => logOf(KNOWN), { endpoint: 'vehicle-insurance', plan: 'premium', units: 1 }],
  ['a bulk request', 200, bulk, { endpoint: 'bulk-insurance', units: 3 }],
  ['no key', 401, () => logOf(KNOWN, {}), { endpoint: 'vehicle-insurance', code: 'UNAUTHORIZED' }],
  ['an unknown vehicle', 404, () => logOf(`/v1/vehicle/X${CANARY}/insurance`), { code: 'VEHICLE_NOT_FOUND' }],
  ['an invalid registration', 400, () => logOf(`/v1/vehicle/${CANARY}_/insurance`), { code: 'INVALID_REGISTRATION' }],
  ['an unknown path', 404, () => logOf(`/v1/${CANARY}`), { endpoint: '$default', code: 'ROUTE_NOT_FOUND' }],
  ['malformed JSON', 400, () => create(`{"${CANARY}`), { endpoint: 'create-content', code: 'MALFORMED_JSON' }],
  ['a wrong value', 400, () => create(`{"title":"${CANARY}"}`), { code: 'VALIDATION_FAILED' }],
  [
    'a reference with the registration',
    400,
    () => refer(`case-${CANARY.toLowerCase()}`),
    { code: 'VALIDATION_FAILED' },
  ],
  ['no quota left', 429, () => logOf(KNOWN, { key: exhausted }), { code: 'RATE_LIMITED', RateLimited: 1 }],
  ['a throttled counter', 429, () => lookupThrottledBy('ADD used'), { ...THROTTLED, RateLimited: 1 }],
  ['a throttled allowance', 429, () => lookupThrottledBy('"allowance#'), { ...THROTTLED, RateLimited: 1 }],
  ['no allowance left', 429, () => bulk(limited), { code: 'ALLOWANCE_EXCEEDED' }],
  ['another address', 403, () => logOf(KNOWN, { key: elsewhere }), { ForbiddenAddresses: 1, keyId: expect.anything() }],
  ['a database error', 500, lookupWithoutKeysTable, { code: 'INTERNAL_ERROR', ServerErrors: 1, DatabaseErrors: 1 }],
  ['units that are lost', 200, bulkWithoutUnits, { endpoint: 'bulk-insurance', LostUnits: 2, units: 1 }],
  ['a test key', 200, () => logOf('/v1/usage', { key: testKey }), { endpoint: 'usage', sandbox: true }],
  ['a forced 500', 500, () => logOf(FORCED_500, { key: testKey }), { sandbox: true }],
  ['a forced 429', 429, () => logOf(FORCED_429, { key: testKey }), { sandbox: true }],
  [
    'a database error where a 500 would be forced',
    500,
    () => lookupWithoutKeysTable(FORCED_500, testKey),
    { ServerErrors: 1, DatabaseErrors: 1, sandbox: true },
  ],
];

const METRICS = ['Requests', 'Latency', 'ServerErrors'];
/** Only their sums are read, so a line without them says the same as one with 0. */
const WHERE_THEY_HAPPEN = ['RateLimited', 'ForbiddenAddresses', 'DatabaseErrors', 'LostUnits'];
const FIELDS = ['requestId', 'endpoint', 'status', 'code', 'keyId', 'plan', 'units', 'sandbox', 'throttled', 'traceId'];
const OF_LOOKUPS = logsLookups ? ['reference', 'lookups'] : [];
const MEMBERS = [
  ...['_aws', 'level', 'timestamp', 'service', ...FIELDS, ...METRICS, ...WHERE_THEY_HAPPEN, 'ColdStart'],
  ...OF_LOOKUPS,
];

describe('The line of a request', () => {
  it('counts the cold start of the first request only', async () => {
    const { line: first } = await logOf(KNOWN);
    expect(first).toMatchObject({ Requests: 1, ColdStart: 1 });
    expect(first._aws).toMatchObject({
      CloudWatchMetrics: [{ Metrics: expect.arrayContaining([{ Name: 'ColdStart', Unit: 'Count' }]) }],
    });
    expect((await logOf(KNOWN)).line).not.toHaveProperty('ColdStart');
  });

  it.each(outcomes)(
    'has the allowed fields and their values, and nothing of the request: %s, %i',
    async (...outcome) => {
      const [, status, send, fields] = outcome;
      const { line, requestId, others, text, ...sent } = await send();
      expect(sent.status).toBe(status);
      const served = status !== 401 && { ServerErrors: 0 };
      expect(line).toMatchObject({ level: 'INFO', requestId, status, Requests: 1, ...served, ...fields });
      expect(Object.keys(line).filter((name) => !MEMBERS.includes(name))).toEqual([]);
      const happened = (members: Line) => WHERE_THEY_HAPPEN.filter((name) => name in members);
      expect(happened(line)).toEqual(happened(fields));
      expect('sandbox' in line).toEqual('sandbox' in fields);
      expect('throttled' in line).toEqual('throttled' in fields);
      if (status === 401 || status === 429 || 'sandbox' in fields) expect(line).not.toHaveProperty('units');
      const secrets = [CANARY, api.key, testKey, exhausted, ...('lookups' in line ? [] : [REFERENCE])];
      expect(secrets.filter((secret) => JSON.stringify([line, others]).includes(secret))).toEqual([]);
      if (status >= 400) expect(text).not.toMatch(/ at \S+:\d|node_modules|dynamo|Exception|test-[0-9a-f]/i);
    },
  );

  it('is in EMF, with level, time and the key id of a known caller', async () => {
    const { line } = await logOf(KNOWN);
    expect(line).toMatchObject({ service: 'vehicle-verification', keyId: liveId(api.key) });
    expect(new Date(String(line.timestamp)).toISOString()).toBe(line.timestamp);
    const Metrics = METRICS.map((Name) => ({ Name, Unit: Name === 'Latency' ? 'Milliseconds' : 'Count' }));
    const CloudWatchMetrics = [{ Namespace: 'VehicleVerification/test', Dimensions: [['service']], Metrics }];
    expect(line._aws).toEqual({ Timestamp: expect.any(Number), CloudWatchMetrics });
    expect((await logOf(KNOWN, { key: generateKey('live') })).line).not.toHaveProperty('keyId');
  });

  it('of a 401 is short, and leaves the share of failed requests as it is', async () => {
    const { status, line } = await logOf(KNOWN, { key: generateKey('live') });
    expect(status).toBe(401);
    expect(JSON.stringify(line).length).toBeLessThan(400);
    expect(line).not.toHaveProperty('ServerErrors');
  });

  it('is followed by a failure line only when something failed, and not when the sandbox forced it', async () => {
    expect((await logOf(KNOWN)).others).toEqual([]);
    expect((await logOf(FORCED_500, { key: testKey })).others).toEqual([]);
    const { others, requestId } = await lookupWithoutKeysTable();
    expect(others).toMatchObject([{ level: 'ERROR', message: 'failure', requestId }]);
    // Not the message of the error, which can quote a key or a body.
    expect(Object.keys(others[0]?.failure ?? {}).sort()).toEqual(['awsAttempts', 'awsStatus', 'frames', 'name']);
    logFailure('r-1', new Error(CANARY));
    const failure = { name: 'Error', frames: expect.any(Array) };
    expect(JSON.parse(written.at(-1) ?? '')).toMatchObject({ requestId: 'r-1', failure });
    expect(written.at(-1)).not.toContain(CANARY);
  });

  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const PARENT = '00f067aa0ba902b7';
  it.each([
    [`00-${TRACE}-${PARENT}-01`, TRACE],
    [`cc-${TRACE}-${PARENT}-00-later`, TRACE],
    [`ff-${TRACE}-${PARENT}-01`, undefined],
    [`00-${'0'.repeat(32)}-${PARENT}-01`, undefined],
    [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
    [`00-${TRACE}-${PARENT}-01-later`, undefined],
  ])('has the trace id of a valid traceparent: %s', async (traceparent, traceId) => {
    expect((await logOf('/v1/usage', { headers: { traceparent } })).line.traceId).toBe(traceId);
  });
});
