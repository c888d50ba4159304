import { describe, expect, it } from '@jest/globals';
import type { Context } from 'aws-lambda';
import { generateKey, hashKey, keyIdOf } from '../../../core/access/api-key.ts';
import { differentKeys } from '../../../core/problems.ts';
import { pageLinks } from '../../../functions/endpoints/list-content/page-links.ts';
import { presentedKey } from '../../../functions/http/api-key.ts';
import { readEvent } from '../../../functions/http/request.ts';
import { NOON } from '../../support/records.ts';

const PATHS = ['/v1/api/content', '/api/content'] as const;

const read = (event: object, context?: Partial<Context>) => readEvent(event, context, PATHS);
const timeOf = (timeEpoch: unknown) => read({ requestContext: { timeEpoch } }).now.getTime();

describe('The request context', () => {
  it('has the valid parts of the event, with header names in lower case', () => {
    const event = {
      headers: { 'X-Api-Key': 'k' },
      rawPath: '/v1',
      pathParameters: { id: '1' },
      requestContext: { requestId: 'r-1', timeEpoch: NOON, http: { method: 'GET' } },
    };
    const parts = {
      requestId: 'r-1',
      now: new Date(NOON),
      today: '2026-06-15',
      headers: { 'x-api-key': 'k' },
      method: 'GET',
      path: '/v1',
      pathParameters: { id: '1' },
    };
    // Unlike toMatchObject, it allows no further headers and parameters.
    expect(read(event)).toEqual(expect.objectContaining(parts));
  });

  // `null` is what an emulator of AWS sends without path parameters.
  it.each([{}, { pathParameters: null, requestContext: null }, { requestContext: { http: null } }])(
    'is empty for the event %j',
    (event) => {
      const context = { requestId: '', headers: {}, method: '', path: '', pathParameters: {}, query: '', sourceIp: '' };
      expect(read(event)).toMatchObject(context);
    },
  );

  it.each([
    ['/api/content', '/api/content'],
    ['/v1/api/content', '/v1/api/content'],
    ['/other', '/v1/api/content'],
    [undefined, '/v1/api/content'],
  ])('has of the path %s the address %s', (rawPath, address) => {
    expect(read({ rawPath }).address).toBe(address);
  });

  it('has the request id of the event, otherwise the id of the Lambda context', () => {
    const idOf = (requestContext: object) => read({ requestContext }, { awsRequestId: 'a-1' }).requestId;
    expect([{ requestId: 'r-1' }, {}].map(idOf)).toEqual(['r-1', 'a-1']);
  });

  it('has the time of the event from 2020 on, otherwise the current time', () => {
    const first = Date.UTC(2020, 0, 1);
    expect([first, NOON].map(timeOf)).toEqual([first, NOON]);
    const before = Date.now();
    // The last one is in seconds, as SAM CLI sends it.
    for (const time of [undefined, Number.NaN, first - 1, NOON / 1_000]) {
      expect(timeOf(time)).toBeGreaterThanOrEqual(before);
      expect(timeOf(time)).toBeLessThanOrEqual(Date.now());
    }
  });
});

describe('The key of a request', () => {
  const key = generateKey('test');
  const other = generateKey('test');

  it.each<[string, Record<string, string>]>([
    ['a bearer token', { authorization: `Bearer ${key}` }],
    ['a bearer token with a scheme in any case and more spaces', { authorization: `bEARER   ${key} ` }],
    ['X-API-Key between spaces', { 'x-api-key': ` ${key} ` }],
    ['X-API-Key beside another scheme', { authorization: 'Basic abc', 'x-api-key': key }],
    ['X-API-Key beside a scheme that ends in Bearer', { authorization: `xBearer ${other}`, 'x-api-key': key }],
    ['X-API-Key beside an empty Authorization', { authorization: ' ', 'x-api-key': key }],
    ['a bearer token beside an empty X-API-Key', { authorization: `Bearer ${key}`, 'x-api-key': ' ' }],
    ['both headers, if they are equal', { authorization: `Bearer ${key}`, 'x-api-key': key }],
  ])('is found in %s', (_where, headers) => {
    expect(presentedKey(headers)).toEqual({ id: keyIdOf(hashKey(key), 'test'), hash: hashKey(key), kind: 'test' });
  });

  it.each<[string, Record<string, string>]>([
    ['no headers', {}],
    ['an empty X-API-Key', { 'x-api-key': '' }],
    ['a malformed X-API-Key', { 'x-api-key': 'hunter2' }],
    ['Authorization without a scheme', { authorization: key }],
    ['Authorization without a space after the scheme', { authorization: `Bearer${key}` }],
    ['X-API-Key beside a scheme without a token', { authorization: 'Bearer', 'x-api-key': key }],
  ])('is not found in %s', (_where, headers) => expect(presentedKey(headers)).toBeUndefined());

  it('is not taken from two headers that differ, with a sentence of its own', () => {
    const headers = { authorization: `Bearer ${key}`, 'x-api-key': other };
    expect(() => presentedKey(headers)).toThrow(differentKeys());
  });
});

describe('The Link header of a page', () => {
  const at = (offset: number, total: number, next: string | null = null, filter: object = {}) =>
    pageLinks('/v1/api/content', { limit: 10, offset, ...filter }, { total, next });
  const next = '</v1/api/content?limit=10&after=A-1>; rel="next"';
  const prev = (offset: number) => `</v1/api/content?limit=10&offset=${offset}>; rel="prev"`;

  it.each([
    ['an empty list', 0, 0, null, undefined],
    ['an empty list, past its end', 5, 0, null, undefined],
    ['the only page', 0, 10, null, undefined],
    ['the first page, and every page by `after`', 0, 11, 'A-1', next],
    ['a page in the middle', 10, 21, 'A-1', `${next}, ${prev(0)}`],
    ['the last page', 11, 21, null, prev(1)],
    ['a page that begins within the first', 3, 13, null, prev(0)],
    ['a page past the end', 50, 21, null, prev(11)],
  ])('%s', (_title, offset, total, after, links) => {
    expect(at(offset, total, after)).toBe(links);
  });

  it('keeps the filter', () => {
    expect(at(0, 11, 'A', { domain: 'a.example', slug: 's' })).toBe(
      '</v1/api/content?domain=a.example&slug=s&limit=10&after=A>; rel="next"',
    );
  });
});
