import { expect } from '@jest/globals';
import type { Reply } from '../support/send.ts';

/** A response of this status, with the headers that every response carries. */
export const expectStatus = ({ request, status, headers, text }: Reply, expected: number): void => {
  // With request and body, so that a failure shows the problem document.
  expect({ request, status, text }).toEqual({ request, status: expected, text: expect.any(String) });
  const sent = Object.fromEntries(headers);
  expect(sent).toMatchObject({
    'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
    'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
    'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
    'x-request-id': expect.stringMatching(/./),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  expect(sent).not.toHaveProperty('access-control-allow-origin');
};

/** A success in JSON whose body matches `body`. */
export const expectSuccess = (reply: Reply, body: object, status = 200): void => {
  expectStatus(reply, status);
  const { request, headers } = reply;
  expect({ request, type: headers.get('content-type') }).toEqual({ request, type: 'application/json' });
  expect({ request, body: reply.body }).toMatchObject({ request, body });
};

/** A problem document of this status and code. */
export const expectProblem = (reply: Reply, status: number, code: string, more: object = {}): void => {
  expectStatus(reply, status);
  const { request, headers } = reply;
  expect({ request, type: headers.get('content-type') }).toEqual({ request, type: 'application/problem+json' });
  const body = { status, code, requestId: headers.get('x-request-id'), ...more };
  expect({ request, body: reply.body }).toMatchObject({ request, body });
};
