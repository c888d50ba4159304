import { describe, expect, it } from '@jest/globals';
import { type ProblemCode, problemType } from '../../core/problems.ts';
import { recordedExamples } from '../../lib/openapi/examples.ts';
import { type Exchange, requireContract } from '../support/contract.ts';

const verdict = recordedExamples()
  .of('compliance')
  .find(({ status }) => status === 200)?.body as { checks: object };

const HEADERS = {
  'content-type': 'application/json',
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '59',
  'x-ratelimit-reset': '1781524860',
  'x-request-id': 'abc',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

const { 'x-ratelimit-remaining': _remaining, ...withoutRemaining } = HEADERS;

const exchange = (changes: Partial<Exchange> = {}): Exchange => ({
  method: 'GET',
  url: new URL('http://127.0.0.1/v1/compliance/AB12CDE'),
  headers: {},
  status: 200,
  responseHeaders: new Headers(HEADERS),
  responseText: JSON.stringify(verdict),
  ...changes,
});
const headers = (changes: Record<string, string>) => ({ responseHeaders: new Headers({ ...HEADERS, ...changes }) });
const body = (changes: object) => ({ responseText: JSON.stringify({ ...verdict, ...changes }) });
const path = (pathname: string) => ({ url: new URL(`http://127.0.0.1/v1/${pathname}`) });
const problem = (code: ProblemCode): Partial<Exchange> => {
  const fields = { type: problemType(code), title: 'Not Found', status: 404, detail: 'None.', code, requestId: 'abc' };
  return {
    status: 404,
    ...headers({ 'content-type': 'application/problem+json' }),
    responseText: JSON.stringify(fields),
  };
};

describe('The contract checker', () => {
  it.each([
    ['success', {}],
    ['problem', problem('VEHICLE_NOT_FOUND')],
  ])('accepts a %s that matches the document', (_what, changes) => {
    expect(() => requireContract(exchange(changes))).not.toThrow();
  });

  it.each<[string, Partial<Exchange>, RegExp]>([
    ['a status that is not described', { status: 418 }, /status is not described/],
    ['a missing header', { responseHeaders: new Headers(withoutRemaining) }, /X-RateLimit-Remaining is missing/],
    ['a header of the wrong type', headers({ 'x-ratelimit-limit': 'many' }), /X-RateLimit-Limit: data must be integer/],
    ['a header that is not described', headers({ 'x-powered-by': 'x' }), /x-powered-by are not described/],
    ['a missing field', body({ compliant: undefined }), /required property/],
    ['a field that is not described', body({ colour: 1 }), /additional/],
    ['a nested field that is not described', body({ checks: { ...verdict.checks, colour: true } }), /additional/],
    ['a code that is not described', body({ reasons: ['RUSTY'] }), /allowed values/],
    ['a code of another endpoint', problem('CONTENT_NOT_FOUND'), /allowed values/],
    ['a date that is none', body({ lastChecked: 'now' }), /date-time/],
    ['another type of body', headers({ 'content-type': 'text/html' }), /text\/html/],
    ['an accepted request that is not as described', path('compliance/AB_12'), /path parameter registration/],
    ['success at an unknown path', path('nowhere'), /status is not described/],
  ])('rejects %s', (_what, changes, message) => {
    expect(() => requireContract(exchange(changes))).toThrow(message);
  });
});
