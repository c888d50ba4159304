import { describe, expect, it } from '@jest/globals';
import { PLANS } from '../../core/access/plans.ts';
import { type ApiError, apiError } from '../../core/problems.ts';
import { input as bulkCompliance } from '../../functions/endpoints/bulk-compliance/input.ts';
import { input as bulkInsurance } from '../../functions/endpoints/bulk-insurance/input.ts';
import { input as createContent } from '../../functions/endpoints/create-content/input.ts';
import { input as listContent } from '../../functions/endpoints/list-content/input.ts';
import { endpoints } from '../../functions/endpoints/table.ts';
import { bodyChecks, bodyParserError, hasCheapBody } from '../../functions/http/body-checks.ts';
import { bulkLength, bulkSizeLimit } from '../../functions/http/bulk-size.ts';
import type { Endpoint } from '../../functions/http/endpoint.ts';
import type { RequestContext } from '../../functions/http/request.ts';
import { httpRequest } from '../support/http-request.ts';

const inputs = {
  'bulk-compliance': bulkCompliance,
  'bulk-insurance': bulkInsurance,
  'create-content': createContent,
  'list-content': listContent,
};

/** The request context after validation, the last input middleware of an endpoint. */
const validated = (id: keyof typeof inputs, event: object, body?: unknown): RequestContext => {
  const request = httpRequest({ ...event, body });
  void inputs[id].middlewares(endpoints[id]).at(-1)?.before(request);
  return request.internal;
};
const issuesOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return (error as ApiError).issues;
  }
  return undefined;
};
const query = (rawQueryString: unknown) => validated('list-content', { rawQueryString }).input?.query;

describe('Reading the query', () => {
  it.each([
    ['limit=5&offset=0', { limit: 5, offset: 0 }],
    ['limit=005&unknown=1', { limit: 5 }],
    ['offset=99999999999999999999', { offset: Number.MAX_SAFE_INTEGER }],
    ['domain=a.example&slug=7', { domain: 'a.example', slug: '7' }],
    ['', {}],
    [undefined, {}],
    [{ limit: '5' }, {}],
  ])('reads %j as %j', (raw, value) => {
    expect(query(raw)).toEqual(value);
  });

  const NO_INTEGER = 'must be an integer in decimal digits';
  it.each([
    ['limit=1.5', 'limit', NO_INTEGER],
    ['limit=', 'limit', NO_INTEGER],
    ['limit=5x', 'limit', NO_INTEGER],
    ['limit=x5', 'limit', NO_INTEGER],
    ['limit=٣', 'limit', NO_INTEGER],
    ['limit=--5', 'limit', NO_INTEGER],
    ['limit=-5x', 'limit', NO_INTEGER],
    ['limit=x-5', 'limit', NO_INTEGER],
    ['limit=-0', 'limit', NO_INTEGER],
    ['limit=1&limit=2', 'limit', 'must not be given more than once'],
    ['slug=s&domain=a&domain=b', 'domain', 'must not be given more than once'],
    ['slug=7', 'domain', 'is required with slug'],
    ['offset=-1', 'offset', 'must be at least 0'],
    ['offset=-00012', 'offset', 'must be at least 0'],
    ['limit=101', 'limit', 'must be at most 100'],
  ])('finds one issue in %j', (raw, parameter, detail) => {
    expect(issuesOf(() => query(raw))).toEqual([{ parameter, detail }]);
  });

  it('finds the issues of all parameters', () => {
    expect(issuesOf(() => query('limit=x&offset=-1'))).toEqual([
      { parameter: 'limit', detail: NO_INTEGER },
      { parameter: 'offset', detail: 'must be at least 0' },
    ]);
  });
});

