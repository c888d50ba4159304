import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { generateKey } from '../../core/access/api-key.ts';
import { LARGEST_BULK_SIZE } from '../../core/access/plans.ts';
import { type Endpoint, type EndpointId, endpoints, fallback } from '../../functions/endpoints.ts';
import { requestContextOf, type StackRequest } from '../../functions/http/request-context.ts';
import { inputMiddlewares } from '../../functions/http/request-input.ts';
import type { GatewayHandler } from '../../functions/http/stack.ts';
import { NOON } from '../support/clock.ts';
import { always, forOperation, forTable } from '../support/fault-choosers.ts';
import { testApi } from '../support/test-api.ts';

/** Bytes of a body that a lookup reads before admission. */
const EARLY_BYTES = 16_000;

const api = testApi();
afterEach(() => {
  jest.restoreAllMocks();
});

const rows = Object.entries(endpoints) as [EndpointId, Endpoint][];
const entries = [...rows.map(([, { entry }]) => entry), fallback.entry];
const rowsWithBody = rows.filter(([, { body }]) => body !== undefined);

const invoke = async (entry: string, key: string | undefined, rest: object) => {
  const { handler } = (await import(`../../${entry}`)) as { handler: GatewayHandler };
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) };
  // Not spread: that would read the body.
  const event = Object.assign(rest, { headers, requestContext: { requestId: 'r-1', timeEpoch: NOON } });
  return handler(event, {} as Context);
};
const bulk = (key: string, rest: object) => invoke(endpoints['bulk-insurance'].entry, key, rest);

/** A body of some size that an endpoint would have to parse and validate. */
const bodyOf = (bytes: number): string => {
  const [start, end] = ['{"registrations":["\\u0041",', '1]}'];
  return start.padEnd(bytes - end.length) + end;
};

/** How often a body is parsed during `work`. */
const countParsing = async (body: string, work: () => Promise<unknown>): Promise<number> => {
  const parse = jest.spyOn(JSON, 'parse');
  await work();
  const count = parse.mock.calls.filter(([text]) => text === body).length;
  parse.mockRestore();
  return count;
};

describe('Without a well-formed key', () => {
  it.each(entries)('%s answers 401 with all headers, without the body or the database', async (entry) => {
    const bodyRead = jest.fn();
    const withBody = () => ({
      get body() {
        bodyRead();
        return '{}';
      },
    });
    for (const key of [undefined, '', 'hunter2', `${generateKey('live')}x`]) {
      const { statusCode, headers } = await invoke(entry, key, withBody());
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
  });
});

describe('With a well-formed key that is unknown', () => {
  it.each(rowsWithBody)('%s parses no large body, and none at all when it writes', async (id, { entry }) => {
    for (const bytes of id.startsWith('bulk-') ? [EARLY_BYTES + 1] : [EARLY_BYTES + 1, 100]) {
      const body = bodyOf(bytes);
      const work = async () => expect((await invoke(entry, generateKey('live'), { body })).statusCode).toBe(401);
      expect(await countParsing(body, work)).toBe(0);
    }
  });

  it('a bulk request parses a body of 16 kB beside admission, but none of many values or in base64', async () => {
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
  it('with a larger body is parsed after admission, and beside it once the key was admitted', async () => {
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

  it('that no plan allows is BULK_TOO_LARGE alone, and none of its entries is validated', async () => {
    const examined = jest.fn();
    const registrations = new Proxy(Array(LARGEST_BULK_SIZE + 1).fill(1), {
      get: (target, name) => {
        if (/^\d+$/.test(String(name))) examined(name);
        return Reflect.get(target, name);
      },
    });
    const event = requestContextOf({}, undefined);
    event.body = { registrations, unknown: 1 };
    const validation = inputMiddlewares(endpoints['bulk-insurance']).at(-1);
    validation?.before({ event } as StackRequest);
    expect(examined).not.toHaveBeenCalled();

    const json = { registrations: Array(LARGEST_BULK_SIZE + 1).fill(1), unknown: 1 };
    const key = await api.newKey({ plan: 'free' });
    const { body } = await api.call('POST', '/v1/vehicle/bulk-insurance', { key, json });
    const detail = '1001 registrations were sent; the plan allows at most 100 in one request.';
    const errors = [{ pointer: '/registrations' }];
    expect(body).toMatchObject({ status: 400, code: 'BULK_TOO_LARGE', detail, errors });
  });
});
