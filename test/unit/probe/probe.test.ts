import { DeleteCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { generateKey, hashKey } from '../../../core/access/api-key.ts';
import { SCOPES } from '../../../core/access/scopes.ts';
import { prefixedTableNames, tables } from '../../../core/tables.ts';
import { matchRoute } from '../../../functions/endpoints/match-route.ts';
import { endpoints } from '../../../functions/endpoints/table.ts';
import type { Endpoint } from '../../../functions/http/endpoint-definition.ts';
import { handler } from '../../../functions/probe/handler.ts';
import { keyOfToday, type ProbeKey } from '../../../functions/probe/probe-key.ts';
import { smokeTest } from '../../../functions/probe/smoke-test.ts';
import { createTables } from '../../../local/engine/create-tables.ts';
import { storeItems } from '../../../local/sample-database.ts';
import { inconsistenciesOf } from '../../support/content.ts';
import { always, forOperation, forTable } from '../../support/fault-choosers.ts';
import { NOON } from '../../support/records.ts';
import { failure, runAdminCommand } from '../../support/use-admin.ts';
import { liveId, useApi, useOutput } from '../../support/use-api.ts';

// Read when the functions are loaded, with the first request to each.
process.env.AWS_LAMBDA_INITIALIZATION_TYPE = 'on-demand';
process.env.POWERTOOLS_METRICS_NAMESPACE = 'VehicleVerification/test';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const now = new Date(NOON);

const api = useApi(undefined, { logLevel: 'INFO' });
/** Of the smoke tests. */
let key: ProbeKey;
beforeAll(async () => {
  key = await keyOfToday(now);
});
const written = useOutput();

const probeKey = async () => (await keyOfToday(now)).key;
const probeRecords = async () => {
  const { Items = [] } = await api.engine.client.send(new ScanCommand({ TableName: api.engine.names.keys }));
  return Items.filter(({ id }) => String(id).startsWith('probe-'));
};

/** What is logged meanwhile. */
const logOf = async (work: () => Promise<unknown>) => {
  const before = written.length;
  await work();
  return written.slice(before).map((line) => JSON.parse(line));
};

it('A cold start by a request of the probe is in no metric, and is not counted for the next request either', async () => {
  const ask = (key: string) => logOf(() => api.call('GET', '/v1/vehicle/AB12CDE/insurance', { key }));
  await ask(await probeKey());
  const [line] = await ask(api.key);
  expect(line).toMatchObject({ Requests: 1 });
  expect(line).not.toHaveProperty('ColdStart');
});

/** One run of the probe a minute after the one before; what it found wrong. */
const run = (): Promise<readonly string[]> => {
  api.clock.now += MINUTE_MS;
  return smokeTest(api.origin, key, new Date(api.clock.now));
};

type IsFailing = (method: string, path: string) => boolean;
type Ask = () => Promise<Response>;

const disconnect = async (): Promise<never> => {
  throw new TypeError('fetch failed', { cause: new Error('other side closed') });
};
/** What a request of the probe gets from the network, or from API Gateway in place of the service. */
const FAULTS = {
  error: async () => Response.json({ message: 'Service Unavailable' }, { status: 503 }),
  resetBefore: disconnect,
  resetAfter: (ask: Ask) => ask().then(disconnect),
  truncateJson: async (ask: Ask) => {
    const response = await ask();
    return new Response((await response.text()).slice(0, -9), response);
  },
} as const;

/** Lets `respond` answer the requests of the probe; `ask` sends one. */
const answerWith = (respond: (ask: Ask, method: string, path: string) => Promise<Response>) => {
  const { fetch } = globalThis;
  return jest
    .spyOn(globalThis, 'fetch')
    .mockImplementation((address, init = {}) =>
      respond(() => fetch(address, init), init.method ?? '', new URL(String(address)).pathname),
    );
};

/** One run of the probe some of whose requests fail. */
const failingWith = async (fault: keyof typeof FAULTS, isFailing: IsFailing) => {
  const { mockRestore } = answerWith((ask, method, path) => (isFailing(method, path) ? FAULTS[fault](ask) : ask()));
  return run().finally(mockRestore);
};

/** Data that is no promise: of sandbox vehicles, and of the probe's key. */
const DATA = /"(insurer|number|type|validFrom|validTo|make|color|name|plan|environment)":"[^"]*"/g;

