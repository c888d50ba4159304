/** What the handlers do before they know their caller, and what they make of events that a gateway need not send. */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { generateKey, hashKey, keyIdOf, parseApiKey } from '../../core/access/api-key.ts';
import { recentMap } from '../../core/access/recent-map.ts';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { admissionBesideLoad } from '../../functions/http/early-load.ts';
import type { GatewayHandler } from '../../functions/http/http-function.ts';
import { type FunctionId, importFileOf } from '../../lib/endpoint-files.ts';
import { documents } from '../../lib/openapi/endpoint-documents.ts';
import type { Reply } from '../support/api.ts';
import { catchOutput } from '../support/caught-output.ts';
import { NOON } from '../support/clock.ts';
import { fillDomain } from '../support/content.ts';
import { storeItems } from '../support/engine.ts';
import { always, forOperation, forTable } from '../support/fault-choosers.ts';
import { httpRequest } from '../support/http-request.ts';
import { aCounter } from '../support/records.ts';
import { testApi } from '../support/test-api.ts';

/** Maximum size in bytes of a body that a lookup reads before admission. */
const EARLY_BYTES = 16_000;

const api = testApi(({ engine }) => fillDomain(engine.client, engine.names.content, 'a.example', 3));
afterEach(() => {
  jest.restoreAllMocks();
  delete process.env.DOCS_URL;
});

const ids = Object.keys(endpoints) as EndpointId[];

const invoke = async (id: FunctionId, key: string | undefined, rest: object = {}) => {
  const { handler } = await importFileOf<{ readonly handler: GatewayHandler }>(id, 'handler.ts');
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) };
  // Object.defineProperties keeps the getter of a body, which spreading would call.
  const event = { headers, requestContext: { requestId: 'r-1', timeEpoch: NOON } };
  return handler(Object.defineProperties(event, Object.getOwnPropertyDescriptors(rest)), {} as Context);
};

/** The result of some work while keys cannot be read: what waits for admission does not begin. */
const beforeAdmission = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  api.faults.inject(forTable(api.engine.names.keys, forOperation('GetItem', always('error'))));
  const result = await work();
  api.faults.reset();
  return result;
};

it.each<FunctionId>([...ids, 'not-found'])(
  'Without a well-formed key %s responds with 401, and reads neither body nor database',
  async (id) => {
    const bodyRead = jest.fn();
    const withBody = () => ({
      get body() {
        bodyRead();
        return '{}';
      },
    });
    for (const key of [undefined, '', 'hunter2', `${generateKey('live')}x`]) {
      const { statusCode, headers } = await invoke(id, key, withBody());
      expect([statusCode, headers]).toEqual([401, expect.objectContaining({ 'WWW-Authenticate': 'Bearer' })]);
    }
    expect(bodyRead).not.toHaveBeenCalled();
    expect(api.faults.calls).toHaveLength(0);
  },
);

/** What a cheap body is: test/http/input.test.ts. */
describe('A body', () => {
  /** A JSON body of this size whose validation fails. */
  const bodyOf = (bytes: number): string => {
    const [start, end] = ['{"registrations":["\\u0041",', '1]}'];
    return start.padEnd(bytes - end.length) + end;
  };
  /** How often a body of this size is parsed. */
  const countParsing = async (id: EndpointId, key: string, bytes: number): Promise<number> => {
    const body = bodyOf(bytes);
    const parse = jest.spyOn(JSON, 'parse');
    await invoke(id, key, { body });
    const count = parse.mock.calls.filter(([text]) => text === body).length;
    parse.mockRestore();
    return count;
  };

  it.each(ids.filter((id) => documents[id].body !== undefined))(
    'for %s with an unknown key is parsed if it is cheap and the endpoint writes nothing',
    async (id) => {
      expect(await countParsing(id, generateKey('live'), EARLY_BYTES)).toBe(id.startsWith('bulk-') ? 1 : 0);
      expect(await countParsing(id, generateKey('live'), EARLY_BYTES + 1)).toBe(0);
    },
  );

  it('of a larger bulk request is parsed after admission, or during admission if the key was recently admitted', async () => {
    const key = await api.newKey();
    const parsed = () => countParsing('bulk-insurance', key, EARLY_BYTES + 1);
    expect([await beforeAdmission(parsed), await parsed(), await beforeAdmission(parsed)]).toEqual([0, 1, 1]);
  });
});

it('Admission sends its requests before those of the lookup, whose parsing would delay a rejection', async () => {
  const sent: string[] = [];
  const findKey = async () => void sent.push('key') as undefined;
  const store = { findKey, incrementUsage: async () => sent.push('counter'), overused: recentMap<number>() };
  const load = { before: async () => void sent.push('vehicle') };
  const { before } = admissionBesideLoad(store, 'vehicles:read', load, recentMap());
  const key = parseApiKey(generateKey('test'));
  await expect(before(httpRequest({}, { ...(key && { key }) }))).rejects.toThrow('Send a valid API key');
  expect(sent).toEqual(['key', 'counter', 'vehicle']);
});