describe('Reading headers and body', () => {
  const fields = { title: 'T', content: 'C', domain: 'a.example', slug: 's' };
  const create = (headers: object, body: unknown) => validated('create-content', { headers }, body);

  it('returns the declared headers and the body', () => {
    const { input } = create({ 'idempotency-key': 'k-1', other: 'x' }, fields);
    expect(input).toEqual({ headers: { 'Idempotency-Key': 'k-1' }, body: fields });
    expect(create({}, fields).input?.headers).toStrictEqual({});
  });

  it('uses three middlewares with a body, otherwise only validation', () => {
    const ids = ['list-content', 'create-content'] as const;
    expect(ids.map((id) => inputs[id].middlewares(endpoints[id]).length)).toEqual([1, 3]);
  });

  it('rejects with the issues of both in one problem document', () => {
    expect(issuesOf(() => create({ 'idempotency-key': '' }, { ...fields, title: 1 }))).toEqual([
      { parameter: 'Idempotency-Key', detail: expect.any(String) },
      { pointer: '/title', detail: 'must be a string' },
    ]);
  });
});

describe('A bulk request', () => {
  const row = endpoints['bulk-insurance'];
  const limited = (row: Endpoint, count: number) => {
    const body = { registrations: Array(count).fill('A1') };
    const caller = { plan: PLANS.free } as NonNullable<RequestContext['caller']>;
    return () => bulkSizeLimit(row).before(httpRequest({}, { caller, input: { body } }));
  };

  it('is rejected with BULK_TOO_LARGE when it has more entries than the plan allows', () => {
    expect(limited(row, 100)).not.toThrow();
    expect(limited(row, 101)).toThrow(apiError('BULK_TOO_LARGE', { count: 101, limit: 100 }));
    expect(limited(endpoints['create-content'], 101)).not.toThrow();
    expect(() => bulkSizeLimit(row).before(httpRequest({}, { input: { body: { registrations: ['A1'] } } }))).toThrow(
      apiError('BULK_TOO_LARGE', { count: 1, limit: 0 }),
    );
  });

  it('is not validated when it exceeds the largest plan', () => {
    const entries = (count: number) => ({ registrations: Array(count).fill(1) });
    expect(issuesOf(() => validated('bulk-insurance', {}, entries(1_000)))).toBeDefined();
    expect(issuesOf(() => validated('bulk-insurance', {}, entries(1_001)))).toBeUndefined();
  });

  it('must have an entry', () => {
    const empty = { pointer: '/registrations', detail: 'must have 1 or more entries' };
    expect(issuesOf(() => validated('bulk-insurance', {}, { registrations: [] }))).toEqual([empty]);
  });

  it.each([
    [{ registrations: ['A1', 'B2'] }, 2],
    [{ registrations: 'A1' }, 0],
    [{}, 0],
    [null, 0],
    ['text', 0],
    [undefined, 0],
  ])('%j has %i entries', (body, length) => expect(bulkLength(row, body)).toBe(length));

  it('has 0 entries when the row is not of a bulk request', () =>
    expect(bulkLength({}, { registrations: ['A1'] })).toBe(0));
});

describe('A field `date` in the body', () => {
  const detailOf = (id: keyof typeof inputs, body: object) =>
    issuesOf(() => validated(id, {}, body))?.map(({ detail }) => detail);
  const registrations = ['A1'];

  it('must be an answerable date where the schema has it', () => {
    expect(issuesOf(() => validated('bulk-insurance', {}, { registrations, date: '2020-02-29' }))).toBeUndefined();
    expect(detailOf('bulk-insurance', { registrations, date: '2020-02-30' })).toEqual([
      'must be a day from 1900-01-01 to 2099-12-31, written YYYY-MM-DD',
    ]);
  });

  it('is rejected with the reason in the row; other unknown fields have the usual issue', () => {
    const reasons = detailOf('bulk-compliance', { registrations, date: '2020-02-29', other: 1 });
    expect(reasons).toEqual([expect.stringContaining('today'), 'is not a field of this request']);
  });

  it('has the issue of an unknown field where the row has no `date`', () => {
    const item = { title: 'T', content: 'C', domain: 'a.example', slug: 's', date: '2020-02-29' };
    expect(detailOf('create-content', item)).toEqual(['is not a field of this request']);
  });
});

const JSON_TYPE = 'application/json';
const base64 = (bytes: string | readonly number[]) => Buffer.from(bytes as string).toString('base64');

