import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { generateKey } from '../../functions/access/api-key.ts';
import { LARGEST_BULK_SIZE } from '../../functions/access/plans.ts';
import { type Endpoint, type EndpointId, endpoints, fallback } from '../../functions/endpoints.ts';
import { requestContextOf, type StackRequest } from '../../functions/middleware/request-context.ts';
import { inputMiddlewares } from '../../functions/middleware/request-input.ts';
import type { GatewayHandler } from '../../functions/middleware/stack.ts';
import { startApi, type TestApi } from '../support/api.ts';
import { NOON } from '../support/clock.ts';
import { forOperation, forTable } from '../support/fault-choosers.ts';

/** Bytes of a body that a lookup reads before admission. */
const EARLY_BYTES = 16_000;

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.stop());
beforeEach(() => api.faults.reset());
afterEach(() => {
  jest.restoreAllMocks();
});

const rows: readonly (readonly [string, string])[] = [
  ...Object.entries(endpoints).map(([id, { entry }]) => [id, entry] as const),
  ['not-found', fallback.entry],
];
const rowsWithBody = (Object.entries(endpoints) as [EndpointId, Endpoint][])
  .filter(([, { body }]) => body !== undefined)
  .map(([id, { entry }]) => [id, entry] as const);
const { entry: bulk } = endpoints['bulk-insurance'];

const invoke = async (entry: string, key: string | undefined, rest: object) => {
  const { handler } = (await import(`../../${entry}`)) as { handler: GatewayHandler };
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) };
  // Not spread: that would read the body.
  const event = Object.assign(rest, { headers, requestContext: { requestId: 'r-1', timeEpoch: NOON } });
  return handler(event, {} as Context);
};

/** A body of some size that an endpoint would have to parse and look through. */
const bodyOf = (bytes: number): string => {
  const [start, end] = ['{"registrations":["\\u0041",', '1]}'];
  return start.padEnd(bytes - end.length) + end;
};

/** How often a body is parsed while something is done. */
const countParsing = async (body: string, work: () => Promise<unknown>): Promise<number> => {
  const parse = jest.spyOn(JSON, 'parse');
  await work();
  return parse.mock.calls.filter(([text]) => text === body).length;
};

describe('Without a well-formed key', () => {
  it.each(rows)(
    '%s answers 401 with all headers, and neither reads the body nor asks the database',
    async (_id, entry) => {
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
    },
  );
});

describe('With a well-formed key that nobody has', () => {
  it.each(rowsWithBody)('%s does not parse a large body', async (_id, entry) => {
    const body = bodyOf(EARLY_BYTES + 1);
    const work = async () => expect((await invoke(entry, generateKey('test'), { body })).statusCode).toBe(401);
    expect(await countParsing(body, work)).toBe(0);
  });

  it.each(rowsWithBody.filter(([id]) => id !== 'bulk-insurance'))(
    '%s, which writes, parses no body',
    async (_id, entry) => {
      const body = bodyOf(100);
      const work = async () => expect((await invoke(entry, generateKey('test'), { body })).statusCode).toBe(401);
      expect(await countParsing(body, work)).toBe(0);
    },
  );
});

describe('A bulk request', () => {
  it('with a body of 16 kB is read beside admission', async () => {
    const body = bodyOf(EARLY_BYTES);
    expect(await countParsing(body, () => invoke(bulk, generateKey('test'), { body }))).toBe(1);
  });

  it('with a body of many values is not, however short it is', async () => {
    const key = generateKey('test');
    for (const body of [JSON.stringify({ registrations: Array(101).fill(1) }), '['.repeat(101), '{"a":'.repeat(101)]) {
      expect(await countParsing(body, () => invoke(bulk, key, { body }))).toBe(0);
      jest.restoreAllMocks();
    }
  });

  it('with a body that arrives base64-encoded is not either', async () => {
    const text = bodyOf(100);
    const body = Buffer.from(text).toString('base64');
    const work = (key: string) => invoke(bulk, key, { body, isBase64Encoded: true });
    expect(await countParsing(text, () => work(generateKey('test')))).toBe(0);
    jest.restoreAllMocks();
    const key = await api.newKey();
    expect(await countParsing(text, async () => expect((await work(key)).statusCode).toBe(400))).toBe(1);
  });

  it('with a larger body is read after admission, and beside it once the key was admitted', async () => {
    const key = await api.newKey();
    const body = bodyOf(EARLY_BYTES + 1);
    const parsedBeforeAdmission = async () => {
      api.faults.inject(
        forTable(
          api.engine.names.keys,
          forOperation('GetItem', () => 'error'),
        ),
      );
      const count = await countParsing(body, () => invoke(bulk, key, { body }));
      api.faults.reset();
      jest.restoreAllMocks();
      return count;
    };
    expect(await parsedBeforeAdmission()).toBe(0);
    expect(await countParsing(body, () => invoke(bulk, key, { body }))).toBe(1);
    jest.restoreAllMocks();
    expect(await parsedBeforeAdmission()).toBe(1);
  });

  it('that no plan allows is BULK_TOO_LARGE alone, and none of its entries is looked at', async () => {
    const examined = jest.fn();
    const entries = new Proxy(Array(LARGEST_BULK_SIZE + 1).fill(1), {
      get: (target, name) => {
        if (/^\d+$/.test(String(name))) examined(name);
        return Reflect.get(target, name);
      },
    });
    const context = requestContextOf({}, undefined);
    context.body = { registrations: entries, unknown: 1 };
    await inputMiddlewares(endpoints['bulk-insurance'])
      .at(-1)
      ?.before({ event: context } as StackRequest);
    expect(examined).not.toHaveBeenCalled();

    const json = { registrations: Array(LARGEST_BULK_SIZE + 1).fill(1), unknown: 1 };
    const key = await api.newKey({ plan: 'free' });
    const { status, body } = await api.call('POST', '/v1/vehicle/bulk-insurance', { key, json });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'BULK_TOO_LARGE',
      detail: '1001 registrations were sent; the plan allows at most 100 in one request.',
      errors: [{ pointer: '/registrations' }],
    });
  });
});