/** Changes headers, status and data of every response that the probe gets, and adds a field. */
const changeResponses = (change: (headers: Headers) => void, status?: number) =>
  answerWith(async (ask) => {
    const response = await ask();
    const headers = new Headers(response.headers);
    change(headers);
    if (response.status === 204) return new Response(null, { status: status ?? 204, headers });
    // A text as body would get a `Content-Type` of its own.
    const changed = JSON.parse((await response.text()).replace(DATA, '"$1":"another"'));
    const body = Buffer.from(JSON.stringify({ ...changed, newest: 1 }));
    return new Response(body, { status: status ?? response.status, headers });
  });

const isOf =
  ({ method, paths }: Endpoint) =>
  (sent: string, path: string) =>
    sent === method && paths.some((template) => matchRoute(template, path) !== undefined);
const entries = async () => {
  const { client, names } = api.engine;
  const { Items = [] } = await client.send(new ScanCommand({ TableName: names.content, ConsistentRead: true }));
  return Items as { pk: string; sk: string; members?: number }[];
};
const itemsLeft = async () => (await entries()).filter(({ sk }) => sk === 'item').length;

describe('The smoke test of the probe', () => {
  it('finds nothing wrong with versions that have other data and further fields', async () => {
    changeResponses(() => undefined);
    expect(await run()).toEqual([]);
  });

  const rows = Object.values(endpoints).map((row) => [row.id, row] as const);
  it.each(rows)(
    'names the endpoint %s when API Gateway answers in its place, and leaves at most one item',
    async (id, row) => {
      const isNamed = new RegExp(`^${row.method} /\\S+: its status is 503, not \\d+ \\(Service Unavailable\\)$`);
      const runs = row.tag === 'Content' ? 2 : 1;
      for (let nth = 0; nth < runs; nth += 1) {
        const failures = await failingWith('error', isOf(row));
        const unsent = failures.length === 0 ? [`functions/probe/smoke-test.ts sends no request to ${id}`] : [];
        expect([...unsent, ...failures.filter((failure) => !isNamed.test(failure))]).toEqual([]);
      }
      expect(await itemsLeft()).toBeLessThanOrEqual(runs - 1);
      if (runs > 1) {
        expect(await run()).toEqual([]);
        expect(await itemsLeft()).toBe(0);
      }
    },
  );

  it.each([
    ['resetBefore', /^GET \/v1\/usage cannot be reached: ./],
    ['truncateJson', /^GET \/v1\/usage: its body is another one$/],
  ] as const)('fails on the fault %s', async (fault, failure) => {
    const failures = await failingWith(fault, isOf(endpoints.usage));
    expect(failures).toEqual([expect.stringMatching(failure)]);
  });

  it('fails when a response does not come in time', async () => {
    jest
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation(() => AbortSignal.abort(new DOMException('late', 'TimeoutError')));
    expect(await run()).toContain('GET /v1/usage did not answer in time');
  });

  it.each([
    'x-ratelimit-limit x-ratelimit-remaining x-ratelimit-reset x-request-id cache-control x-content-type-options content-type',
    'location etag',
  ])('names each header that a response does not have: %s', async (headers) => {
    const names = headers.split(' ');
    changeResponses((sent) => {
      for (const name of names) sent.delete(name);
    });
    const failures = (await run()).join();
    expect(names.filter((name) => !failures.includes(`its header ${name} is ""`))).toEqual([]);
  });

  it('fails when a response has another status of the same class', async () => {
    changeResponses(() => undefined, 203);
    expect(await run()).toContain('GET /v1/usage: its status is 203, not 200');
  });

  it('fails when a response says that the key is a test key', async () => {
    changeResponses((headers) => headers.set('x-sandbox', 'true'));
    expect(await run()).toContain('GET /v1/usage: its header x-sandbox is "true"');
  });
});

