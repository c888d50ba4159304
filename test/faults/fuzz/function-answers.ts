/** What a function must return whatever it is handed. */

import * as T from 'typebox';
import { Value } from 'typebox/value';
import { requireContract } from '../../support/contract.ts';
import type { MalformedEvent } from './malformed-events.ts';

const Result = T.Object({
  statusCode: T.Integer({ minimum: 200, maximum: 499 }),
  headers: T.Record(T.String(), T.String()),
  body: T.Optional(T.String()),
});

/** What a function returned. */
export type FunctionResult = T.Static<typeof Result>;

/**
 * A status under 500, headers that can be sent, all common ones among them, and a body as the OpenAPI document describes
 * it for the endpoint. @throws Error naming what is not so
 */
export const requireAnswer = (result: unknown, { call, path }: MalformedEvent): FunctionResult => {
  const { statusCode, headers, body = '' } = Value.Parse(Result, result);
  requireContract({
    method: call.method,
    url: new URL(path, 'http://service'),
    headers: Object.fromEntries(call.headers),
    body: JSON.stringify(call.json),
    status: statusCode,
    // Refuses names and values that no HTTP message can carry.
    answerHeaders: new Headers(headers),
    answerText: body,
  });
  return { statusCode, headers, body };
};
