import assert from 'node:assert/strict';
import type { Answer, Api } from './api.ts';

/** One thing that must hold wherever the service runs: on this machine, in an emulator, on AWS. */
export interface Check {
  readonly name: string;
  readonly run: (api: Api) => Promise<void>;
}

/** The part of a value that `expected` names is equal to it. */
export const matches = (actual: unknown, expected: object): void => {
  assert.partialDeepStrictEqual(actual, expected);
};

/** An answer of this status, with the headers that every answer carries. */
export const answers = ({ status, headers, text }: Answer, expected: number): void => {
  assert.equal(status, expected, `status ${status} instead of ${expected}: ${text.slice(0, 300)}`);
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']) {
    assert.match(headers[name] ?? '', /^\d+$/, name);
  }
  assert.match(headers['x-request-id'] ?? '', /./);
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['access-control-allow-origin'], undefined);
};

/** A success: JSON, and the body that is expected. */
export const succeeds = (answer: Answer, body: object, status = 200): void => {
  answers(answer, status);
  assert.equal(answer.headers['content-type'], 'application/json');
  matches(answer.body, body);
};

/** A problem document of this status and code. */
export const refuses = (answer: Answer, status: number, code: string, more: object = {}): void => {
  answers(answer, status);
  assert.equal(answer.headers['content-type'], 'application/problem+json');
  matches(answer.body, { status, code, requestId: answer.headers['x-request-id'], ...more });
};