describe('What the probe leaves', () => {
  it('is no item, no slug and no member, but counters of nothing', async () => {
    expect(await run()).toEqual([]);
    expect(await run()).toEqual([]);
    expect(await run()).toEqual([]);
    const left = new Set((await entries()).map(({ pk, members }) => `${pk} ${members}`));
    expect(left).toEqual(new Set(['probe#counters#all 0', 'probe#counters#domain:probe.example 0']));
    expect(await inconsistenciesOf(api.engine.client, api.engine.names.content)).toEqual([]);
  });

  it('stays bounded and is reported while the service confirms deletions that it does not make', async () => {
    const { mockRestore } = answerWith(async (ask, method) => {
      if (method !== 'DELETE') return ask();
      const { headers } = await fetch(`${api.origin}/v1/usage`, { headers: { 'X-API-Key': key.key } });
      return new Response(null, { status: 204, headers });
    });
    expect(await run()).toEqual([]);
    for (let runs = 0; runs < 2; runs += 1) {
      expect(await run()).toEqual(['DELETE /v1/api/content/{id}: items that were deleted are still listed']);
    }
    expect(await itemsLeft()).toBe(1);
    mockRestore();
    expect(await run()).toEqual([]);
    expect(await itemsLeft()).toBe(0);
  });

  it('stays bounded while every response is lost after the service has done its work', async () => {
    for (let runs = 0; runs < 2; runs += 1) await failingWith('resetAfter', () => true);
    expect(await itemsLeft()).toBeLessThanOrEqual(1);
    for (let runs = 0; runs < 2; runs += 1) await failingWith('resetAfter', isOf(endpoints['create-content']));
    await run();
    expect(await itemsLeft()).toBe(0);
  });

  it('is not deleted by a run that began at the same time', async () => {
    api.clock.now += MINUTE_MS;
    const now = new Date(api.clock.now);
    const both = await Promise.all([smokeTest(api.origin, key, now), smokeTest(api.origin, key, now)]);
    expect(both).toEqual([[], []]);
  });
});

it('A key of the probe is one for each London day, valid on that day and the next, and then removed by DynamoDB', async () => {
  // 25 October in London, which has 25 hours.
  const night = Date.parse('2026-10-24T23:30:00Z');
  const { id, key } = await keyOfToday(new Date(night));
  expect((await keyOfToday(new Date(night + DAY_MS))).id).toBe(id);
  expect((await probeRecords()).filter(({ expires }) => expires === '2026-10-26')).toEqual([
    {
      id,
      hash: hashKey(key),
      name: 'Probe',
      plan: 'probe',
      scopes: SCOPES,
      createdAt: '2026-10-24T23:30:00.000Z',
      expires: '2026-10-26',
      [tables.keys.timeToLiveAttribute]: night / 1_000 + (3 * DAY_MS) / 1_000,
    },
  ]);
  expect((await keyOfToday(new Date(night + 2 * DAY_MS))).id).not.toBe(id);
});

it('A request with a key of the probe is logged as the probe’s and in no metric; a forged one is counted like every 401', async () => {
  const linesWith = (of: string) => logOf(() => api.call('GET', '/v1/vehicle/AB12CDE/insurance', { key: of }));
  const lines = await linesWith(await probeKey());
  expect(lines).toMatchObject([{ endpoint: 'vehicle-insurance', status: 200, probe: true }]);
  expect(lines.filter((line) => '_aws' in line)).toEqual([]);
  const forged = await linesWith(generateKey('probe'));
  expect(forged).toMatchObject([{ status: 401, code: 'UNAUTHORIZED', Requests: 1, _aws: {} }]);
  expect(forged[0]).not.toHaveProperty('probe');
});