describe('An expensive read', () => {
  type Request = (key: string) => Promise<Reply>;
  const bulk =
    (count: number, id = 'bulk-insurance'): Request =>
    (key) => {
      const registrations = Array.from({ length: count }, (_, index) => `AA${index}`);
      return api.call('POST', `/v1/vehicle/${id}`, { key, json: { registrations } });
    };
  const list: Request = (key) => api.call('GET', '/v1/api/content?domain=a.example', { key });
  const listOfEveryDomain: Request = (key) => api.call('GET', '/v1/api/content', { key });

  /** The status of a request, and how many reads it started: each batch of vehicles, and the counters of each list. */
  const outcomeOf = async (request: Request, key: string): Promise<[number, number]> => {
    const before = api.faults.calls.length;
    const { status } = await request(key);
    const { vehicles, content } = api.engine.names;
    const reads = api.faults.calls
      .slice(before)
      .filter(
        ({ tables, body }) => tables.includes(vehicles) || (tables.includes(content) && body.includes('counters#')),
      );
    return [status, reads.length];
  };
  const outcomeBeforeAdmission = (request: Request, key: string) => beforeAdmission(() => outcomeOf(request, key));

  describe.each([
    ['of 300 registrations', bulk(300), 3],
    ['of a list of content', list, 1],
  ])('%s', (_what, request, reads) => {
    it('does not begin for a key that is unknown, revoked or without the scope', async () => {
      const revoked = await api.newKey({ revokedAt: '2026-01-01T00:00:00.000Z' });
      const unscoped = await api.newKey({ scopes: ['compliance:read'] });
      expect(await outcomeOf(request, generateKey('live'))).toEqual([401, 0]);
      expect(await outcomeOf(request, revoked)).toEqual([401, 0]);
      expect(await outcomeOf(request, unscoped)).toEqual([403, 0]);
    });

    it('begins after admission for a new caller, and during admission for a recently admitted key', async () => {
      const key = await api.newKey();
      expect(await outcomeBeforeAdmission(request, key)).toEqual([500, 0]);
      expect(await outcomeOf(request, key)).toEqual([200, reads]);
      expect(await outcomeBeforeAdmission(request, key)).toEqual([500, reads]);
    });

    it('begins once more for a caller over its limit, then never', async () => {
      const key = await api.newKey({ plan: 'standard' });
      await request(key);
      await storeItems(api.engine.client, api.engine.names.usage, [aCounter(key, 600)]);
      expect(await outcomeOf(request, key)).toEqual([429, reads]);
      expect(await outcomeOf(request, key)).toEqual([429, 0]);
    });
  });

  it('of every domain waits for its caller, whose domains it needs, even for a recently admitted key', async () => {
    expect(await outcomeOf(listOfEveryDomain, api.key)).toEqual([200, 1]);
    expect(await outcomeBeforeAdmission(listOfEveryDomain, api.key)).toEqual([500, 0]);
  });

  it.each(['bulk-insurance', 'bulk-compliance'])(
    'is one of 26 registrations; 25 are read during admission for every caller: %s',
    async (id) => {
      expect(await outcomeBeforeAdmission(bulk(25, id), await api.newKey())).toEqual([500, 1]);
      expect(await outcomeBeforeAdmission(bulk(26, id), await api.newKey())).toEqual([500, 0]);
    },
  );

  it('of more than the plan allows does not begin, whether or not the key was recently admitted', async () => {
    const key = await api.newKey({ plan: 'free' });
    expect(await outcomeOf(bulk(101), key)).toEqual([400, 0]);
    expect(await outcomeOf(bulk(100), key)).toEqual([200, 1]);
    expect(await outcomeOf(bulk(101), key)).toEqual([400, 0]);
  });

  it('is limited by the smaller plan that its key has just changed to', async () => {
    const key = await api.newKey({ plan: 'premium' });
    await bulk(300)(key);
    await api.keys.update(keyIdOf(hashKey(key), 'live'), { plan: 'free' });
    expect((await bulk(300)(key)).body).toMatchObject({ code: 'BULK_TOO_LARGE' });
    expect(await outcomeOf(bulk(300), key)).toEqual([400, 0]);
  });
});

/** Events of any form: `npm run test:faults`. */
it('An event without path parameters gets 404', async () => {
  expect((await invoke('read-content', api.key)).statusCode).toBe(404);
});

it('An event cannot inject response headers through its path or request id', async () => {
  const { headers } = await invoke('list-content', api.key, {
    rawPath: '/\r\nX-Injected: 1',
    rawQueryString: 'limit=1',
    requestContext: { requestId: '\r\nX-Injected: 1', timeEpoch: NOON },
  });
  expect(headers).toMatchObject({ 'X-Request-Id': '', Link: '</v1/api/content?limit=1&offset=1>; rel="next"' });
});

it.each([
  [undefined, '/docs/errors#unauthorized'],
  ['', '/docs/errors#unauthorized'],
  ['https://docs.example.com/vehicles', 'https://docs.example.com/vehicles/errors.html#unauthorized'],
])('The `type` of a problem document leads to its section in the documentation at DOCS_URL=%s', async (url, type) => {
  if (url !== undefined) process.env.DOCS_URL = url;
  expect(JSON.parse((await invoke('usage', undefined)).body ?? '')).toMatchObject({ type });
});

it('A request writes no line at a higher log level where no metrics are collected', async () => {
  const lines = catchOutput();
  const { statusCode } = await invoke('usage', api.key);
  jest.restoreAllMocks();
  expect([statusCode, lines]).toEqual([200, []]);
});
