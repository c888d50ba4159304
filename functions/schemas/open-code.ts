import * as T from 'typebox';

/**
 * A code in a response: the codes known today, or any other string, so that a consumer generated from today's document
 * accepts a code of tomorrow. The static type stays the known codes: nothing else is sent.
 */
export const openCode = <const Code extends string>(codes: readonly Code[], options: T.TSchemaOptions = {}) =>
  T.Unsafe<Code>({ ...options, anyOf: [{ enum: [...codes] }, { type: 'string' }] });