/** The body after the checks, as the parser gets it. */
const checked = (body: unknown, contentType: string | undefined = JSON_TYPE, isBase64Encoded?: boolean) => {
  const headers = { ...(contentType !== '' && { 'Content-Type': contentType }) };
  const request = httpRequest({ body, headers, isBase64Encoded });
  void bodyChecks().before(request);
  return request.event.body;
};

describe('The body of a request', () => {
  it.each([
    JSON_TYPE,
    'Application/JSON',
    ' application/json ; charset=utf-8',
    'application/json;charset = "UTF-8"',
    'application/json; charset=utf-8; q=1',
    'application/json; xcharset=latin1',
    'application/json; charsets=latin1',
  ])('is accepted with the Content-Type %j', (type) => expect(checked('{}', type)).toBe('{}'));

  it.each([
    '',
    'text/plain',
    'application/merge-patch+json',
    'application/json; charset=latin1',
    'application/json; charset=utf-80',
    'application/json; charset=xutf-8',
    'application/json; charset="utf-8',
    'application/json; charset',
    'application/json; charset  =latin1',
    'application/json; charset=utf-8; CHARSET=latin1',
  ])('is rejected with the Content-Type %j', (type) =>
    expect(() => checked('{}', type)).toThrow(apiError('UNSUPPORTED_CONTENT_TYPE')),
  );

  it('is rejected when it is missing, or base64-encoded without being UTF-8', () => {
    expect(checked(base64('{"é":1}'), JSON_TYPE, true)).toBe(base64('{"é":1}'));
    expect(checked(base64([0x22, 0xff, 0x22]), JSON_TYPE, false)).toBe(base64([0x22, 0xff, 0x22]));
    expect(() => checked(base64([0x22, 0xff, 0x22]), JSON_TYPE, true)).toThrow(apiError('MALFORMED_JSON'));
    expect(() => checked(undefined)).toThrow(apiError('MALFORMED_JSON'));
  });

  it('is rejected with more than 1,000,000 decoded bytes', () => {
    const tooLarge = apiError('BODY_TOO_LARGE', { bytes: 1_000_001, limit: 1_000_000 });
    expect(checked('é'.repeat(500_000))).toHaveLength(500_000);
    expect(() => checked(`${'é'.repeat(500_000)}x`)).toThrow(tooLarge);
    expect(checked(base64('x'.repeat(1_000_000)), JSON_TYPE, true)).toBeDefined();
    expect(() => checked(base64('x'.repeat(1_000_001)), JSON_TYPE, true)).toThrow(tooLarge);
  });

  it.each([
    ['nothing', undefined, true],
    ['16,000 bytes', 'x'.repeat(16_000), true],
    ['16,001 bytes', 'x'.repeat(16_001), false],
    ['16,001 bytes of fewer characters', `${'é'.repeat(8_000)}x`, false],
    ['100 values', ','.repeat(99), true],
    ['101 values', ','.repeat(100), false],
    ['101 arrays', '['.repeat(100), false],
    ['101 objects', '{'.repeat(100), false],
  ])('of %s is cheap to parse: %s', (_size, body, isCheap) => {
    expect(hasCheapBody(httpRequest({ body }).event)).toBe(isCheap);
    expect(hasCheapBody(httpRequest({ body, isBase64Encoded: true }).event)).toBe(body === undefined);
  });
});

describe('An error of the body parser', () => {
  const caused = (cause: unknown) => bodyParserError(new Error('', { cause }));
  const forbidden = [{ pointer: '', detail: 'must not have the key "__proto__"' }];

  it('becomes MALFORMED_JSON, or VALIDATION_FAILED that names the forbidden key', () => {
    const parser = { package: '@middy/http-json-body-parser' };
    expect(caused({ ...parser, data: '{', message: 'Unexpected end' })).toEqual(apiError('MALFORMED_JSON'));
    expect(caused({ ...parser, data: '__proto__' })).toEqual(apiError('VALIDATION_FAILED', { issues: forbidden }));
    expect(caused({ ...parser, data: '__proto__' })?.issues).toEqual(forbidden);
  });

  it('is undefined for any other error', () => {
    for (const error of [caused({ package: '@middy/core' }), caused(undefined), bodyParserError('text')]) {
      expect(error).toBeUndefined();
    }
  });
});
