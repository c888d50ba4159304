import { describe, expect, it } from '@jest/globals';
import { isSandbox, requestContextOf } from '../../functions/http/request.ts';

const idOf = (requestId: unknown, awsRequestId?: string) =>
  requestContextOf({ requestContext: { requestId } }, { awsRequestId } as never).requestId;
const timeOf = (timeEpoch: unknown) => requestContextOf({ requestContext: { timeEpoch } }, undefined).now.getTime();

describe('isSandbox', () => {
  it.each([
    ['test', true],
    ['live', false],
    ['probe', false],
  ] as const)('for a key of the kind %s is %s', (kind, expected) => {
    expect(isSandbox({ key: { id: '', hash: '', kind } })).toBe(expected);
  });

  it('is false without a key', () => expect(isSandbox({})).toBe(false));
});

describe('The request context', () => {
  it('has the valid parts of the event, with header names in lower case', () => {
    const event = {
      headers: { 'X-Api-Key': 'k', Other: 1 },
      rawPath: '/v1',
      pathParameters: { id: '1', no: null },
      requestContext: { requestId: 'r-1', timeEpoch: 5, http: { method: 'GET' } },
    };
    expect(requestContextOf(event, undefined)).toMatchObject({
      requestId: 'r-1',
      now: new Date(5),
      headers: { 'x-api-key': 'k' },
      method: 'GET',
      path: '/v1',
      pathParameters: { id: '1' },
    });
    const { headers, pathParameters } = requestContextOf(event, undefined);
    expect([Object.keys(headers), Object.keys(pathParameters)]).toEqual([['x-api-key'], ['id']]);
  });

  it.each([
    undefined,
    null,
    'text',
    {},
    { headers: null, rawPath: 1, requestContext: null },
    { requestContext: { http: 'GET' } },
  ])('is empty for the event %j', (event) => {
    const context = requestContextOf(event, undefined);
    expect(context).toMatchObject({ requestId: '', headers: {}, method: '', path: '', pathParameters: {} });
  });

  it('has the request id of the event if a header can carry it, otherwise that of the Lambda context', () => {
    expect(idOf('!~', 'a-1')).toBe('!~');
    expect(idOf('r'.repeat(128), 'a-1')).toBe('r'.repeat(128));
    for (const id of [undefined, 1, '', 'a b', 'x\n', ' x', 'é', 'r'.repeat(129)]) expect(idOf(id, 'a-1')).toBe('a-1');
    expect(idOf('', 'a b')).toBe('');
  });

  it('has the time of the event if its year is at most 9999, otherwise the current time', () => {
    const last = Date.UTC(9999, 11, 31);
    expect([0, last, -last].map(timeOf)).toEqual([0, last, -last]);
    const before = Date.now();
    for (const time of [undefined, '5', 1.5, Number.NaN, last + 1, -last - 1]) {
      expect(timeOf(time)).toBeGreaterThanOrEqual(before);
      expect(timeOf(time)).toBeLessThanOrEqual(Date.now());
    }
  });
});