describe('The line of a run', () => {
  const lineOf = async (at = NOON) => {
    process.env.PROBED_ORIGIN = api.origin;
    jest.useFakeTimers({ now: at, doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'queueMicrotask'] });
    let failures: readonly string[] = [];
    const logged = await logOf(async () => {
      failures = await handler();
    });
    jest.useRealTimers();
    const lines = logged.filter((line) => 'ProbeFailures' in line);
    // Who invokes it is told the same.
    expect(failures).toEqual(lines[0]?.failures);
    return lines;
  };

  it('has the metric of the alarm, 0 when all is well', async () => {
    const metric = { Namespace: 'VehicleVerification/test', Dimensions: [['service']], Metrics: [expect.anything()] };
    const fields = { level: 'INFO', service: 'vehicle-verification', ProbeFailures: 0, failures: [] };
    expect(await lineOf()).toMatchObject([{ ...fields, _aws: { CloudWatchMetrics: [metric] } }]);
  });

  it('has the metric 1 with no more than the name of the error while the key cannot be stored', async () => {
    const nextDay = NOON + DAY_MS;
    api.faults.inject(forTable(api.engine.names.keys, forOperation('PutItem', always('deny'))));
    const failures = ['its key could not be stored: AccessDeniedException'];
    expect(await lineOf(nextDay)).toMatchObject([{ ProbeFailures: 1, failures }]);
    api.faults.reset();
    expect(await lineOf(nextDay)).toMatchObject([{ ProbeFailures: 0 }]);
  });

  it('has the metric 1 and what failed, when every key is rejected', async () => {
    await api.keys.revoke((await keyOfToday(now)).id, { by: 'tester', at: now });
    const [line] = await lineOf();
    expect(line).toMatchObject({ level: 'ERROR', ProbeFailures: 1 });
    expect(line.failures).toContain('GET /v1/vehicle/AB12CDE/insurance: its status is 401, not 200 (UNAUTHORIZED)');
    expect(await lineOf()).toMatchObject([{ ProbeFailures: 1 }]);
  });

  it('is not written without an origin: the minute has no data', async () => {
    process.env.PROBED_ORIGIN = '';
    await expect(handler()).rejects.toThrow('missing environment variables: PROBED_ORIGIN');
  });
});

describe('The operators’ commands', () => {
  const run = (...args: string[]) => runAdminCommand([...args, '--dynamodb', api.engine.endpoint], api.engine.names);

  it('neither list, accept nor make a key of the probe', async () => {
    const { id } = await keyOfToday(now);
    const before = await probeRecords();
    const { exitCode, stdout } = await run('keys', 'list', '--json');
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain(id);
    expect(stdout).toContain(liveId(api.key));
    for (const [command = '', ...options] of [['revoke'], ['rotate'], ['usage'], ['update', '--plan', 'free']]) {
      expect(await run('keys', command, id, ...options)).toEqual(failure("a key's id has 20 hexadecimal digits"));
    }
    const created = await run('keys', 'create', '--name', 'A', '--plan', 'free', '--env', 'probe');
    expect(created).toEqual(failure('Allowed choices are live, test'));
    expect(await probeRecords()).toEqual(before);
  });

  it('do not restore the keys of the probe', async () => {
    const { client, names } = api.engine;
    await keyOfToday(now);
    const { Items = [] } = await client.send(new ScanCommand({ TableName: names.keys }));
    const restored = prefixedTableNames(`${names.keys}-restored-`);
    await createTables(client, restored);
    await storeItems(client, restored.keys, Items);
    const deleted = [...(await probeRecords()).map(({ id }) => id), liveId(api.key)];
    for (const id of deleted) await client.send(new DeleteCommand({ TableName: names.keys, Key: { id } }));
    const { exitCode, stdout } = await run('keys', 'restore', '--from', restored.keys);
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain('probe-');
    expect(stdout).toMatch(new RegExp(`^${liveId(api.key)} .*restored$`, 'm'));
    expect(await probeRecords()).toEqual([]);
  });
});
