import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { generateKey } from '../../core/access/api-key.ts';
import { LARGEST_BULK_SIZE } from '../../core/access/plans.ts';
import { input } from '../../functions/endpoints/bulk-insurance/input.ts';
import { type EndpointId, endpoints } from '../../functions/endpoints/table.ts';
import type { GatewayHandler } from '../../functions/http/http-function.ts';
import { type FunctionId, importFileOf } from '../../lib/endpoint-files.ts';
import { documents } from '../../lib/openapi/documents.ts';
import { NOON } from '../support/clock.ts';
import { always, forOperation, forTable } from '../support/fault-choosers.ts';
import { httpRequest } from '../support/http-request.ts';
import { testApi } from '../support/test-api.ts';

/** Maximum size in bytes of a body that a lookup reads before admission. */
const EARLY_BYTES = 16_000;

const api = testApi();
afterEach(() => {
  jest.restoreAllMocks();
});

const ids = Object.keys(endpoints) as EndpointId[];
const idsWithBody = ids.filter((id) => documents[id].body !== undefined);

const invoke = async (id: FunctionId, key: string | undefined, rest: object) => {
  const { handler } = await importFileOf<{ readonly handler: GatewayHandler }>(id, 'handler.ts');
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) };
  // Object.assign, because spreading `rest` would call the getter of its body.
  const event = Object.assign(rest, { headers, requestContext: { requestId: 'r-1', timeEpoch: NOON } });
  return handler(event, {} as Context);
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
    '%s responds with 401 and all headers, and reads neither body nor database',
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
        expect(statusCode).toBe(401);
        expect(headers).toMatchObject({
          'X-RateLimit-Limit': '0',
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': expect.stringMatching(/^\d+$/),
          'X-Request-Id': 'r-1',
          'WWW-Authenticate': 'Bearer',
          'Cache-Control': 'no-store',
          'X-Content-Type-Options': 'nosniff',
        });
      }
      expect(bodyRead).not.toHaveBeenCalled();
      expect(api.faults.calls).toHaveLength(0);
    },
  );
});

describe('With a well-formed but unknown key', () => {
  it.each(idsWithBody)('%s parses no body over 16 kB, and none at all if it writes', async (id) => {
    for (const bytes of id.startsWith('bulk-') ? [EARLY_BYTES + 1] : [EARLY_BYTES + 1, 100]) {
      const body = bodyOf(bytes);
      const work = async () => expect((await invoke(id, generateKey('live'), { body })).statusCode).toBe(401);
      expect(await countParsing(body, work)).toBe(0);
    }
  });

  it('a bulk endpoint parses a body of 16 kB, but none with over 100 values or in base64', async () => {
    const parsed = (body: string, rest: object = {}) =>
      countParsing(body, () => bulk(generateKey('live'), { body, ...rest }));
    expect(await parsed(bodyOf(EARLY_BYTES))).toBe(1);
    const values = JSON.stringify({ registrations: Array(101).fill(1) });
    for (const body of [values, '['.repeat(101), '{"a":'.repeat(101)]) expect(await parsed(body)).toBe(0);
    const encoded = { body: Buffer.from(bodyOf(100)).toString('base64'), isBase64Encoded: true };
    expect(await parsed(bodyOf(100), encoded)).toBe(0);
    const known = async () => expect((await bulk(api.key, encoded)).statusCode).toBe(400);
    expect(await countParsing(bodyOf(100), known)).toBe(1);
  });
});

describe('A bulk request', () => {
  it('with a larger body is parsed after admission, or during admission if the key was recently admitted', async () => {
    const key = await api.newKey();
    const body = bodyOf(EARLY_BYTES + 1);
    const parsed = () => countParsing(body, () => bulk(key, { body }));
    const parsedBeforeAdmission = async () => {
      api.faults.inject(forTable(api.engine.names.keys, forOperation('GetItem', always('error'))));
      const count = await parsed();
      api.faults.reset();
      return count;
    };
    expect(await parsedBeforeAdmission()).toBe(0);
    expect(await parsed()).toBe(1);
    expect(await parsedBeforeAdmission()).toBe(1);
  });

  it('over the limit of every plan gets BULK_TOO_LARGE, without validation of its entries', async () => {
    const examined = jest.fn();
    const registrations = new Proxy(Array(LARGEST_BULK_SIZE + 1).fill(1), {
      get: (target, name) => {
        if (/^\d+$/.test(String(name))) examined(name);
        return Reflect.get(target, name);
      },
    });
    const validation = input.middlewares(endpoints['bulk-insurance']).at(-1);
    await validation?.before(httpRequest({ body: { registrations, unknown: 1 } }));
    expect(examined).not.toHaveBeenCalled();

    const json = { registrations: Array(LARGEST_BULK_SIZE + 1).fill(1), unknown: 1 };
    const key = await api.newKey({ plan: 'free' });
    const { body } = await api.call('POST', '/v1/vehicle/bulk-insurance', { key, json });
    const detail = '1001 registrations were sent; the plan allows at most 100 in one request.';
    const errors = [{ pointer: '/registrations' }];
    expect(body).toMatchObject({ status: 400, code: 'BULK_TOO_LARGE', detail, errors });
  });
});
