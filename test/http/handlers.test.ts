/** What the handlers make of events that a gateway need not send, and what they do before they know their caller. */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { generateKey, parseApiKey } from '../../core/access/api-key.ts';
import { recentMap } from '../../core/access/recent-map.ts';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import { admissionBesideLoad } from '../../functions/http/admission.ts';
import type { GatewayHandler } from '../../functions/http/http-function.ts';
import { type FunctionId, importFileOf } from '../../lib/endpoint-files.ts';
import { documents } from '../../lib/openapi/documents.ts';
import { catchOutput } from '../support/caught-output.ts';
import { NOON } from '../support/clock.ts';
import { fillDomain } from '../support/content.ts';
import { always, forOperation, forTable } from '../support/fault-choosers.ts';
import { httpRequest } from '../support/http-request.ts';
import { testApi } from '../support/test-api.ts';

/** Maximum size in bytes of a body that a lookup reads before admission. */
const EARLY_BYTES = 16_000;

const api = testApi();
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
const bulk = (key: string, rest: object) => invoke('bulk-insurance', key, rest);

/** A JSON body of this size whose validation fails. */
const bodyOf = (bytes: number): string => {
  const [start, end] = ['{"registrations":["\\u0041",', '1]}'];
  return start.padEnd(bytes - end.length) + end;
};

const countParsing = async (body: string, work: () => Promise<unknown>): Promise<number> => {
  const parse = jest.spyOn(JSON, 'parse');
  await work();
  const count = parse.mock.calls.filter(([text]) => text === body).length;
  parse.mockRestore();
  return count;
};

describe('Without a well-formed key', () => {
  it.each<FunctionId>([...ids, 'not-found'])(
    '%s responds with 401, and reads neither body nor database',
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
});

describe('With a well-formed but unknown key', () => {
  it.each(ids.filter((id) => documents[id].body !== undefined))(
    '%s parses no body over 16 kB, and none at all if it writes',
    async (id) => {
      for (const bytes of id.startsWith('bulk-') ? [EARLY_BYTES + 1] : [EARLY_BYTES + 1, 100]) {
        const body = bodyOf(bytes);
        const work = async () => expect((await invoke(id, generateKey('live'), { body })).statusCode).toBe(401);
        expect(await countParsing(body, work)).toBe(0);
      }
    },
  );

  it('a bulk endpoint parses a body of 16 kB, but none with over 100 values or in base64', async () => {
    const parsed = (body: string, rest: object = {}) =>
      countParsing(body, () => bulk(generateKey('live'), { body, ...rest }));
    expect(await parsed(bodyOf(EARLY_BYTES))).toBe(1);
    const values = JSON.stringify({ registrations: Array(101).fill(1) });
    for (const body of [values, '['.repeat(101), '{"a":'.repeat(101)]) expect(await parsed(body)).toBe(0);
    const encoded = { body: Buffer.from(bodyOf(100)).toString('base64'), isBase64Encoded: true };
    expect(await parsed(bodyOf(100), encoded)).toBe(0);
    expect(await countParsing(bodyOf(100), () => bulk(api.key, encoded))).toBe(1);
  });

  it('admission sends its requests before those of the lookup, whose parsing would delay a rejection', async () => {
    const sent: string[] = [];
    const findKey = async () => void sent.push('key') as undefined;
    const store = { findKey, incrementUsage: async () => sent.push('counter'), overused: recentMap<number>() };
    const load = { before: async () => void sent.push('vehicle') };
    const { before } = admissionBesideLoad(store, 'vehicles:read', load, recentMap());
    const key = parseApiKey(generateKey('test'));
    await expect(before(httpRequest({}, { ...(key && { key }) }))).rejects.toThrow('Send a valid API key');
    expect(sent).toEqual(['key', 'counter', 'vehicle']);
  });
});

it('A larger bulk request is parsed after admission, or during admission if the key was recently admitted', async () => {
  const key = await api.newKey();
  const body = bodyOf(EARLY_BYTES + 1);
  const parsed = () => countParsing(body, () => bulk(key, { body }));
  const parsedBeforeAdmission = async () => {
    api.faults.inject(forTable(api.engine.names.keys, forOperation('GetItem', always('error'))));
    const count = await parsed();
    api.faults.reset();
    return count;
  };
  expect([await parsedBeforeAdmission(), await parsed(), await parsedBeforeAdmission()]).toEqual([0, 1, 1]);
});

/** Events of any form: `npm run test:faults`. */
it('An event without path parameters gets 404', async () => {
  expect((await invoke('read-content', api.key)).statusCode).toBe(404);
});

it('An event cannot inject response headers through its path or request id', async () => {
  await fillDomain(api.engine.client, api.engine.names.content, 'a.example', 2);
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
