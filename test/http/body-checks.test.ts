import { describe, expect, it } from '@jest/globals';
import { apiError } from '../../core/problems.ts';
import { bodyChecks, bodyParserError, hasCheapBody } from '../../functions/http/body-checks.ts';
import { httpRequest } from '../support/http-request.ts';

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
